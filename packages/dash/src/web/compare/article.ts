import { nounOf, placeOf } from '../../changeset/node-words.ts';
import { escapeControls } from '../../document/display.ts';
import { icon } from '../../render/icons.ts';
import { attributes, html, type Markup } from '../../render/markup.ts';
import { themeAttributes } from '../../render/theme.ts';
import type { ChangedGrid } from './affected.ts';
import { type Compared, nameOf } from './compare.ts';
import { itemOf, mark, sentenceHtml, throughText } from './marks.ts';
import type { ComparedItem } from './touched.ts';
import type { Verdict } from './verdicts.ts';
import { wireframe } from './wireframe.ts';

/**
 * One item: what happened to it, what to know, both grids around it, both sides.
 * @param toldGrids Grids that an item before has shown.
 */
export function article(
  compared: Compared,
  item: ComparedItem,
  place: string,
  toldGrids: Set<string>,
): Markup {
  const { words, verdicts, documents } = compared;
  const sentences = words.filter(sentence => itemOf(compared, sentence) === item.id);
  const said = sentences.map(sentence => html`<p class="said">${sentenceHtml(sentence)}</p>`);
  const head = html`<header class="line">${mark(item.kind)}<h2 id="${place}-name" class="wrap">${nameOf(documents, item.id)}</h2><span class="small mute">${aboutItem(item)}</span></header>`;
  return html`<article class="chg" id="${place}" data-item="${item.id}" data-kind="${item.kind}" tabindex="-1" aria-labelledby="${place}-name">${head}${said}${(verdicts.get(item.id) ?? []).map(verdictBar)}${gridsAt(compared, item, toldGrids)}${sides(compared, item)}</article>
`;
}

/** What an item is, what happened to it, and where it stands. */
export function aboutItem(item: ComparedItem): string {
  const at = item.position ?? item.former;
  const word = item.kind === 'affected' ? 'also affected' : item.kind;
  if (at === undefined) return word;
  const isRoot = at.parent === undefined;
  const where = isRoot ? '' : ` in ${escapeControls(placeOf(at))}`;
  return `${word}${throughText(item)}, ${nounOf(at)}${where}`;
}

function verdictBar({ tone, title, text, code }: Verdict): Markup {
  const name = code === undefined ? '' : html`<span class="code mono">${code}</span> `;
  const more = text === undefined ? '' : html` <span class="soft">${text}</span>`;
  return html`<div class="verdict ${tone}">${icon(tone === 'same' ? 'equal' : 'warning')}<p class="wrap"><strong>${title}</strong> ${name}${more}</p></div>`;
}

/** The grids around an item, before and after, where no item before has shown them. */
export function gridsOf(compared: Compared, item: ComparedItem, told: Set<string>): Markup | undefined {
  const grids = gridsAt(compared, item, told);
  return grids.length === 0 ? undefined : html`${grids}`;
}

/** The grids that an item has changed: its own, or those around it. */
function gridsAt(compared: Compared, item: ComparedItem, told: Set<string>): readonly Markup[] {
  const ownGrids = compared.grids.filter(({ id }) => id === item.id);
  const isPlaced = item.kind !== 'changed' && item.kind !== 'affected';
  const parents = [item.former, item.position].flatMap(at => {
    const id = at?.parent?.node['id'];
    return typeof id === 'string' ? [id] : [];
  });
  const around = compared.grids.filter(({ id }) => parents.includes(id));
  const shown = ownGrids.length > 0 ? ownGrids : isPlaced ? around : [];
  const both = shown.filter(
    ({ before, after }) => before?.layout !== undefined && after?.layout !== undefined,
  );
  const fresh = both.filter(({ id }) => !told.has(id));
  for (const { id } of fresh) told.add(id);
  return fresh.map(grid => gridHtml(compared, grid));
}

function gridHtml({ documents, items }: Compared, { id, before, after }: ChangedGrid): Markup {
  const kinds = new Map(items.map(({ id: item, kind }) => [item, kind]));
  const names = {
    nameOf: (child: string) => nameOf(documents, child),
    kindOf: (child: string) => kinds.get(child),
  };
  const side = (node: typeof before, word: string): Markup =>
    html`<figure><figcaption>Grid of “${nameOf(documents, id)}”, ${word}</figcaption>${node === undefined ? '' : wireframe(node, names)}</figure>`;
  return html`<div class="grids">${side(before, 'before')}${side(after, 'after')}</div>`;
}

/** Both sides of an item; of a grid whose wireframes say all, none. */
function sides({ drawn, trees, problem, formerProblem }: Compared, { id, kind }: ComparedItem): Markup | '' {
  const [before, after] = [drawn.before(id), drawn.after(id)];
  if (before === undefined && after === undefined) return '';
  const left =
    kind === 'added'
      ? ghost('before', 'Not there before')
      : side('before', before, trees.before?.defaultTheme, formerProblem?.message);
  const right =
    kind === 'removed'
      ? ghost('after', 'Not there any more')
      : side('after', after, trees.after?.defaultTheme, problem?.message);
  const isPair = before !== undefined && after !== undefined;
  return html`<div class="ba${isPair ? ' pair' : ''}">${left}${right}${isPair ? swipe() : ''}</div>`;
}

function ghost(name: string, text: string): Markup {
  return html`<div class="ghost ${name}"><p>${text}</p></div>`;
}

function side(
  name: 'before' | 'after',
  drawing: Markup | undefined,
  theme: unknown,
  problem: string | undefined,
): Markup {
  if (drawing === undefined) return ghost(`${name} bad`, `Not drawn: ${problem ?? 'it is not on the page'}`);
  return html`<figure class="side ${name}"><figcaption>${name === 'before' ? 'Before' : 'After'}</figcaption>${still(name, drawing, theme)}</figure>`;
}

/** A drawing in which nothing can be operated. */
export function still(name: 'before' | 'after', drawing: Markup, theme: unknown): Markup {
  return html`<fieldset class="still canvas" disabled${attributes({ 'aria-label': name })}${themeAttributes(theme)}>${drawing}</fieldset>`;
}

/** The handle between both sides; the script of the page moves the cut. */
function swipe(): Markup {
  return html`<label class="swipe js-only"><span class="sr">Share of the side after</span><input type="range" min="0" max="100" value="50" data-act-input="swipe"></label>`;
}
