import type { ClientInfo, Payload } from '@msg/protocol';
import type { AppendStore } from '../append/contract.ts';
import type {
  Broker,
  BrokerEvents,
  HistoryFilter,
  HistoryResult,
  PublishOptions,
  PublishResult,
  StreamOptions,
} from '../broker/contract.ts';
import type {
  BrokerOperation,
  Fault,
  FaultScope,
  OperationFaultScope,
  PauseControl,
  PublicationPause,
} from './fault.ts';
import { HeldPublications, Scope, WaitingCalls } from './fault-scope.ts';

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
    const calls = new WaitingCalls(scope.channel, scope.times ?? Number.POSITIVE_INFINITY);
    const turn = (): Promise<void> => new Promise(goOn => calls.enter(goOn));
    const late = scope.moment === 'after';
    this.#addRule({
      operation,
      scope: calls,
      around: call =>
        late ? () => call().then(result => turn().then(() => result)) : () => turn().then(call),
    });
    return calls;
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
      ...events,
      publication: (channel, ...publication) =>
        this.#arrive(channel, () => events.publication(channel, ...publication)),
      appended: (channel, state) => this.#arrive(channel, () => events.appended(channel, state)),
    });
  }

  /** A publication, or a state of an append stream, on its way to the node. */
  #arrive(channel: string, arrive: () => void): void {
    if (this.#lost.some(scope => scope.hit(channel))) {
      this.#dropped++;
      return;
    }
    const calls = this.#held.find(candidate => candidate.hit(channel));
    if (calls === undefined) arrive();
    else calls.enter(arrive);
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

  /** Append streams of the wrapped broker, if it has any. */
  get appends(): AppendStore | undefined {
    const inner = this.#inner.appends;
    if (inner === undefined) return undefined;
    return {
      append: (channel, ...request) =>
        this.#perform('append', channel, async () => inner.append(channel, ...request)),
      state: (channel, ...read) =>
        this.#perform('appendState', channel, async () => inner.state(channel, ...read)),
      cancel: (channel, ...request) =>
        this.#perform('cancelAppend', channel, async () => inner.cancel(channel, ...request)),
      claimOutcome: (channel, message) => inner.claimOutcome(channel, message),
      storeOutcome: (channel, message, outcome) => inner.storeOutcome(channel, message, outcome),
      watch: async channel => (await inner.watch?.(channel)) ?? (() => {}),
      get openMessages() {
        return inner.openMessages;
      },
    };
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

  renewEpoch(channel: string, seen: string): Promise<void> {
    return this.#perform('renewEpoch', channel, () => this.#inner.renewEpoch(channel, seen));
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
