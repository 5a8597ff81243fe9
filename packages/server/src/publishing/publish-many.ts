import { MsgError, type PublishPayload } from '@msg/core';
import { MAX_PUBLICATIONS, payloadBytes, toMsgError } from '@msg/core/internal';
import { Payload } from '@msg/engine';
import { isPromise, type MaybePromise } from '@msg/foundation/promises';
import type { PublishAck, PublishPipeline } from './pipeline.ts';
import type { PublishExtras } from './publication.ts';

/** One of several publications. */
export interface ChannelPublication {
  readonly channel: string;
  /** One object for several channels is encoded once for all of them. */
  readonly payload: Uint8Array | Payload;
  readonly extras: PublishExtras;
}

/** The outcome of one of several publications: its position, or why it was not published. */
export interface PublishOutcome extends PublishAck {
  readonly error: MsgError | undefined;
}

/** One of several publications of an embedding application. */
export interface PublishItem extends PublishExtras {
  /** Name of an open channel. */
  readonly name: string;
  /** Bytes as they are, anything else as its JSON text. */
  readonly payload: PublishPayload;
}

/** The outcome of a broadcast in one channel. */
export interface BroadcastOutcome extends PublishOutcome {
  readonly name: string;
}

/** The order of several publications. */
export interface PublishManyOptions {
  /** Channels do not wait for each other; publications of one channel keep their order. Default: one after the other. */
  readonly parallel?: boolean;
  /** After a failure, later publications of the same channel are skipped. */
  readonly stopChannelOnError?: boolean;
}

export interface PublishManyParts extends PublishManyOptions {
  /**
   * Publishes one publication through the gates of its caller. `onSent` is called, within it or later, when what is sent
   * from then on comes after it; never, where the order is that of the answers.
   */
  readonly publish: (publication: ChannelPublication, onSent: () => void) => MaybePromise<PublishAck>;
  /** Called for a publication that failed without a code. */
  readonly onError: (error: unknown) => void;
}

/**
 * Publishes several publications and returns the outcome of each, in their order; a failure does not affect the others.
 * Returns a promise only when one of them waits.
 * @throws MsgError MSG_INVALID_ARGUMENT for none or more than 1,000. Source: app-developers 3.
 */
export function publishMany(
  publications: readonly ChannelPublication[],
  parts: PublishManyParts,
): MaybePromise<readonly PublishOutcome[]> {
  const { length } = publications;
  if (length === 0 || length > MAX_PUBLICATIONS) {
    const allowed = `from 1 to ${MAX_PUBLICATIONS}`;
    throw new MsgError(
      'MSG_INVALID_ARGUMENT',
      `the number of publications must be ${allowed}; got ${length}`,
    );
  }
  const run = new PublishRun(publications, parts);
  return parts.parallel === true ? run.byChannel() : run.inOrder();
}

/** The parts for an embedder's publications. */
interface EmbedderParts extends Pick<PublishManyParts, 'onError'> {
  readonly pipeline: Pick<PublishPipeline, 'publish'>;
}

/** {@link publishMany} for the embedding application. */
export function publishItems(
  { pipeline, onError }: EmbedderParts,
  items: readonly PublishItem[],
  options: PublishManyOptions,
): MaybePromise<readonly PublishOutcome[]> {
  const publications = items.map(({ name, payload, ...extras }, index) => ({
    channel: name,
    payload: payloadBytes(payload, `items[${index}].payload`),
    extras,
  }));
  return publishMany(publications, {
    ...options,
    publish: ({ channel, payload, extras }, onSent) => pipeline.publish(channel, payload, extras, onSent),
    onError,
  });
}

/** Publishes the same payload into several channels. @throws MsgError as {@link publishMany} */
export async function broadcast(
  { pipeline, onError }: EmbedderParts,
  names: readonly string[],
  payload: PublishPayload,
  extras: PublishExtras,
): Promise<readonly BroadcastOutcome[]> {
  const outcomes = await publishMany(sameInEach(names, payloadBytes(payload), extras), {
    parallel: true,
    publish: publication => pipeline.publish(publication.channel, publication.payload, publication.extras),
    onError,
  });
  return named(names, outcomes);
}

/** The same publication for each channel. Its payload is encoded once for all of them. */
export function sameInEach(
  names: readonly string[],
  payload: Uint8Array,
  extras: PublishExtras,
): readonly ChannelPublication[] {
  const shared = new Payload(payload);
  return names.map(channel => ({ channel, payload: shared, extras }));
}

