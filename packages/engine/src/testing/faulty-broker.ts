import type { ClientInfo, Payload } from '@msg/protocol';
import type {
  Broker,
  BrokerEvents,
  HistoryFilter,
  HistoryResult,
  PublishOptions,
  PublishResult,
  StreamOptions,
} from '../broker/contract.ts';

/** A call of the broker that a fault can delay or fail. */
export type BrokerOperation =
  | 'subscribe'
  | 'unsubscribe'
  | 'publish'
  | 'publishJoin'
  | 'publishLeave'
  | 'history'
  | 'removeHistory'
  | 'removeStream';

/** The calls that a fault applies to. */
export interface FaultScope {
  /** Only this channel; default: every channel. */
  readonly channel?: string;
  /** How many calls, or publications, it hits before it ends. Each fault has its own default. */
  readonly times?: number;
}

/** A fault of one operation. */
export interface OperationFaultScope extends FaultScope {
  /**
   * `before` (default): the wrapped broker has not received the call yet. `after`: it has executed the call, and only the
   * answer is late or lost.
   */
  readonly moment?: 'before' | 'after';
}

/** An active fault. */
export interface Fault {
  /** How many calls, or publications, it has hit so far. */
  readonly hits: number;
  /** Ends the fault. Safe to call again. */
  end(): void;
}

/** A fault that holds calls or publications until the test releases them, in the order of arrival. */
export interface PauseControl extends Fault {
  /** How many wait at this moment. */
  readonly waiting: number;
  /** Releases the oldest `count` (default 1); the gate stays. */
  pass(count?: number): void;
  /** Releases all and ends the fault. Safe to call again. */
  open(): void;
}

/** A gate for publications on their way to the node. Its end releases all in order. */
export interface PublicationPause extends PauseControl {
  /** Drops the oldest `count` that wait (default 1). */
  drop(count?: number): void;
}

/** Counts the remaining hits of a fault. */
class Scope implements Fault {
  readonly #channel: string | undefined;
  #left: number;
  hits = 0;

  constructor(channel: string | undefined, times: number) {
    this.#channel = channel;
    this.#left = times;
  }

  get over(): boolean {
    return this.#left <= 0;
  }

