import { defined } from '@msg/foundation/json';
import type { WordPart } from '../../changeset/differing-words.ts';
import type { Markup } from '../../render/markup.ts';
import { aboutItem, gridsOf, still } from './article.ts';
import { type Compared, nameOf } from './compare.ts';
import { itemOf } from './marks.ts';
import type { ComparedItem, ItemKind } from './touched.ts';
import type { Verdict } from './verdicts.ts';
import { countsOf } from './view.ts';

/** Bytes of all drawings and of their rules, as JSON; items beyond that have their words alone (page and review 8). */
const MOST_BYTES = 512_000;

/** One sentence; `item` is the one that it is about, where that is among the items. */
interface ToldSentence {
  readonly kind: ItemKind;
  readonly item?: string;
  readonly parts: readonly WordPart[];
}

/** One item: its name, what happened to it and its marks as text; its grids and both sides as HTML. */
export interface RenderedItem {
  readonly nodeId: string;
  readonly name: string;
  readonly kind: ItemKind;
  readonly about: string;
  readonly marks: readonly Verdict[];
  readonly grids?: string;
  readonly before?: string;
  readonly after?: string;
  /** Its drawings are beyond the bound. */
  readonly cut?: true;
}

/** A comparison for a page of another program. */
export interface Fragments {
  readonly counts: string;
  readonly words: readonly ToldSentence[];
  readonly rendered: readonly RenderedItem[];
  /** A style sheet with the rules of the grids in the drawings. */
  readonly rules: string;
}

/** What a comparison shows, in pieces, with drawings of at most 512 kB. */
export function fragmentsOf(compared: Compared): Fragments {
  const rules = compared.drawn.css;
  const told = new Set<string>();
  let left = MOST_BYTES - sizeOf(rules);
  const rendered = compared.items.map(item => {
    const drawings = drawingsOf(compared, item, told);
    const size = sizeOf(drawings);
    const fits = size <= left;
    if (fits) left -= size;
    const shown = fits ? drawings : ({ cut: true } as const);
    return { ...describedItem(compared, item), ...shown };
  });
  const words = compared.words.map(sentence =>
    defined({ kind: sentence.kind, item: itemOf(compared, sentence), parts: sentence.parts }),
  );
  return { counts: countsOf(compared), words, rendered, rules: left < 0 ? '' : rules };
}

function describedItem({ documents, verdicts }: Compared, item: ComparedItem) {
  const { id, kind } = item;
  return {
    nodeId: id,
    name: nameOf(documents, id),
    kind,
    about: aboutItem(item),
    marks: verdicts.get(id) ?? [],
  };
}

function drawingsOf(compared: Compared, item: ComparedItem, told: Set<string>) {
  const { drawn, trees } = compared;
  const side = (name: 'before' | 'after'): string | undefined => {
    const drawing = drawn[name](item.id);
    return drawing && textOf(still(name, drawing, trees[name]?.defaultTheme));
  };
  const grids = gridsOf(compared, item, told);
  return defined({ grids: grids && textOf(grids), before: side('before'), after: side('after') });
}

const textOf = (markup: Markup): string => String(markup);

const sizeOf = (value: object | string): number => Buffer.byteLength(JSON.stringify(value));
