import type { ErrorEnvelope } from '../errors.ts';
import type { ItemView, PictureSource } from '../render/context.ts';
import { renderItems, renderPicture } from '../render/picture.ts';
import type { Dashboard } from './dashboard.ts';
import { aboutDocument, type DocumentHead } from './page-head.ts';

/** One line of the stream of items (page and review 1.1). */
export interface ItemLine {
  readonly id: string;
  readonly html: string;
  readonly state: string;
  /** Rules of the grids, with the root of the document alone. */
  readonly css?: string;
  /** Title and revision of the document, with the root alone. */
  readonly about?: string;
  /** What is wrong with the settings, by address, with the root alone. */
  readonly errors?: Readonly<Record<string, ErrorEnvelope>>;
}

/** The items of a dashboard: the whole document first, or of it only some, and then each item when it is finished. */
export async function* itemLines(
  { source, later }: Dashboard,
  only: ReadonlySet<string> | undefined,
  head: DocumentHead,
): AsyncGenerator<ItemLine> {
  if (only === undefined) yield wholeLine(source, head);
  else yield* linesOf(source, new Set([...only].filter(id => !later.has(id))));
  const coming = new Map([...later].map(([id, view]) => [id, view.then(done => ({ id, view: done }))]));
  while (coming.size > 0) {
    const { id, view } = await Promise.race(coming.values());
    coming.delete(id);
    yield* linesOf({ ...source, views: new Map([[id, view]]) }, new Set([id]));
  }
}

function wholeLine(source: PictureSource, head: DocumentHead): ItemLine {
  const { body, css } = renderPicture(source);
  return {
    id: source.tree.root.id,
    html: String(body),
    state: 'ready',
    css,
    about: String(aboutDocument(source.tree, head)),
    errors: Object.fromEntries(source.errors),
  };
}

function* linesOf(source: PictureSource, ids: ReadonlySet<string>): Generator<ItemLine> {
  for (const [id, html] of renderItems(source, ids)) {
    const text = String(html);
    yield { id, html: text, state: /^<div[^>]* data-state="(\w+)"/.exec(text)?.[1] ?? 'ready' };
  }
}

/** The view of an item that is waited for. */
export async function settledView({ source, later }: Dashboard, id: string): Promise<ItemView | undefined> {
  return (await later.get(id)) ?? source.views.get(id);
}
