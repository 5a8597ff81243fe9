import { element } from '../review/send.ts';
import { allowedNodes } from './allowed.ts';
import type { Item, Mark, Sentence } from './answer.ts';

const SIGNS: Readonly<Record<string, string>> = { added: '+', removed: '−', affected: '≈' };

/** The sign of what happened; readers of the screen hear the word. */
function mark(kind: string): HTMLElement {
  const sign = element('span', `mark ${kind}`, SIGNS[kind] ?? '~');
  sign.setAttribute('aria-hidden', 'true');
  return sign;
}

function sentence({ parts }: Sentence): HTMLElement[] {
  const names = { was: 'del', is: 'ins' } as const;
  return parts.map(({ text, mark: differs }) =>
    element(differs === undefined ? 'span' : names[differs], '', text),
  );
}

/** What happened, in words. */
export function wordList(words: readonly Sentence[]): HTMLElement {
  const rows = words.map(told => {
    const text = element('span', 'grow wrap', element('span', 'sr', `${told.kind}: `), ...sentence(told));
    return element('li', '', element('span', 'row', mark(told.kind), text));
  });
  return element('ol', 'words', ...rows);
}

/** A line with a code and a sentence. */
export function errorBox({
  code,
  message,
}: {
  readonly code: string;
  readonly message: string;
}): HTMLElement {
  return element('div', 'fault', element('span', 'code', code), element('p', 'wrap', message));
}

/** One item: what to know of it, its grids, both sides. @param asked Its box, where the person can ask for a change. */
export function itemArticle(item: Item, asked: HTMLElement | undefined): HTMLElement {
  const name = element('h2', 'wrap', item.name);
  const about = element('span', 'small mute', item.about);
  const head = element('header', 'line', mark(item.kind), name, about, ...(asked ? [asked] : []));
  const grids = item.grids === undefined ? [] : allowedNodes(item.grids);
  const article = element('article', 'chg', head, ...item.marks.map(markBar), ...grids, ...sides(item));
  article.dataset['item'] = item.nodeId;
  return article;
}

function markBar({ tone, title, text, code }: Mark): HTMLElement {
  const look = tone === 'bad' || tone === 'warn' ? tone : 'same';
  const words = element('p', 'wrap', element('strong', '', title));
  if (code !== undefined) words.append(' ', element('span', 'code mono', code));
  if (text !== undefined) words.append(' ', element('span', 'soft', text));
  const sign = element('strong', 'icon', look === 'same' ? '=' : '!');
  sign.setAttribute('aria-hidden', 'true');
  return element('div', `verdict ${look}`, sign, words);
}

function sides(item: Item): HTMLElement[] {
  const { kind, before, after, cut } = item;
  if (cut === true) return [ghost('', 'Too large to be drawn here: open the review.')];
  if (before === undefined && after === undefined) return [];
  const left = kind === 'added' ? ghost('before', 'Not there before') : side('before', before);
  const right = kind === 'removed' ? ghost('after', 'Not there any more') : side('after', after);
  return [element('div', 'ba', left, right)];
}

function side(name: 'before' | 'after', drawing: string | undefined): HTMLElement {
  if (drawing === undefined) return ghost(`${name} bad`, 'Not drawn: this side does not resolve.');
  const caption = element('figcaption', '', name === 'before' ? 'Before' : 'After');
  const figure = element('figure', `side ${name}`, caption);
  figure.append(...allowedNodes(drawing));
  return figure;
}

/** The picture of an answer, where no drawings of its items can be had. */
export function pictureFigure(address: string): HTMLElement {
  const picture = document.createElement('img');
  picture.src = address;
  picture.alt = 'The changed items, as they are after the change';
  return element('figure', 'side after', element('figcaption', '', 'After'), picture);
}

function ghost(className: string, text: string): HTMLElement {
  return element('div', `ghost ${className}`.trim(), element('p', '', text));
}
