import type { BrokerMessage, StateMessage } from '@msg/protocol/internal';
import type { AppendedState, MirrorFigures } from '../../../append/contract.ts';
import { Mirror, type ReadMessage } from './mirror.ts';

type OrdinaryMessage = Extract<BrokerMessage, { kind: 'publication' }>;

/** Messages that one channel may hold back during a read. */
const MAX_HELD = 10_000;

/** What mirrors report. */
export interface MirrorEvents {
  appended(channel: string, state: AppendedState): void;
  ordinary(channel: string, message: OrdinaryMessage): void;
  /** States were missed: the subscribers have to recover. */
  missed(channel: string): void;
  /** A message is copied from now on, or no more. */
  copied(channel: string, message: string | null): void;
}

/** One channel with a copy, or with reads that may make one. */
interface MirroredChannel {
  mirror: Mirror | null;
  reads: number;
  /** What came while a message was read that is not copied yet; null: nothing had to wait. */
  held: (StateMessage | OrdinaryMessage)[] | null;
}

/**
 * The copies of open messages of the channels that a node delivers. One is made from the first state of a message or from a
 * read, and grows by events; one that misses a state is dropped, and the subscribers recover, which makes it again.
 */
export class Mirrors implements MirrorFigures {
  readonly #events: MirrorEvents;
  readonly #channels = new Map<string, MirroredChannel>();
  drops = 0;

  constructor(events: MirrorEvents) {
    this.#events = events;
  }

  get bytes(): number {
    let bytes = 0;
    for (const { mirror } of this.#channels.values()) bytes += mirror?.bytes ?? 0;
    return bytes;
  }

  /** Messages that are copied. */
  get count(): number {
    let count = 0;
    for (const { mirror } of this.#channels.values()) if (mirror !== null) count++;
    return count;
  }

  of(channel: string): Mirror | null {
    return this.#channels.get(channel)?.mirror ?? null;
  }

  /** A read of the whole message begins: what comes until its end may continue it. */
  beginRead(channel: string): void {
    const entry = this.#channels.get(channel);
    if (entry === undefined) this.#channels.set(channel, { mirror: null, reads: 1, held: null });
    else entry.reads++;
  }

  /** A read has ended, with the open message if it found one. */
  endRead(channel: string, read: ReadMessage | null): void {
    const entry = this.#channels.get(channel);
    if (entry === undefined) return;
    entry.reads--;
    const { mirror } = entry;
    if (read !== null && (mirror === null || (mirror.isDoubtful && isNewer(read, mirror)))) {
      entry.mirror = Mirror.ofRead(read);
      this.#events.copied(channel, read.message);
    } else if (read !== null && mirror?.holds(read.message, read.offset, read.top.epoch) === true)
      mirror.isDoubtful = false;
    const { held } = entry;
    entry.held = null;
    for (const message of held ?? []) this.#receive(channel, entry, message);
    this.#forgetEmpty(channel, entry);
  }

  /** A state came. */
  state(channel: string, state: StateMessage): void {
    const entry = this.#channels.get(channel) ?? { mirror: null, reads: 0, held: null };
    this.#channels.set(channel, entry);
    this.#receive(channel, entry, state);
    this.#forgetEmpty(channel, entry);
  }

  /** An ordinary publication came. */
  publication(channel: string, message: OrdinaryMessage): void {
    const entry = this.#channels.get(channel);
    if (entry === undefined) this.#events.ordinary(channel, message);
    else this.#receive(channel, entry, message);
  }

  /** Messages of these channels may have been lost. */
  doubt(channels: Iterable<string>): void {
    for (const channel of channels) {
      const mirror = this.of(channel);
      if (mirror !== null) mirror.isDoubtful = true;
    }
  }

  /** The node delivers the channel no more. */
  drop(channel: string): void {
    const entry = this.#channels.get(channel);
    if (entry === undefined) return;
    this.#channels.delete(channel);
    if (entry.mirror !== null) this.#events.copied(channel, null);
  }

  clear(): void {
    for (const channel of [...this.#channels.keys()]) this.drop(channel);
  }

  #receive(channel: string, entry: MirroredChannel, message: StateMessage | OrdinaryMessage): void {
    if (entry.held !== null && entry.held.length >= MAX_HELD) {
      entry.held = null;
      this.#miss(channel, entry);
    } else if (entry.held !== null) entry.held.push(message);
    else if (message.kind === 'publication') this.#ordinary(channel, entry, message);
    else if (message.opened) this.#opened(channel, entry, message);
    else this.#grown(channel, entry, message);
  }

  #ordinary(channel: string, entry: MirroredChannel, message: OrdinaryMessage): void {
    const { position } = message;
    if (position !== null && entry.mirror?.pass(position) === false) this.#miss(channel, entry);
    this.#events.ordinary(channel, message);
  }

  #opened(channel: string, entry: MirroredChannel, state: StateMessage): void {
    // Also when a read was faster than the event: those who wait for it get the states that follow.
    const mirror = Mirror.ofOpening(state);
    entry.mirror = state.ended ? null : mirror;
    this.#events.copied(channel, state.ended ? null : state.message);
    this.#events.appended(channel, mirror.opened(state));
  }

  #grown(channel: string, entry: MirroredChannel, state: StateMessage): void {
    const { mirror } = entry;
    if (mirror === null && entry.reads > 0) {
      entry.held = [state];
      return;
    }
    if (mirror?.knows(state) === true) return;
    const appended = mirror?.grow(state) ?? null;
    if (appended === null) this.#miss(channel, entry);
    else {
      if (state.ended) this.#end(channel, entry);
      this.#events.appended(channel, appended);
    }
  }

  #end(channel: string, entry: MirroredChannel): void {
    entry.mirror = null;
    this.#events.copied(channel, null);
  }

  #miss(channel: string, entry: MirroredChannel): void {
    if (entry.mirror !== null) {
      this.drops++;
      this.#end(channel, entry);
    }
    this.#events.missed(channel);
  }

  #forgetEmpty(channel: string, { mirror, reads }: MirroredChannel): void {
    if (mirror === null && reads === 0) this.#channels.delete(channel);
  }
}

function isNewer({ top }: ReadMessage, mirror: Mirror): boolean {
  return top.epoch !== mirror.top.epoch || top.offset > mirror.top.offset;
}