function named(names: readonly string[], outcomes: readonly PublishOutcome[]): readonly BroadcastOutcome[] {
  return outcomes.map((outcome, index) => ({ name: names[index] ?? '', ...outcome }));
}

/** Publications of one request that are sent and not answered, and the size of one that may be: a link has little room. */
const MOST_SENT = 64;
const MOST_SENT_BYTES = 4096;

/** One running request. */
class PublishRun {
  readonly #publications: readonly ChannelPublication[];
  readonly #parts: PublishManyParts;
  readonly #outcomes: PublishOutcome[];
  /** Index of the first publication that failed, by channel. */
  readonly #failed = new Map<string, number>();
  /** The one that was started last is sent. */
  #isSent = false;
  #tellSent: () => void = () => {};
  readonly #noteSent = (): void => {
    this.#isSent = true;
    this.#tellSent();
  };

  constructor(publications: readonly ChannelPublication[], parts: PublishManyParts) {
    this.#publications = publications;
    this.#parts = parts;
    this.#outcomes = new Array(publications.length);
  }

  inOrder(): MaybePromise<readonly PublishOutcome[]> {
    for (let index = 0; index < this.#publications.length; index++) {
      const done = this.#start(index);
      if (isPromise(done)) return this.#rest(done, index + 1);
    }
    return this.#outcomes;
  }

  /** Each starts when the one before it was sent, where its order is certain then, or has ended. */
  async #rest(first: Promise<void>, next: number): Promise<readonly PublishOutcome[]> {
    const sent: Promise<void>[] = [];
    let done: MaybePromise<void> = first;
    for (let index = next; ; index++) {
      if (isPromise(done)) {
        if (!this.#isSent) await Promise.race([done, this.#whenSent()]);
        sent.push(done);
        if (!this.#maySendAfter(index - 1)) await done;
        else if (sent.length > MOST_SENT) await sent.shift();
      }
      if (index >= this.#publications.length) break;
      done = this.#start(index);
    }
    await Promise.all(sent);
    return this.#outcomes;
  }

  /** Whether the next one may be sent while this one waits for its answer. */
  #maySendAfter(index: number): boolean {
    const { payload } = this.#publications[index] ?? {};
    const { length } = payload instanceof Payload ? payload.bytes : (payload ?? []);
    return this.#parts.stopChannelOnError !== true && length <= MOST_SENT_BYTES;
  }

  #start(index: number): MaybePromise<void> {
    this.#isSent = false;
    return this.#publish(index);
  }

  #whenSent(): Promise<void> {
    return new Promise(resolve => {
      this.#tellSent = resolve;
    });
  }

  byChannel(): MaybePromise<readonly PublishOutcome[]> {
    /** The last running publication of each channel. */
    const last = new Map<string, Promise<void>>();
    for (const [index, { channel }] of this.#publications.entries()) {
      const before = last.get(channel);
      const done = before === undefined ? this.#publish(index) : before.then(() => this.#publish(index));
      if (isPromise(done)) last.set(channel, done);
    }
    return last.size === 0 ? this.#outcomes : Promise.all(last.values()).then(() => this.#outcomes);
  }

  /** Never throws or rejects. */
  #publish(index: number): MaybePromise<void> {
    const publication = this.#publications[index];
    if (publication === undefined || this.#isSkipped(index, publication)) return;
    try {
      const ack = this.#parts.publish(publication, this.#noteSent);
      if (isPromise(ack)) {
        return ack.then(
          later => this.#published(index, later),
          (error: unknown) => this.#refused(index, publication, error),
        );
      }
      this.#published(index, ack);
    } catch (error) {
      this.#refused(index, publication, error);
    }
  }

  #isSkipped(index: number, { channel }: ChannelPublication): boolean {
    if (this.#parts.stopChannelOnError !== true) return false;
    const failed = this.#failed.get(channel);
    if (failed === undefined) return false;
    this.#outcomes[index] = notPublished(
      new MsgError('MSG_BROKER_NOT_READY', `skipped after item ${failed}`),
    );
    return true;
  }

  #published(index: number, { offset, epoch, suppressed }: PublishAck): void {
    this.#outcomes[index] = { offset, epoch, suppressed, error: undefined };
  }

  #refused(index: number, { channel }: ChannelPublication, error: unknown): void {
    if (!(error instanceof MsgError)) this.#parts.onError(error);
    if (!this.#failed.has(channel)) this.#failed.set(channel, index);
    this.#outcomes[index] = notPublished(toMsgError(error));
  }
}

function notPublished(error: MsgError): PublishOutcome {
  return { offset: 0, epoch: '', suppressed: false, error };
}
