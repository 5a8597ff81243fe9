import type { Sentence } from '../../changeset/words.ts';
import { escapeControls } from '../../document/display.ts';
import { html, type Markup } from '../../render/markup.ts';
import type { Compared } from './compare.ts';
import { type ComparedItem, type ItemKind, itemIdOf } from './touched.ts';

const SIGNS: Readonly<Record<ItemKind, string>> = {
  added: '+',
  removed: '−',
  moved: '~',
  changed: '~',
  affected: '≈',
};

export function mark(kind: ItemKind): Markup {
  return html`<span class="mark ${kind}" aria-hidden="true">${SIGNS[kind]}</span>`;
}

/** A sentence with the words that differ marked. */
export function sentenceHtml({ parts }: Pick<Sentence, 'parts'>): Markup {
  return html`${parts.map(({ text, mark: differs }) => {
    if (differs === 'was') return html`<del>${text}</del>`;
    return differs === 'is' ? html`<ins>${text}</ins>` : html`<span>${text}</span>`;
  })}`;
}

/** The declarations through which an item is affected, with a blank before; empty for one that is touched. */
export function throughText({ through }: ComparedItem): string {
  return through.length === 0 ? '' : ` through ${through.slice(0, 3).map(escapeControls).join(', ')}`;
}

/** The item that a sentence is about. */
export function itemOf({ documents, items }: Compared, { nodeId }: Sentence): string | undefined {
  const position = documents.current.find(nodeId) ?? documents.old.find(nodeId);
  const id = position === undefined ? undefined : itemIdOf(position);
  return items.some(item => item.id === id) ? id : undefined;
}
