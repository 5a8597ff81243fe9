import { icon } from '../../render/icons.ts';
import { html, type Markup } from '../../render/markup.ts';
import { article } from './article.ts';
import { type Compared, nameOf } from './compare.ts';
import { itemOf, mark, sentenceHtml, throughText } from './marks.ts';
import type { ItemKind } from './touched.ts';
import type { Verdict } from './verdicts.ts';

/** A comparison as HTML: the list in words, the items below each other, and the rules of their grids. */
export interface ComparedView {
  /** "3 changed, 1 added, 1 also affected". */
  readonly counts: string;
  readonly words: Markup;
  readonly items: Markup;
  readonly css: string;
}

export function viewOf(compared: Compared): ComparedView {
  const places = new Map(compared.items.map(({ id }, index) => [id, `item-${index + 1}`]));
  const grids = new Set<string>();
  const items = compared.items.map(item => article(compared, item, places.get(item.id) ?? '', grids));
  return {
    counts: countsOf(compared),
    words: wordList(compared, places),
    items: items.length === 0 ? noItems(compared) : html`${items}`,
    css: compared.drawn.css,
  };
}

/** In the place of items where none differs; where a side does not resolve, that is said elsewhere. */
function noItems({ problem, formerProblem }: Compared): Markup {
  if (problem !== undefined || formerProblem !== undefined) return html``;
  return html`<div class="panel empty"><p class="strong">No item differs</p><p>What changed is of the dashboard itself, and told in words.</p></div>`;
}

/** "3 changed, 1 added, 1 also affected". */
export function countsOf({ words, items }: Compared): string {
  const count = (kind: ItemKind): number =>
    kind === 'affected'
      ? items.filter(item => item.kind === kind).length
      : words.filter(sentence => sentence.kind === kind).length;
  const kinds = ['changed', 'added', 'moved', 'removed', 'affected'] as const;
  const parts = kinds.flatMap(kind => {
    const number = count(kind);
    return number === 0 ? [] : [`${number} ${kind === 'affected' ? 'also affected' : kind}`];
  });
  return parts.length === 0 ? 'Nothing changes' : parts.join(', ');
}

/** What happened, in words; each entry leads to its item. */
function wordList(compared: Compared, places: ReadonlyMap<string, string>): Markup {
  const { words, items, documents, verdicts } = compared;
  const told = new Set<string>();
  const rows = words.map(sentence => {
    const id = itemOf(compared, sentence);
    const isFirst = id !== undefined && !told.has(id);
    if (id !== undefined) told.add(id);
    const badge = isFirst ? badges(verdicts.get(id) ?? []) : '';
    return wordRow(sentence.kind, sentence.kind, sentenceHtml(sentence), places.get(id ?? ''), badge);
  });
  const others = items
    .filter(({ id }) => !told.has(id))
    .map(item => {
      const name = html`“${nameOf(documents, item.id)}”${throughText(item)}`;
      return wordRow(
        'affected',
        'also affected',
        name,
        places.get(item.id),
        badges(verdicts.get(item.id) ?? []),
      );
    });
  return html`<ol class="words">${rows}${others}</ol>`;
}

function wordRow(
  kind: ItemKind,
  word: string,
  text: Markup,
  place: string | undefined,
  badge: Markup | '',
): Markup {
  const inner = html`${mark(kind)}<span class="grow wrap"><span class="sr">${word}: </span>${text}</span>${badge}`;
  return place === undefined
    ? html`<li><span class="row">${inner}</span></li>`
    : html`<li><a class="row" href="#${place}">${inner}</a></li>`;
}

function badges(verdicts: readonly Verdict[]): Markup {
  const loud = verdicts.filter(({ tone }) => tone !== 'same').slice(0, 1);
  return html`${loud.map(({ tone, short }) => html`<span class="badge ${tone}">${icon('warning')}${short}</span>`)}`;
}
