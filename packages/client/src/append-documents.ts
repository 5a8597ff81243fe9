import { isRecord } from '@msg/foundation/json';

/** A message of an append stream as its readers see it. Source: append streams 3. */
export interface AppendDocument {
  readonly id: string;
  readonly status: 'streaming' | 'complete' | 'cancelled' | 'failed';
  /** Of an end. */
  readonly reason?: string;
  /** The application's run, and the request that the message answers. */
  readonly run?: string;
  readonly input?: string;
  readonly meta?: Readonly<Record<string, unknown>>;
  /** What grows: a text, or a list of JSON values. */
  readonly text?: string;
  readonly items?: readonly unknown[];
}

/** What a document adds to what was told of its message. */
export interface Growth {
  readonly added: string | readonly unknown[];
  readonly reset: boolean;
}

const STATUSES = ['streaming', 'complete', 'cancelled', 'failed'];
/** Messages that have ended are remembered: a reader that comes back may get the last ones again. */
const MOST_ENDED = 100;

/** The data of a publication, if it is a message of an append stream. */
export function documentOf(data: unknown): AppendDocument | null {
  if (!isRecord(data)) return null;
  const { id, status, text, items } = data;
  const grows = typeof text === 'string' || Array.isArray(items);
  if (typeof id !== 'string' || !STATUSES.includes(String(status)) || !grows) return null;
  return data as unknown as AppendDocument; // its other members are the service's
}

/** What was told of the messages of a channel. */
export class SeenMessages {
  readonly #told = new Map<string, AppendDocument>();

  /** Notes a document. Null: it has nothing new, or less than what was told, as after writes that the store lost. */
  grow(document: AppendDocument): Growth | null {
    const { id, status } = document;
    const told = this.#told.get(id);
    const growth =
      told === undefined ? { added: contentOf(document), reset: false } : growthOf(told, document);
    if (growth === null) return null;
    this.#told.delete(id);
    this.#told.set(id, document);
    if (status !== 'streaming') this.#forget();
    return growth;
  }

  #forget(): void {
    const ended = [...this.#told.values()].filter(({ status }) => status !== 'streaming');
    for (const { id } of ended.slice(0, -MOST_ENDED)) this.#told.delete(id);
  }
}

const contentOf = ({ text, items }: AppendDocument): string | readonly unknown[] => text ?? items ?? [];

function growthOf(told: AppendDocument, document: AppendDocument): Growth | null {
  const [old, content] = [contentOf(told), contentOf(document)];
  const added = addedTo(old, content);
  const isOver = document.status !== 'streaming';
  if (added === null)
    // Less than what was told, and it may grow again: only an end, or something else, is told.
    return !isOver && addedTo(content, old) !== null ? null : { added: content, reset: true };
  const isSame = added.length === 0 && JSON.stringify(told) === JSON.stringify(document);
  return isSame ? null : { added, reset: false };
}

/** What `content` has beyond `old`; null: it does not continue it. */
function addedTo(
  old: string | readonly unknown[],
  content: string | readonly unknown[],
): string | readonly unknown[] | null {
  if (typeof old === 'string' || typeof content === 'string')
    return typeof old === 'string' && typeof content === 'string' && content.startsWith(old)
      ? content.slice(old.length)
      : null;
  const last = old.length - 1;
  if (last < 0) return content;
  const isContinued = old.slice(0, last).every((item, at) => isSameJson(item, content[at]));
  if (!isContinued || content.length <= last) return null;
  if (isSameJson(old[last], content[last])) return content.slice(last + 1);
  const grown = grownItem(old[last], content[last]);
  return grown === null ? null : [grown, ...content.slice(last + 1)];
}

const isSameJson = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** The item with only the new part of the string at its end, which has grown. Null: something else differs. */
function grownItem(old: unknown, item: unknown): Record<string, unknown> | null {
  if (!isRecord(old) || !isRecord(item)) return null;
  const member = Object.keys(item).at(-1) ?? '';
  const [start, grown] = [old[member], item[member]];
  if (typeof start !== 'string' || typeof grown !== 'string' || !grown.startsWith(start)) return null;
  return isSameJson({ ...old, [member]: grown }, item)
    ? { ...item, [member]: grown.slice(start.length) }
    : null;
}
