import type { ClientInfo, Publication } from '@msg/protocol';
import type { AppendedState } from '../../append/contract.ts';
import { BodyWriter } from '../../threads/link/body.ts';
import { LONGEST_INLINE, sharedBody } from '../../threads/link/parcels.ts';
import type { BrokerEvents, StreamPosition } from '../contract.ts';
import { appendedFlags, writeAppended } from './appended-body.ts';
import type { BrokerThread } from './broker-thread.ts';
import type { Interest } from './interest.ts';
import type { Interests } from './interests.ts';
import { BrokerKind } from './kinds.ts';
import { DELTA, KNOWN_PREVIOUS, PREVIOUS, REMEMBER, VOLATILE, writePublication } from './publication-body.ts';

type Threads = readonly (BrokerThread | undefined)[];

/** The events of a broker, for main's own node and for each thread with interest in their channel (threads 4). */
export function fanOut(events: BrokerEvents, interests: Interests, threads: Threads): BrokerEvents {
  const publications = new PublicationFanOut(threads);
  const changed = (channel: string): void => {
    const { watching = 0 } = interests.get(channel) ?? {};
    for (const thread of among(threads, watching)) thread.name(BrokerKind.appendChanged, channel);
  };
  const announce = (kind: 'join' | 'leave', channel: string, info: ClientInfo): void => {
    events[kind](channel, info);
    for (const thread of among(threads, interests.get(channel)?.mask ?? 0))
      thread.announce(kind, channel, info);
  };
  return {
    publication: (channel, publication, position, delta, previous, isVolatile) => {
      events.publication(channel, publication, position, delta, previous, isVolatile);
      const interest = interests.get(channel);
      if (interest !== undefined && interest.mask !== 0)
        publications.send(interest, { channel, publication, position, delta, previous, isVolatile });
    },
    appended: (channel, state) => {
      events.appended(channel, state);
      const interest = interests.get(channel);
      if (interest !== undefined && interest.mask !== 0) publications.sendState(interest, channel, state);
    },
    flushed: (channel, end) => {
      events.flushed?.(channel, end);
      if (end !== null) changed(channel);
    },
    appendChanged: channel => {
      events.appendChanged?.(channel);
      changed(channel);
    },
    missed: channel => {
      events.missed?.(channel);
      const { mask = 0 } = interests.get(channel) ?? {};
      for (const thread of among(threads, mask)) thread.name(BrokerKind.missed, channel);
    },
    join: (channel, info) => announce('join', channel, info),
    leave: (channel, info) => announce('leave', channel, info),
    restored: channels => {
      const names = channels === undefined ? undefined : [...channels];
      events.restored?.(names);
      for (const thread of threads) thread?.gap(names);
    },
  };
}

interface HandedOn {
  readonly channel: string;
  readonly publication: Publication;
  readonly position: StreamPosition;
  readonly delta: boolean;
  readonly previous: Publication | null;
  readonly isVolatile: boolean;
}

/** Sends publications and states to threads: written once, with what came before only where a thread does not have it. */
class PublicationFanOut {
  readonly #threads: Threads;
  readonly #short = new BodyWriter();
  readonly #long = new BodyWriter();

  constructor(threads: Threads) {
    this.#threads = threads;
  }

  send(interest: Interest, sent: HandedOn): void {
    const { channel, position, delta, previous, isVolatile } = sent;
    const remembers = interest.isDelta(delta) && position.offset > 0;
    const knowing = previous === null ? interest.mask : interest.knowing(position);
    const flags = (delta ? DELTA : 0) | (isVolatile ? VOLATILE : 0) | (remembers ? REMEMBER : 0);
    const knownFlags = previous === null ? flags : flags | KNOWN_PREVIOUS;
    let [short, long]: (Uint8Array | null)[] = [null, null];
    let reached = 0;
    for (let rest = interest.mask; rest !== 0; rest &= rest - 1) {
      const bit = rest & -rest;
      const isKnown = (knowing & bit) !== 0;
      if (isKnown) short ??= ready(writePublication(this.#short.begin(), { ...sent, previous: null }).body);
      else long ??= ready(writePublication(this.#long.begin(), sent).body);
      const body = (isKnown ? short : long) as Uint8Array;
      if (this.#post(bit, BrokerKind.publication, channel, body, isKnown ? knownFlags : flags | PREVIOUS))
        reached |= bit;
    }
    if (position.offset > 0) interest.setKnown(position, remembers ? reached : 0);
  }

  sendState(interest: Interest, channel: string, state: AppendedState): void {
    const knowing = state.previous === null ? 0 : interest.knowing(state.position);
    let [short, long]: (Uint8Array | null)[] = [null, null];
    let reached = 0;
    for (let rest = interest.mask; rest !== 0; rest &= rest - 1) {
      const bit = rest & -rest;
      const isKnown = (knowing & bit) !== 0;
      if (isKnown) short ??= ready(writeAppended(this.#short.begin(), channel, state, true).body);
      else long ??= ready(writeAppended(this.#long.begin(), channel, state, false).body);
      const body = (isKnown ? short : long) as Uint8Array;
      if (this.#post(bit, BrokerKind.appended, channel, body, appendedFlags(state, isKnown))) reached |= bit;
    }
    interest.setKnown(state.position, reached);
  }

  #post(bit: number, kind: number, channel: string, body: Uint8Array, flags: number): boolean {
    const thread = this.#threads[31 - Math.clz32(bit)];
    return thread?.post(kind, channel, body, flags, 'publications') === true;
  }
}

/** A body that several links may take: a long one is copied into shared memory once. */
function ready(body: Uint8Array): Uint8Array {
  return body.length > LONGEST_INLINE ? sharedBody(body) : body;
}

/** The threads of a mask. */
export function* among(threads: Threads, mask: number): Iterable<BrokerThread> {
  for (let rest = mask; rest !== 0; rest &= rest - 1) {
    const thread = threads[31 - Math.clz32(rest & -rest)];
    if (thread !== undefined) yield thread;
  }
}
