import { MsgError } from '@msg/client';
import type { AppendDocument } from '@msg/client/appends';
import type { Growth } from '@msg/client/internal';
import type { Clock } from '@msg/foundation/clock';
import { AnswerReader, type Wanted } from './answer-reader.ts';
import type { ChatChannel, Follower } from './chat-channel.ts';

/** An answer that no stream of this tab reads. */
export interface NewRun {
  /** Id of its message in the channel. */
  readonly message: string;
  readonly run: string | undefined;
  readonly input: string | undefined;
}

/** How long the first chunk may take after the application has taken the request. */
const ANSWER_MS = 30_000;
/** How long an answer may go on after a stop: the service ends it after 5 s. */
const STOP_MS = 10_000;

/** A call that waits for the end of an answer. */
interface Waiter {
  readonly ended: (document: AppendDocument) => boolean;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** What one chat of this tab reads, and who listens to it. */
export class Chat implements Follower {
  readonly #clock: Clock;
  readonly #channelNamed: (name: string) => ChatChannel;
  readonly #readers = new Set<AnswerReader>();
  readonly #listeners = new Set<(run: NewRun) => void>();
  readonly #waiters = new Set<Waiter>();
  #channel: ChatChannel;
  /** Leaves the channel; null: the chat is not used. */
  #leave: (() => void) | null = null;
  #uses = 0;
  #reconnecting = 0;
  /** Message that was open last. */
  #last = '';
  /** Request without an answer that has ended. */
  #asked: string | null = null;

  constructor(clock: Clock, name: string, channelNamed: (name: string) => ChatChannel) {
    this.#clock = clock;
    this.#channelNamed = channelNamed;
    this.#channel = channelNamed(name);
  }

  get isUsed(): boolean {
    return this.#uses > 0;
  }

  get open(): AppendDocument | null {
    return this.#channel.open;
  }

  get isMissing(): boolean {
    return [...this.#readers].some(({ isExpected }) => isExpected);
  }

  settled(): Promise<void> {
    return this.#channel.settled();
  }

  /** Reads one answer until it ends or the signal aborts, which stops nothing but the reading. */
  read(wanted: Wanted, signal: AbortSignal | undefined): AnswerReader {
    const release = this.#use();
    const abort = (): void => reader.fail(signal?.reason);
    const reader = new AnswerReader(wanted, () => {
      signal?.removeEventListener('abort', abort);
      this.#readers.delete(reader);
      release();
    });
    this.#readers.add(reader);
    if ('input' in wanted) this.#asked = wanted.input;
    if (signal?.aborted) abort();
    else signal?.addEventListener('abort', abort);
    return reader;
  }

  /** The application has not taken the request. */
  withdraw(reader: AnswerReader, input: string, error: unknown): void {
    if (this.#asked === input) this.#asked = null;
    reader.fail(error);
  }

  /** The application has taken the request of a reader, and says where the answer comes. */
  expect(reader: AnswerReader, name: string | undefined): void {
    reader.isExpected = true;
    if (name !== undefined && name !== this.#channel.name) this.#move(name);
    const giveUp = async (): Promise<void> => {
      if (!reader.hasBegun) await this.#channel.readMissed();
      if (!reader.hasBegun) reader.refuse('no answer');
    };
    this.#clock.setTimeout(() => void giveUp(), ANSWER_MS);
  }

  /** The open answer from its beginning; null: no answer is open. */
  async reconnect(signal: AbortSignal | undefined): Promise<AnswerReader | null> {
    const release = this.#use();
    this.#reconnecting++;
    try {
      await Promise.race([this.settled(), aborted(signal)]);
      const { open } = this;
      if (open === null) return null;
      const reader = this.read({ message: open.id }, signal);
      reader.isExpected = true;
      reader.take(open, { added: open.text ?? open.items ?? [], reset: false }, true);
      return reader;
    } finally {
      this.#reconnecting--;
      release();
    }
  }

  /** Calls `listener` for each answer that opens and that no stream of this tab reads. */
  listen(listener: (run: NewRun) => void): () => void {
    const release = this.#use();
    const call = (run: NewRun): void => listener(run); // the same function may listen twice
    this.#listeners.add(call);
    return () => {
      if (this.#listeners.delete(call)) release();
    };
  }

  /**
   * Has `cancel` ask the service to stop what runs, and waits for its end.
   * @throws MsgError the refusal; MSG_BROKER_NOT_READY when it has not ended after 10 s
   */
  async stop(cancel: (channel: string, target: Record<string, string>) => Promise<void>): Promise<void> {
    const release = this.#use();
    try {
      if (this.#asked === null) await this.settled();
      const { id, input } = this.open ?? { id: undefined, input: this.#asked ?? undefined };
      const target = id === undefined ? (input === undefined ? {} : { input }) : { message: id };
      // Another tab's answer may be open before its first publication comes here: then it is the next one that ends.
      const isIt = (document: AppendDocument): boolean =>
        id === undefined ? input === undefined || document.input === input : document.id === id;
      const end = this.#endOf(isIt);
      await Promise.race([cancel(this.#channel.name, target).then(() => end), end]);
    } finally {
      release();
    }
  }

  update(document: AppendDocument, growth: Growth): void {
    const { id, run, input, status } = document;
    const isNew = status === 'streaming' && id !== this.#last;
    if (isNew) this.#last = id;
    if (status !== 'streaming' && input !== undefined && input === this.#asked) this.#asked = null;
    const readers = [...this.#readers].filter(reader => reader.wants(document));
    const isReset = growth.reset && readers.some(reader => reader.hasBegun);
    for (const reader of readers) {
      // The framework cannot take back what it has read: the answer is read anew, from its beginning.
      if (growth.reset && reader.hasBegun) reader.close();
      else reader.take(document, growth);
    }
    if (status !== 'streaming') this.#tellWaiters(document);
    const isUnread = isNew && readers.length === 0;
    if (this.#reconnecting === 0 && (isReset || isUnread))
      for (const listener of [...this.#listeners]) listener({ message: id, run, input });
  }

  ended(error: MsgError): void {
    for (const reader of [...this.#readers]) reader.fail(error);
    for (const { reject } of [...this.#waiters]) reject(error);
  }

  #tellWaiters(document: AppendDocument): void {
    for (const waiter of [...this.#waiters]) if (waiter.ended(document)) waiter.resolve();
  }

  async #endOf(ended: Waiter['ended']): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiter: Waiter = { ended, resolve, reject };
    const expire = (): void =>
      reject(new MsgError('MSG_BROKER_NOT_READY', 'the answer has not ended 10 s after the stop'));
    const timer = this.#clock.setTimeout(expire, STOP_MS);
    this.#waiters.add(waiter);
    try {
      await promise;
    } finally {
      this.#waiters.delete(waiter);
      this.#clock.clearTimeout(timer);
    }
  }

  #use(): () => void {
    this.#uses++;
    this.#leave ??= this.#channel.join(this);
    return () => {
      if (--this.#uses > 0) return;
      this.#leave?.();
      this.#leave = null;
    };
  }

  #move(name: string): void {
    const leave = this.#leave;
    this.#channel = this.#channelNamed(name);
    if (leave === null) return;
    this.#leave = this.#channel.join(this);
    leave();
  }
}

/** Rejects with the reason of the signal. */
function aborted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    if (signal?.aborted) reject(signal.reason);
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
