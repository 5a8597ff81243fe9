import { Payload } from '@msg/protocol';
import type {
  Broker,
  HistoryFilter,
  HistoryResult,
  PublishOptions,
  PublishResult,
  StreamOptions,
} from './broker/contract.ts';
import { DEFAULT_META_TTL_MS } from './broker/contract.ts';
import { MemoryBroker } from './broker/memory.ts';
import { type Clock, systemClock, type TimerHandle } from './clock/clock.ts';
import { type Random, systemRandom } from './clock/random.ts';
import { TimerWheel } from './clock/timer-wheel.ts';
import type { Unsubscribe } from './errors.ts';
import { Hub } from './hub.ts';
import { DEFAULT_LIMITS, type Limits } from './limits.ts';
import type { Client, Policy } from './policy.ts';
import type { NodeContext } from './session/context.ts';
import { Flusher } from './session/flusher.ts';
import { Session, SHUTDOWN } from './session/session.ts';
import { Sessions } from './sessions.ts';
import { type NodeStats, newStats } from './stats.ts';
import type { Transport, TransportEvents } from './transports/contract.ts';

export interface NodeOptions {
  readonly policy: Policy;
  /** Reported to clients in the connect result. Default `dev`. */
  readonly version?: string;
  /** Id of this node; default a random UUID. */
  readonly nodeId?: string;
  readonly limits?: Partial<Limits>;
  /** Wait this long for more messages before a socket is written to; 0, the default: until the end of the turn. */
  readonly writeDelayMs?: number;
  readonly clock?: Clock;
  readonly random?: Random;
  /** Default: streams in the memory of this process. */
  readonly broker?: Broker;
  /** Failures of hooks and backends that a client only sees as error 100. Default: ignored. */
  readonly onError?: (error: unknown) => void;
}

const NO_STREAM: StreamOptions = { size: 0, ttlMs: 0 };

/**
 * A Centrifuge-protocol server node. Transports hand it connections; it executes their commands as the policy
 * decides and delivers what is published.
 */
export class RealtimeNode {
  readonly id: string;
  readonly limits: Limits;
  readonly #policy: Policy;
  readonly #clock: Clock;
  readonly #wheel: TimerWheel;
  readonly #broker: Broker;
  readonly #hub: Hub;
  readonly #sessions: Sessions;
  readonly #stats: NodeStats = newStats();
  readonly #context: NodeContext;
  #phase: 'new' | 'running' | 'draining' | 'stopped' = 'new';

  constructor(options: NodeOptions) {
    const random = options.random ?? systemRandom;
    this.#policy = options.policy;
    this.#clock = options.clock ?? systemClock;
    this.id = options.nodeId ?? random.uuid();
    this.limits = { ...DEFAULT_LIMITS, ...options.limits };
    this.#wheel = new TimerWheel(this.#clock);
    this.#broker = options.broker ?? new MemoryBroker({ clock: this.#clock, random, wheel: this.#wheel });
    this.#hub = new Hub(this.#broker);
    this.#sessions = new Sessions(this.limits.connectionsPerUser);
    const delay = options.writeDelayMs ?? 0;
    this.#context = {
      nodeId: this.id,
      version: options.version ?? 'dev',
      policy: options.policy,
      hub: this.#hub,
      broker: this.#broker,
      clock: this.#clock,
      random,
      wheel: this.#wheel,
      limits: this.limits,
      outbox: {
        flusher: new Flusher(delay === 0 ? null : run => this.#clock.setTimeout(run, delay)),
        wheel: this.#wheel,
        stats: this.#stats,
        limitBytes: this.limits.queueBytes,
        stallMs: this.limits.writeStallMs,
      },
      stats: this.#stats,
      sessions: this.#sessions,
      reportError: options.onError ?? (() => {}),
    };
  }

  /** True while new connections are taken. */
  get accepting(): boolean {
    return this.#phase === 'running';
  }

