import { MsgError } from '@msg/core';
import type { PublicationContext, Subscription, UnsubscribedContext } from 'centrifuge';
import { type AppendDocument, documentOf, type Growth, SeenMessages } from './append-documents.ts';

export type { AppendDocument } from './append-documents.ts';

/** A message of an append stream, as a publication told it. */
export interface AppendUpdate extends AppendDocument {
  /**
   * What is new since the last update of this message: text, or items. An item that was there and has grown comes with
   * only the new part of its string.
   */
  readonly added: string | readonly unknown[];
  /** What was told before does not hold any more: `added` is everything. */
  readonly reset: boolean;
  /** Of the publication. */
  readonly offset: number | undefined;
}

/** The part of a subscription of the stock client that a reader needs. */
export type ReadableSubscription = Pick<Subscription, 'on' | 'off' | 'history'>;

/** Code of the end of a subscription that the application itself asked for. */
const UNSUBSCRIBE_CALLED = 0;
/** Entries of the history in which a message is looked for. */
const MOST_ENTRIES = 100;

/**
 * The messages of append streams that a subscription receives, from this call on; other publications are left out. What
 * the reader does not take in time is put together. It ends when the subscription does. Source: append streams 5.4.
 * @throws MsgError MSG_CHANNEL_CLOSED when the service ended the subscription
 */
export function readAppends(
  subscription: ReadableSubscription,
): AsyncIterableIterator<AppendUpdate, undefined> {
  const reader = new AppendReader(subscription);
  return {
    next: () => reader.next(),
    return: async () => {
      reader.stop();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

/**
 * The text of a message once it has ended, whatever its status. One that ended before is read from the history, where the
 * client may read it.
 * @throws MsgError MSG_INVALID_ARGUMENT for a message of items; MSG_CHANNEL_CLOSED when the subscription ends first
 */
export async function textOf(subscription: ReadableSubscription, id: string): Promise<string> {
  const reader = new AppendReader(subscription);
  const isEnd = (document: AppendDocument | null): boolean =>
    document?.id === id && document.status !== 'streaming';
  const live = async (): Promise<AppendDocument> => {
    for (;;) {
      const { value } = await reader.next();
      if (value === undefined)
        throw new MsgError('MSG_CHANNEL_CLOSED', `the subscription ended before message ${id}`);
      if (isEnd(value)) return value;
    }
  };
  const earlier = async (): Promise<AppendDocument> => {
    const { publications } = await subscription.history({ limit: MOST_ENTRIES, reverse: true });
    const document = publications.map(({ data }) => documentOf(data)).find(isEnd);
    if (document == null) throw new MsgError('MSG_APPEND_NOT_FOUND', `no message ${id} that has ended`);
    return document;
  };
  const coming = live();
  try {
    // Without a history, or without the message in it, there is only what comes.
    const { text } = await Promise.race([coming, earlier().catch(() => coming)]);
    if (text !== undefined) return text;
    throw new MsgError('MSG_INVALID_ARGUMENT', `message ${id} has items, not a text: use readAppends`);
  } finally {
    coming.catch(() => {}); // the caller has its answer
    reader.stop();
  }
}

/** What a subscription has received and its reader has not taken. */
class AppendReader {
  readonly #subscription: ReadableSubscription;
  readonly #seen = new SeenMessages();
  readonly #waiting: AppendUpdate[] = [];
  #end: Pick<UnsubscribedContext, 'code' | 'reason'> | null = null;
  /** Those who wait for the next update. */
  #takers: (() => void)[] = [];

  constructor(subscription: ReadableSubscription) {
    this.#subscription = subscription;
    subscription.on('publication', this.#received);
    subscription.on('unsubscribed', this.#ended);
  }

  async next(): Promise<IteratorResult<AppendUpdate, undefined>> {
    while (this.#waiting.length === 0 && this.#end === null)
      await new Promise<void>(resolve => this.#takers.push(resolve));
    const value = this.#waiting.shift();
    if (value !== undefined) return { done: false, value };
    if (this.#end === null || this.#end.code === UNSUBSCRIBE_CALLED) return { done: true, value };
    const { code, reason } = this.#end;
    throw new MsgError('MSG_CHANNEL_CLOSED', `the service ended the subscription: ${reason} (${code})`);
  }

  stop(): void {
    this.#waiting.length = 0;
    this.#ended({ code: UNSUBSCRIBE_CALLED, reason: '' });
  }

  readonly #received = ({ data, offset }: PublicationContext): void => {
    const document = documentOf(data);
    const growth = document === null ? null : this.#seen.grow(document);
    if (document === null || growth === null) return;
    const last = this.#waiting.at(-1);
    if (last?.id === document.id) this.#waiting.pop();
    const told = last?.id === document.id ? joined(last, growth) : growth;
    this.#waiting.push({ ...document, ...told, offset });
    this.#wake();
  };

  readonly #ended = ({ code, reason }: Pick<UnsubscribedContext, 'code' | 'reason'>): void => {
    this.#subscription.off('publication', this.#received);
    this.#subscription.off('unsubscribed', this.#ended);
    this.#end ??= { code, reason };
    this.#wake();
  };

  #wake(): void {
    for (const resolve of this.#takers.splice(0)) resolve();
  }
}

/** Two additions as one. */
function joined(first: Growth, second: Growth): Growth {
  if (second.reset) return second;
  const { added, reset } = first;
  if (typeof added === 'string') return { added: added + String(second.added), reset };
  return { added: [...added, ...second.added], reset };
}