  /** Whether the fault hits this channel; counts a hit. */
  hit(channel: string): boolean {
    if (this.over || (this.#channel !== undefined && this.#channel !== channel)) return false;
    this.#left--;
    this.hits++;
    return true;
  }

  end(): void {
    this.#left = 0;
  }
}

/** Calls that wait for the test, oldest first. */
class WaitingRoom extends Scope implements PauseControl {
  readonly #queue: (() => void)[] = [];
  #opened = false;

  get waiting(): number {
    return this.#queue.length;
  }

  enter(goOn: () => void): void {
    // A call may arrive here after the gate opened, because another fault held it first.
    if (this.#opened) goOn();
    else this.#queue.push(goOn);
  }

  pass(count = 1): void {
    for (let i = 0; i < count; i++) this.#queue.shift()?.();
  }

  open(): void {
    // Calls that the released ones cause queue up behind them.
    while (this.waiting > 0) this.pass();
    this.#opened = true;
    super.end();
  }

  /** Returns how many were removed. */
  remove(count: number): number {
    return this.#queue.splice(0, count).length;
  }
}

/** Publications that wait for the test, oldest first. */
class HeldPublications extends WaitingRoom implements PublicationPause {
  readonly #dropped: (count: number) => void;

  constructor(channel: string | undefined, dropped: (count: number) => void) {
    super(channel, Number.POSITIVE_INFINITY);
    this.#dropped = dropped;
  }

  drop(count = 1): void {
    this.#dropped(this.remove(count));
  }

  override end(): void {
    this.open();
  }
}

type Call<T> = () => Promise<T>;

/** A fault around the calls of one operation. */
interface OperationRule {
  readonly operation: BrokerOperation;
  readonly scope: Scope;
  around<T>(call: Call<T>): Call<T>;
}

/**
 * Wraps a broker and lets a test control its faults: calls that wait or fail, publications that arrive late or never, a
 * stream that loses its history or starts a new epoch. It uses no timers and no randomness. Without a fault it adds
 * nothing, not even a microtask.
 *
 * ```ts
 * const broker = new FaultyBroker(new MemoryBroker({ clock, random, wheel }));
 * const node = new RealtimeNode({ policy, broker });
 * const gate = broker.delay('history', { times: 1 });
 * // … a client subscribes; publications of this moment are buffered …
 * gate.open();
 * ```
 */
export class FaultyBroker implements Broker {
  readonly #inner: Broker;
  #rules: OperationRule[] = [];
  #lost: Scope[] = [];
  #held: HeldPublications[] = [];
  /** Publications that were dropped so far. */
  #dropped = 0;

  constructor(inner: Broker) {
    this.#inner = inner;
  }

  /** Publications that were dropped so far, by {@link dropPublications} or {@link PublicationPause.drop}. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Makes calls of one operation wait, by default all of them, until the gate opens. */
  delay(operation: BrokerOperation, scope: OperationFaultScope = {}): PauseControl {
    const room = new WaitingRoom(scope.channel, scope.times ?? Number.POSITIVE_INFINITY);
    const turn = (): Promise<void> => new Promise(goOn => room.enter(goOn));
    const late = scope.moment === 'after';
    this.#addRule({
      operation,
      scope: room,
      around: call =>
        late ? () => call().then(result => turn().then(() => result)) : () => turn().then(call),
    });
    return room;
  }

  /**
   * Makes calls of one operation reject with `error`; by default the next one. With `moment: 'after'` the call
   * has its effect all the same, as when a connection breaks before the answer.
   */
  fail(
    operation: BrokerOperation,
    scope: OperationFaultScope = {},
    error: Error = new Error('broker failed'),
  ): Fault {
    const counted = new Scope(scope.channel, scope.times ?? 1);
    const lost = scope.moment === 'after';
    const refuse = (): Promise<never> => Promise.reject(error);
    this.#addRule({
      operation,
      scope: counted,
      around: call => (lost ? () => call().then(refuse) : refuse),
    });
    return counted;
  }

  /** Holds publications, of one channel or of all, until the gate opens. Their order stays. */
  holdPublications(channel?: string): PublicationPause {
    const held = new HeldPublications(channel, count => {
      this.#dropped += count;
    });
    this.#held = [...this.#held.filter(({ over }) => !over), held];
    return held;
  }

  /** Drops publications on their way to the node, by default the next one. They stay in the history. */
  dropPublications(scope: FaultScope = {}): Fault {
    const counted = new Scope(scope.channel, scope.times ?? 1);
    this.#lost = [...this.#lost.filter(({ over }) => !over), counted];
    return counted;
  }

  /** Removes the stream, as a loss of data does: its next use starts a new epoch. Other faults do not apply. */
  changeEpoch(channel: string): Promise<void> {
    return this.#inner.removeStream(channel);
  }

  /** Removes retained publications; offset and epoch stay. Other faults do not apply. */
  trimHistory(channel: string): Promise<void> {
    return this.#inner.removeHistory(channel);
  }

  start(events: BrokerEvents): Promise<void> {
    return this.#inner.start({
      publication: (channel, ...publication) => {
        if (this.#lost.some(scope => scope.hit(channel))) {
          this.#dropped++;
          return;
        }
        const arrive = (): void => events.publication(channel, ...publication);
        const room = this.#held.find(candidate => candidate.hit(channel));
        if (room === undefined) arrive();
        else room.enter(arrive);
      },
      join: (channel, info) => events.join(channel, info),
      leave: (channel, info) => events.leave(channel, info),
    });
  }

  /** Stops the wrapped broker. Calls at a gate keep waiting. */
  stop(): Promise<void> {
    return this.#inner.stop();
  }

  subscribe(channel: string): Promise<void> {
    return this.#perform('subscribe', channel, () => this.#inner.subscribe(channel));
  }

  unsubscribe(channel: string): Promise<void> {
    return this.#perform('unsubscribe', channel, () => this.#inner.unsubscribe(channel));
  }

  publish(
    channel: string,
    data: Payload,
    stream: StreamOptions,
    options: PublishOptions,
  ): Promise<PublishResult> {
    return this.#perform('publish', channel, async () => this.#inner.publish(channel, data, stream, options));
  }

  publishJoin(channel: string, info: ClientInfo): Promise<void> {
    return this.#perform('publishJoin', channel, () => this.#inner.publishJoin(channel, info));
  }

  publishLeave(channel: string, info: ClientInfo): Promise<void> {
    return this.#perform('publishLeave', channel, () => this.#inner.publishLeave(channel, info));
  }

  history(channel: string, filter: HistoryFilter, metaTtlMs: number): Promise<HistoryResult> {
    return this.#perform('history', channel, () => this.#inner.history(channel, filter, metaTtlMs));
  }

  removeHistory(channel: string): Promise<void> {
    return this.#perform('removeHistory', channel, () => this.#inner.removeHistory(channel));
  }

  removeStream(channel: string): Promise<void> {
    return this.#perform('removeStream', channel, () => this.#inner.removeStream(channel));
  }

  #addRule(rule: OperationRule): void {
    this.#rules = [...this.#rules.filter(({ scope }) => !scope.over), rule];
  }

  /** The call with every fault that hits it, the one switched on first outermost. */
  #perform<T>(operation: BrokerOperation, channel: string, call: Call<T>): Promise<T> {
    const hitting = this.#rules.filter(rule => rule.operation === operation && rule.scope.hit(channel));
    return hitting.reduceRight<Call<T>>((inner, rule) => rule.around(inner), call)();
  }
}