  /** Connects the broker. Publishing is safe once this resolves. */
  async start(): Promise<void> {
    if (this.#phase !== 'new') throw new Error('a node starts once');
    const hub = this.#hub;
    await this.#broker.start({
      publication: (channel, publication, position, delta, previous) =>
        hub.broadcast(channel, publication, position, delta, previous, this.#clock.now()),
      join: (channel, info) => hub.broadcastJoinLeave(channel, 'join', info),
      leave: (channel, info) => hub.broadcastJoinLeave(channel, 'leave', info),
    });
    this.#phase = 'running';
  }

  /** Takes over a connection; the transport reports to what this returns. */
  open(transport: Transport): TransportEvents {
    return new Session(this.#context, transport);
  }

  /**
   * Publishes into a channel. `data` is opaque; it must not be changed afterwards. Without explicit stream
   * options those of `policy.streamOptions` apply. Rejects when the broker does: the outcome is then unknown.
   */
  publish(channel: string, data: Uint8Array | Payload, options: PublishOptions = {}): Promise<PublishResult> {
    const stream = options.stream ?? this.#streamOptions(channel);
    return this.#broker.publish(channel, Payload.of(data), stream, options);
  }

  /** Reads the stream of a channel; an absent one is created. */
  history(channel: string, filter: HistoryFilter): Promise<HistoryResult> {
    const { metaTtlMs } = this.#streamOptions(channel);
    return this.#broker.history(channel, filter, metaTtlMs ?? DEFAULT_META_TTL_MS);
  }

  /** Drops retained publications; offsets go on. */
  removeHistory(channel: string): Promise<void> {
    return this.#broker.removeHistory(channel);
  }

  /** Drops the stream altogether: its next use starts a new epoch, and old positions do not recover. */
  removeStream(channel: string): Promise<void> {
    return this.#broker.removeStream(channel);
  }

  /** Live subscriptions of a channel on this node. */
  subscriberCount(channel: string): number {
    return this.#hub.subscriberCount(channel);
  }

  /** Connections of this node, connected ones only. */
  *clients(): Iterable<Client> {
    for (const session of this.#sessions) if (session.phase === 'connected') yield session;
  }

  /** Ends every subscription of a channel; those still being set up end right after their reply. */
  async unsubscribeAll(channel: string, { code, reason }: Unsubscribe): Promise<void> {
    const subscribers = this.#hub.channel(channel)?.subscribers ?? [];
    for (const subscription of [...subscribers]) subscription.session.unsubscribe(channel, code, reason);
  }

  /** A copy of the counters, with the gauges of this moment. */
  stats(): NodeStats {
    return {
      ...this.#stats,
      connections: this.#sessions.openCount,
      subscriptions: this.#hub.subscriptionCount,
      channels: this.#hub.channelCount,
    };
  }

  /**
   * Takes no more connections, tells every client to reconnect elsewhere (3001), waits at most `graceMs`
   * (default 5000) for them to go, and stops. Safe to call again.
   */
  async shutdown({ graceMs = 5000 }: { graceMs?: number } = {}): Promise<void> {
    if (this.#phase === 'draining' || this.#phase === 'stopped') return;
    this.#phase = 'draining';
    await this.#drain(graceMs);
    await this.#broker.stop();
    this.#wheel.stop();
    this.#phase = 'stopped';
  }

  async #drain(graceMs: number): Promise<void> {
    let closed = 0;
    for (const session of [...this.#sessions]) {
      session.close(SHUTDOWN);
      if (++closed % this.limits.shutdownConcurrency === 0)
        await new Promise(resolve => setImmediate(resolve));
    }
    let timeout: TimerHandle | undefined;
    const grace = new Promise<void>(resolve => {
      timeout = this.#clock.setTimeout(resolve, graceMs);
    });
    await Promise.race([this.#sessions.empty(), grace]);
    if (timeout !== undefined) this.#clock.clearTimeout(timeout);
    for (const session of [...this.#sessions]) session.drop();
  }

  #streamOptions(channel: string): StreamOptions {
    return this.#policy.streamOptions?.(channel) ?? NO_STREAM;
  }
}
