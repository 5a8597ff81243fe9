import type { Clock, Random, TimerHandle } from '@msg/foundation/clock';
import type { Publication } from '@msg/protocol';
import { type BrokerMessage, encodePublicationRecord } from '@msg/protocol/internal';
import type { StreamPosition } from '../contract.ts';
import { PEEK, type StoredStreams } from './stored-streams.ts';

type OrdinaryMessage = Extract<BrokerMessage, { kind: 'publication' }>;

/** The looks at all channels after a loss are spread over this time, milliseconds: before the checks of positions. */
const JITTER_MS = 500;
/** After a look that failed, milliseconds. */
const AGAIN_MS = 1000;
/** Whatever comes rises above it. */
const NOTHING: StreamPosition = { offset: 0, epoch: '' };
/** Messages that one channel holds back during a look. */
const MAX_HELD = 10_000;

export interface RewoundStreamsOptions {
  readonly streams: StoredStreams;
  readonly clock: Clock;
  readonly random: Random;
  /** Takes each message in the order of its channel. */
  readonly passOn: (channel: string, message: OrdinaryMessage) => void;
  /** The stream of a channel has lost publications that this node heard: its subscribers have to recover. */
  readonly rewound: (channel: string) => void;
  readonly onError: (error: unknown) => void;
}

/** The newest publication that this node heard in a channel. */
interface Newest {
  position: StreamPosition;
  publication: Publication;
  /** Messages may have been lost since then: the next one waits for a look. */
  isDoubted: boolean;
  /** No look before this monotonic time. */
  notBefore: number;
  /** What arrived during a look; null: nothing has to wait. */
  held: OrdinaryMessage[] | null;
}

/**
 * Finds streams that a fail-over of the store has rewound: it lost publications that this node heard, and gives their
 * offsets again. Such a stream gets a new epoch, so that no client recovers over the loss (client protocol 11.5).
 */
export class RewoundStreams {
  readonly #options: RewoundStreamsOptions;
  readonly #newest = new Map<string, Newest>();
  readonly #timers = new Set<TimerHandle>();

  constructor(options: RewoundStreamsOptions) {
    this.#options = options;
  }

  /** A message arrived; it is passed on at once unless the stream has to be looked at first. */
  arrived(channel: string, message: OrdinaryMessage): void {
    const { position, publication } = message;
    const newest = this.#newest.get(channel);
    if (newest !== undefined && newest.held !== null) {
      // More are not held: their subscribers find the gap.
      if (newest.held.length < MAX_HELD) newest.held.push(message);
      return;
    }
    if (position === null) {
      this.#options.passOn(channel, message);
      return;
    }
    if (newest === undefined)
      this.#newest.set(channel, { position, publication, isDoubted: false, notBefore: 0, held: null });
    else if (newest.isDoubted || isOdd(newest, message)) {
      if (this.#options.clock.monotonic() >= newest.notBefore) this.#look(channel, newest, [message]);
      else this.#options.passOn(channel, withoutBase(message)); // a look has failed
      return;
    } else {
      newest.position = position;
      newest.publication = publication;
    }
    this.#options.passOn(channel, message);
  }

  /** Messages of these channels may have been lost: their streams are looked at within the jitter, or at the next message. */
  doubt(channels: Iterable<string>): void {
    for (const channel of channels) {
      const newest = this.#newest.get(channel);
      if (newest === undefined) continue;
      newest.isDoubted = true;
      newest.notBefore = 0;
      this.#lookLater(channel, newest, JITTER_MS * this.#options.random.fraction());
    }
  }

  /** The node leaves a channel. */
  forget(channel: string): void {
    this.#newest.delete(channel);
  }

  stop(): void {
    for (const timer of this.#timers) this.#options.clock.clearTimeout(timer);
    this.#timers.clear();
    this.#newest.clear();
  }

  #lookLater(channel: string, newest: Newest, delayMs: number): void {
    const { clock } = this.#options;
    const timer = clock.setTimeout(() => {
      this.#timers.delete(timer);
      const isStill = this.#newest.get(channel) === newest && newest.isDoubted && newest.held === null;
      if (isStill) this.#look(channel, newest, []);
    }, delayMs);
    this.#timers.add(timer);
  }

  #look(channel: string, newest: Newest, held: OrdinaryMessage[]): void {
    const { onError, clock } = this.#options;
    newest.held = held;
    newest.isDoubted = false;
    this.#renewIfRewound(channel, newest)
      .catch((error: unknown) => {
        onError(error);
        newest.isDoubted = true;
        newest.notBefore = clock.monotonic() + AGAIN_MS;
        if (this.#newest.get(channel) === newest) this.#lookLater(channel, newest, AGAIN_MS);
      })
      .then(() => {
        newest.held = null;
        if (this.#newest.get(channel) === newest) this.#passHeld(channel, newest, held);
      })
      .catch(onError);
  }

  async #renewIfRewound(channel: string, newest: Newest): Promise<void> {
    if (!(await this.#isRewound(channel, newest))) return;
    try {
      await this.#options.streams.renew(channel, newest.position.epoch);
      newest.position = NOTHING;
    } finally {
      this.#options.rewound(channel);
    }
  }

  async #isRewound(channel: string, { position, publication }: Newest): Promise<boolean> {
    const { offset, epoch } = position;
    const filter = { since: { offset: offset - 1, epoch }, limit: 1, peek: true };
    const result = await this.#options.streams.read(channel, filter, PEEK);
    if (result === null || result.epoch !== epoch) return false;
    if (result.offset < offset) return true;
    const [entry] = result.publications;
    return entry?.offset === offset && !isSame(entry, publication);
  }

  /** What came during a look is newer than what was looked at, unless that is still in doubt. */
  #passHeld(channel: string, newest: Newest, held: readonly OrdinaryMessage[]): void {
    for (const message of held) {
      const { position, publication } = message;
      if (position !== null && !newest.isDoubted && rises(newest, position)) {
        newest.position = position;
        newest.publication = publication;
      }
      this.#options.passOn(channel, newest.isDoubted ? withoutBase(message) : message);
    }
  }
}

/**
 * While it is not known what the stream has lost, its offsets may be those of others: a subscriber may hold another
 * publication than the base, and gets this one whole.
 */
function withoutBase(message: OrdinaryMessage): OrdinaryMessage {
  return { ...message, previous: null };
}

function rises({ position: { offset, epoch } }: Newest, position: StreamPosition): boolean {
  return position.epoch !== epoch || position.offset > offset;
}

/** It does not rise above the newest one, or follows upon something else. */
function isOdd(newest: Newest, { position, previous }: OrdinaryMessage): boolean {
  if (position === null) return false;
  if (!rises(newest, position)) return true;
  const { offset, epoch } = newest.position;
  const isNext = position.epoch === epoch && position.offset === offset + 1;
  // Of a base its data is all that a patch needs, and cheap to compare.
  return (
    isNext && previous !== null && Buffer.compare(previous.data.bytes, newest.publication.data.bytes) !== 0
  );
}

function isSame(publication: Publication, other: Publication): boolean {
  return Buffer.compare(encodePublicationRecord(publication), encodePublicationRecord(other)) === 0;
}
