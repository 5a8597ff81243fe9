import type { Clock, TimerHandle } from '@msg/foundation/clock';
import type { AppendedState } from '../append/contract.ts';
import type { DocumentState } from '../append/document-state.ts';
import { fullWindowOf } from '../append/windows.ts';
import type { EncodedPublication, StateHolder, StateReceiver } from './encoded-push.ts';
import { EncodedState } from './encoded-state.ts';
import type { ChannelReaders, HubChannel } from './hub-channel.ts';

/** While more bytes wait for a connection, it gets no further state. */
const LAG_BYTES = 65_536;
/** How often a lagging connection is looked at, milliseconds. */
const LAG_MS = 250;

/** How many states receivers got in which form. */
export interface StateCounts {
  statePatches: number;
  stateCatchUps: number;
  statesInFull: number;
  statesRolledUp: number;
}

/**
 * Delivers the states of the message that grows in one channel (append streams 8.3). A subscriber that holds the state
 * before gets the patch at once. Every other is due: one without patches, or without a base, gets the newest state in full
 * at most once per window; one that lags gets a single patch from the state that it holds, when it has caught up. All who are
 * due are served before any other publication, and the last state is not held back.
 */
export class StateReaders implements ChannelReaders, StateHolder {
  readonly #channel: HubChannel;
  readonly #clock: Clock;
  readonly #counts: StateCounts;
  /** Who has not got the newest state, with the state that they hold; null: they need it in full. */
  readonly #due = new Map<StateReceiver, DocumentState | null>();
  /** Those among them that miss more than one state. */
  readonly #behind = new Set<StateReceiver>();
  #newest: AppendedState | null = null;
  /** The state that is being delivered, and whether it may go to the subscriber of this moment. */
  #current: EncodedState | null = null;
  #isOffered = false;
  /** Those who got it as a patch at once. */
  #patched = 0;
  /** The newest state as a patch against older ones. */
  readonly #catchUps = new Map<DocumentState, EncodedState>();
  #fullWindowMs = 0;
  /** Monotonic time of the newest document in full. */
  #fullAt = Number.NEGATIVE_INFINITY;
  #timer: TimerHandle | null = null;

  constructor(channel: HubChannel, clock: Clock, counts: StateCounts) {
    this.#channel = channel;
    this.#clock = clock;
    this.#counts = counts;
  }

  deliver(state: AppendedState, fullWindowMs: number | undefined): void {
    // The last state of another message goes first.
    if (state.opened) this.serveAll();
    const channel = this.#channel;
    const encoded = new EncodedState(channel, state, state.previous, this);
    this.#current = encoded;
    channel.state = state.ended ? null : encoded;
    channel.behindSubscriber = false;
    this.#newest = state;
    this.#catchUps.clear();
    this.#fullWindowMs = fullWindowOf(fullWindowMs, state.document.size);
    this.#patched = 0;
    const { subscribers } = channel;
    // A hook that is notified of an end may end other subscriptions: the list can shrink during the walk.
    for (let i = subscribers.length - 1; i >= 0; i--) {
      const subscriber = subscribers[i];
      if (subscriber === undefined) continue;
      this.#isOffered = false;
      subscriber.deliver(encoded);
      // It is filtered out, or ended, or gets the state with its reply.
      if (!this.#isOffered) this.#forget(subscriber);
    }
    this.#current = null;
    this.#counts.statePatches += this.#patched;
    if (!channel.behindSubscriber) channel.verifiedAt = this.#clock.monotonic();
    if (this.#due.size > 0) this.#serve(state.opened || state.ended, false);
  }

  serveAll(): void {
    if (this.#due.size > 0) this.#serve(true, true);
  }

  stop(): void {
    this.#due.clear();
    this.#behind.clear();
    if (this.#timer !== null) this.#clock.clearTimeout(this.#timer);
    this.#timer = null;
  }

  /** Keeps a subscriber in mind that does not get the state of this moment as a patch. */
  holds(subscriber: StateReceiver, encoded: EncodedPublication): boolean {
    // One that was buffered during a subscribe is like any other publication.
    if (encoded !== this.#current) return false;
    this.#isOffered = true;
    const holdsPrevious = subscriber.deltaNegotiated && subscriber.deltaReady && encoded.patchable;
    if (holdsPrevious && !subscriber.lags(LAG_BYTES)) {
      this.#patched++;
      return false;
    }
    // What it holds is no longer the publication at its position.
    subscriber.deltaReady = false;
    if (holdsPrevious) this.#due.set(subscriber, this.#newest?.previous ?? null);
    else if (this.#due.has(subscriber)) this.#behind.add(subscriber);
    else this.#due.set(subscriber, null);
    return true;
  }

  /** Serves those whose time has come with the newest state: in full with `full`, however much waits for them with `lagging`. */
  #serve(full: boolean, lagging: boolean): void {
    const now = this.#clock.monotonic();
    const mayGetFull = full || now >= this.#fullAt + this.#fullWindowMs;
    for (const [subscriber, base] of this.#due) {
      if (!subscriber.live) this.#forget(subscriber);
      else if ((base !== null || mayGetFull) && (lagging || !subscriber.lags(LAG_BYTES))) {
        this.#count(base, this.#behind.has(subscriber));
        this.#forget(subscriber);
        this.#push(subscriber, base);
        if (base === null) this.#fullAt = now;
      }
    }
    if (this.#due.size > 0) this.#arm(now);
    else this.#catchUps.clear();
  }

  #forget(subscriber: StateReceiver): void {
    this.#due.delete(subscriber);
    this.#behind.delete(subscriber);
  }

  #count(base: DocumentState | null, isBehind: boolean): void {
    if (base !== null) this.#counts.stateCatchUps++;
    else if (isBehind) this.#counts.statesRolledUp++;
    else this.#counts.statesInFull++;
  }

  #push(subscriber: StateReceiver, base: DocumentState | null): void {
    subscriber.deltaReady = base !== null;
    subscriber.push(this.#encodedFor(base));
  }

  /** The newest state for who holds `base`, encoded once for all of them. */
  #encodedFor(base: DocumentState | null): EncodedState {
    const newest = this.#newest as AppendedState;
    const { state } = this.#channel;
    if (base === null && state instanceof EncodedState && state.document === newest.document) return state;
    const key = base ?? newest.document;
    const encoded = this.#catchUps.get(key) ?? new EncodedState(this.#channel, newest, base);
    this.#catchUps.set(key, encoded);
    return encoded;
  }

  /** Looks again when the next one in full is due, or a lagging one may have caught up. */
  #arm(now: number): void {
    if (this.#timer !== null) return;
    const wait = Math.max(this.#fullAt + this.#fullWindowMs - now, 0);
    const hasLagging = wait === 0 || [...this.#due.values()].some(base => base !== null);
    const delay = wait === 0 ? LAG_MS : hasLagging ? Math.min(wait, LAG_MS) : wait;
    this.#timer = this.#clock.setTimeout(() => {
      this.#timer = null;
      this.#serve(this.#newest?.ended === true, false);
    }, delay);
  }
}
