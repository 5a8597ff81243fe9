import { element } from '../review/send.ts';
import type { Answer, Item } from './answer.ts';

/** Characters of a comment, as a review takes it. */
const MOST_COMMENT = 2_000;

/** Where a person says what is to be different. No form: a host may show this page where forms are not let in. */
export class Asking {
  readonly section = element('section', 'ask panel stack s4');
  readonly #comment = document.createElement('textarea');
  readonly #ticked = new Set<string>();

  /** @param send Called with the comment and the ids of the items that the person ticked. */
  constructor(send: (comment: string, ticked: ReadonlySet<string>) => void) {
    this.#comment.className = 'input';
    this.#comment.rows = 3;
    this.#comment.maxLength = MOST_COMMENT;
    const label = element('label', 'field', element('span', 'label', 'What is to be changed'), this.#comment);
    const ask = button('Ask', () => send(this.#comment.value.trim(), this.#ticked), 'primary');
    const cancel = button('Cancel', () => this.close());
    this.section.setAttribute('aria-label', 'Ask for a change');
    this.section.hidden = true;
    this.section.append(label, element('div', 'line', ask, cancel));
  }

  /** A box that adds an item to what is asked about. */
  boxOf({ nodeId, name }: Item): HTMLElement {
    const box = document.createElement('input');
    box.type = 'checkbox';
    box.setAttribute('aria-label', `Ask about ${name}`);
    box.checked = this.#ticked.has(nodeId);
    box.addEventListener('change', () => {
      if (box.checked) this.#ticked.add(nodeId);
      else this.#ticked.delete(nodeId);
      this.open();
    });
    return element('label', 'check small', box, element('span', '', 'Ask about this'));
  }

  open(): void {
    this.section.hidden = false;
  }

  focus(): void {
    this.#comment.focus();
  }

  close(): void {
    this.section.hidden = true;
  }

  /** After it was said. */
  clear(): void {
    this.#comment.value = '';
    this.close();
  }
}

/**
 * What is said in the conversation, in the person's name: the comment, and the items by id with the codes of their marks.
 * Titles are left out, because the author of a document could speak through them.
 */
export function messageText(
  id: string,
  { items = [], baseRevision, error }: Pick<Answer, 'items' | 'baseRevision' | 'error'>,
  comment: string,
  ticked: ReadonlySet<string>,
): string {
  const marked = items.filter(({ nodeId, marks }) =>
    ticked.size === 0 ? marks.some(({ tone }) => tone !== 'same') : ticked.has(nodeId),
  );
  const lines = marked.map(({ nodeId, kind, marks }) => {
    const signs = marks.filter(({ tone }) => tone !== 'same').map(({ code, short }) => code ?? short);
    return `- /${nodeId} (${[kind, ...signs].join(', ')})`;
  });
  return [
    `Please change the proposed changeset for dashboard ${JSON.stringify(id)} (base ${baseRevision ?? 'none'}).`,
    comment === '' ? 'No comment.' : comment,
    ...(error === undefined ? [] : [`Its validation failed with ${error.code}.`]),
    ...(lines.length === 0 ? [] : ['It is about:', ...lines]),
  ].join('\n');
}

export function button(words: string, run: () => void, look = ''): HTMLButtonElement {
  const made = document.createElement('button');
  made.type = 'button';
  made.className = `btn ${look}`.trim();
  made.textContent = words;
  made.addEventListener('click', run);
  return made;
}
