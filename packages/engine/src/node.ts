import {
  assertClock,
  type Clock,
  type Random,
  systemClock,
  systemRandom,
  type TimerHandle,
} from '@msg/foundation/clock';
import type { MaybePromise } from '@msg/foundation/promises';
import { type EmulationRequest, Payload } from '@msg/protocol';
import {
  type Broker,
  DEFAULT_META_TTL_MS,
  type HistoryFilter,
  type HistoryResult,
  type PublishOptions,
  type PublishResult,
  type StreamOptions,
  type StreamPosition,
} from './broker/contract.ts';
import { MemoryBroker } from './broker/memory.ts';
import type { ConnectionSelector, Control, ControlCommand, SurveyAnswer } from './control/contract.ts';
import { executeLocally } from './control/executor.ts';
import { LocalControl } from './control/local.ts';
import { Hub } from './delivery/hub.ts';
import { PositionChecker } from './delivery/position-check.ts';
import { EMULATION_SURVEY, Emulation, type EmulationOutcome } from './emulation.ts';
import type { Unsubscribe } from './errors.ts';
import { DEFAULT_LIMITS, type Limits } from './limits.ts';
import type { Client, Expiry, Policy, SubscribeDecision } from './policy.ts';
import type { Presence } from './presence/contract.ts';
import { MemoryPresence } from './presence/memory.ts';
import { EncodedStreams } from './replies/encoded-streams.ts';
import { COMMANDS } from './session/commands/table.ts';
import { Flusher } from './session/flusher.ts';
import { SessionRegistry } from './session/registry.ts';
import { ReplyTurns } from './session/reply-turns.ts';
import { Session, type SessionContext, SHUTDOWN } from './session/session.ts';
import { type NodeStats, newStats } from './stats.ts';
import { TimerWheel } from './timers/timer-wheel.ts';
import type { Transport, TransportEvents } from './transports/contract.ts';
import { RequestBodies } from './transports/http/body.ts';
import { InProcessConnection, type InProcessOptions } from './transports/in-process.ts';

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
  /** Where streams live. Default: in the memory of this process. */
  readonly broker?: Broker;
  /** Who is subscribed to what, over all nodes. Default: in the memory of this process. */
  readonly presence?: Presence;
  /** Messages between nodes. Default: this node is alone. */
  readonly control?: Control;
  /** Answers surveys of this application's own operations, on any node. */
  readonly survey?: (operation: string, data: Uint8Array) => Promise<SurveyAnswer>;
  /**
   * Called once when a body parser of a web framework had read a request before the node's transports: its value is
   * written back as JSON, and forms of numbers may change. Default: ignored.
   */
  readonly onBodyRewritten?: () => void;
  /** Failures of hooks and backends that a client only sees as error 100. Default: ignored. */
  readonly onError?: (error: unknown) => void;
}

const NO_STREAM: StreamOptions = { size: 0, ttlMs: 0 };
/** Answer to a survey that this node does not know. */
const UNKNOWN_SURVEY: SurveyAnswer = { code: 404, data: new Uint8Array(0) };

/**
 * A Centrifuge-protocol server node. Transports hand it connections; it executes their commands as the policy
 * decides and delivers what is published.
 */
export class RealtimeNode {
  readonly id: string;
  readonly limits: Limits;
  /** Who is subscribed to what. */
  readonly presence: Presence;
  /** Reads the bodies of HTTP requests; those of the embedder's own routes may share its budget. */
  readonly bodies: RequestBodies;
  readonly #policy: Policy;
  readonly #clock: Clock;
  readonly #wheel: TimerWheel;
  readonly #broker: Broker;
  readonly #control: Control;
  readonly #hub: Hub;
  readonly #sessions: SessionRegistry<Session>;
  readonly #emulation: Emulation;
  readonly #stats: NodeStats = newStats();
  readonly #context: SessionContext;
  readonly #survey: NonNullable<NodeOptions['survey']>;
  /** Work of closed connections that is still under way. */
  readonly #background = new Set<Promise<void>>();
  #phase: 'new' | 'running' | 'leaving' | 'draining' | 'stopped' = 'new';

  constructor(options: NodeOptions) {
    const random = options.random ?? systemRandom;
    const reportError = options.onError ?? (() => {});
    this.#policy = options.policy;
    this.#clock = options.clock ?? systemClock;
    assertClock(this.#clock);
    this.id = options.nodeId ?? random.uuid();
    this.limits = { ...DEFAULT_LIMITS, ...options.limits };
    this.#wheel = new TimerWheel(this.#clock);
    this.bodies = new RequestBodies({
      clock: this.#clock,
      wheel: this.#wheel,
      bytes: this.limits.bodyBytes,
      timeoutMs: this.limits.bodyMs,
      onRewritten: options.onBodyRewritten ?? (() => {}),
    });
    this.#broker = options.broker ?? new MemoryBroker({ clock: this.#clock, random, wheel: this.#wheel });
    this.presence = options.presence ?? new MemoryPresence();
    this.#control = options.control ?? new LocalControl();
    this.#survey = options.survey ?? (() => Promise.resolve(UNKNOWN_SURVEY));
    this.#hub = new Hub(this.#broker);
    this.#sessions = new SessionRegistry<Session>(this.limits.connectionsPerUser);
    this.#emulation = new Emulation(this.id, this.#control, secret => this.#sessions.emulated(secret));
    const shared = {
      policy: options.policy,
      hub: this.#hub,
      broker: this.#broker,
      clock: this.#clock,
      limits: this.limits,
      reportError,
    };
    this.#context = {
      ...shared,
      forwardPublish: ({ channel, payload, info }, publishOptions) =>
        this.publish(
          channel,
          payload,
          publishOptions.info === undefined ? { ...publishOptions, info } : publishOptions,
        ),
      nodeId: this.id,
      version: options.version ?? 'dev',
      presence: this.presence,
      positions: new PositionChecker(shared),
      random,
      wheel: this.#wheel,
      writeQueue: {
        flusher: new Flusher(this.#clock, options.writeDelayMs ?? 0),
        replyTurns: new ReplyTurns(this.#clock),
        wheel: this.#wheel,
        stats: this.#stats,
        limitBytes: this.limits.queueBytes,
        stallMs: this.limits.writeStallMs,
      },
      encodedStreams: new EncodedStreams(this.limits.replyBytes),
      stats: this.#stats,
      sessions: this.#sessions,
      commands: COMMANDS,
      inBackground: work => this.#inBackground(work),
    };
  }

  /** The source of time and of turns for what belongs to this node. */
  get clock(): Clock {
    return this.#clock;
  }

  /** True while new connections are taken. */
  get accepting(): boolean {
    return this.#phase === 'running';
  }

  /** True while publishing is safe: from the start until the last connections are told to go. */
  get operational(): boolean {
    return this.#phase === 'running' || this.#phase === 'leaving';
  }

  /** Connects the backends. Publishing is safe once this resolves. */
  async start(): Promise<void> {
    if (this.#phase !== 'new') throw new Error('a node starts once');
    const hub = this.#hub;
    await this.#broker.start({
      publication: (channel, publication, position, delta, previous) =>
        hub.broadcast(channel, publication, position, delta, previous, this.#clock.monotonic()),
      join: (channel, info) => hub.broadcastJoinLeave(channel, 'join', info),
      leave: (channel, info) => hub.broadcastJoinLeave(channel, 'leave', info),
      restored: names => {
        const { positions, random } = this.#context;
        for (const channel of hub.entries(names)) positions.checkSoon(channel, random.fraction());
      },
    });
    await this.presence.start();
    await this.#control.start(this.id, {
      version: this.#context.version,
      execute: command => this.#inBackground(executeLocally(this.#hub, this.#sessions, command)),
      survey: async (operation, data) =>
        operation === EMULATION_SURVEY ? this.#emulation.answer(data) : this.#survey(operation, data),
    });
    this.#phase = 'running';
  }

  /** Takes over a connection; the transport reports to what this returns. */
  open(transport: Transport): TransportEvents {
    return new Session(this.#context, transport);
  }

  /** Takes a request of the emulation endpoint: commands of a client whose stream is held by this node or another. */
  emulate(request: EmulationRequest): Promise<EmulationOutcome> {
    return this.#emulation.deliver(request);
  }

  /**
   * Opens a connection inside this process: it takes the same way as every other, through the policy and a bounded
   * write queue, only without a socket. Rejects as the policy refuses.
   */
  connect(options: InProcessOptions): Promise<InProcessConnection> {
    return InProcessConnection.open(this, options, this.#clock);
  }

  /**
   * Publishes into a channel. `data` is opaque; it must not be changed afterwards. Without explicit stream options those
   * of `policy.streamOptions` apply. What a broker in this process has to say is answered, or thrown, at once; any other
   * answers a promise. A failure leaves the outcome unknown.
   */
  publish(
    channel: string,
    data: Uint8Array | Payload,
    options: PublishOptions = {},
  ): MaybePromise<PublishResult> {
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

  /** Channels that clients of this node are subscribed to. */
  channels(): Iterable<string> {
    return this.#hub.channels();
  }

  /** Connected clients of this node. */
  *clients(): Iterable<Client> {
    for (const session of this.#sessions) if (session.connection.phase === 'connected') yield session.client;
  }

  /** Ends a channel's subscriptions of the targeted connections, on every node. */
  unsubscribe(target: ConnectionSelector, channel: string, unsubscribe: Unsubscribe): Promise<void> {
    return this.#everywhere({ kind: 'unsubscribe', target, channel, unsubscribe });
  }

  /**
   * Ends every subscription of a channel, on every node; one whose subscribe is under way ends right after its
   * reply.
   */
  unsubscribeAll(channel: string, unsubscribe: Unsubscribe): Promise<void> {
    return this.unsubscribe({ allUsers: true }, channel, unsubscribe);
  }

  /** As {@link unsubscribeAll}, on this node only: what the other nodes have to do they learn elsewhere. */
  unsubscribeHere(channel: string, unsubscribe: Unsubscribe): Promise<void> {
    const target = { allUsers: true };
    return executeLocally(this.#hub, this.#sessions, { kind: 'unsubscribe', target, channel, unsubscribe });
  }

  /** Ends the targeted connections, on every node, but those whose id is in `except`. */
  disconnect(
    target: ConnectionSelector,
    { code, reason }: { readonly code: number; readonly reason: string },
    except: readonly string[] = [],
  ): Promise<void> {
    return this.#everywhere({ kind: 'disconnect', target, code, reason, except });
  }

  /**
   * Gives the targeted connections a server-side subscription, on every node. With `since`, what was published
   * after it follows. Rejects with `ReplyError` 105 when a connection of this node is subscribed already.
   */
  subscribe(
    target: ConnectionSelector,
    channel: string,
    decision: SubscribeDecision,
    since: StreamPosition | null = null,
  ): Promise<void> {
    return this.#everywhere({ kind: 'subscribe', target, channel, decision, since });
  }

  /** Replaces expiry, and info when given, of the targeted connections, on every node. */
  refresh(target: ConnectionSelector, expiry: Expiry | null, info: Uint8Array | null = null): Promise<void> {
    return this.#everywhere({ kind: 'refresh', target, expiry, info });
  }

  /** Ids of the live nodes, this one included. */
  nodes(): readonly string[] {
    return this.#control.nodes();
  }

  /** Asks one node, or all, an operation of the application. Answers by node id. */
  survey(operation: string, data: Uint8Array, toNode?: string): Promise<ReadonlyMap<string, SurveyAnswer>> {
    return this.#control.survey(operation, data, toNode);
  }

  /** A copy of the counters, with the gauges of this moment. */
  stats(): NodeStats {
    let queueBytes = 0;
    for (const session of this.#sessions) queueBytes += session.waitingBytes;
    return {
      ...this.#stats,
      queueBytes,
      sharedReplyBytes: this.#context.encodedStreams.bytes,
      connections: this.#sessions.openCount,
      subscriptions: this.#hub.subscriptionCount,
      channels: this.#hub.channelCount,
      timers: this.#wheel.size,
    };
  }

  /**
   * Takes no more connections, and tells those that are there to reconnect elsewhere (3001) one after the other,
   * evenly over the window and each at a random moment of its share, so that they do not all arrive elsewhere at once.
   * Everything else goes on; {@link shutdown} follows.
   */
  async leave(windowMs: number): Promise<void> {
    if (this.#phase !== 'running' || windowMs <= 0) return;
    this.#phase = 'leaving';
    const sessions = [...this.#sessions];
    const share = windowMs / Math.max(1, sessions.length);
    const start = this.#clock.monotonic();
    for (const [index, session] of sessions.entries()) {
      await this.#pauseUntil(start + (index + this.#context.random.fraction()) * share);
      session.close(SHUTDOWN);
    }
    await this.#pauseUntil(start + windowMs);
  }

  async #pauseUntil(time: number): Promise<void> {
    const wait = time - this.#clock.monotonic();
    // Shares below a millisecond: those that are due go together.
    if (wait >= 1) await new Promise<void>(resolve => this.#clock.setTimeout(resolve, wait));
  }

  /**
   * Takes no more connections, tells every client to reconnect elsewhere (3001), waits at most `graceMs`
   * (default 5000) for them to go, and stops. Safe to call again.
   */
  async shutdown({ graceMs = 5000 }: { graceMs?: number } = {}): Promise<void> {
    if (this.#phase === 'draining' || this.#phase === 'stopped') return;
    this.#phase = 'draining';
    await this.#drain(graceMs);
    this.#context.positions.stop();
    await this.#control.stop();
    await this.presence.stop();
    await this.#broker.stop();
    this.#wheel.stop();
    this.#phase = 'stopped';
  }

  async #drain(graceMs: number): Promise<void> {
    let closed = 0;
    for (const session of [...this.#sessions]) {
      session.close(SHUTDOWN);
      if (++closed % this.limits.shutdownConcurrency === 0) {
        await new Promise<void>(resolve => this.#clock.afterTurn(resolve));
      }
    }
    let timeout: TimerHandle | undefined;
    const grace = new Promise<void>(resolve => {
      timeout = this.#clock.setTimeout(resolve, graceMs);
    });
    const left = this.#sessions.empty().then(() => Promise.all(this.#background));
    await Promise.race([left, grace]);
    if (timeout !== undefined) this.#clock.clearTimeout(timeout);
    for (const session of [...this.#sessions]) session.drop();
  }

  async #everywhere(command: ControlCommand): Promise<void> {
    const here = executeLocally(this.#hub, this.#sessions, command);
    const elsewhere = this.#control.broadcast(command);
    await Promise.all([here, elsewhere]);
  }

  #inBackground(work: Promise<void>): void {
    const tracked = work.catch(this.#context.reportError).finally(() => this.#background.delete(tracked));
    this.#background.add(tracked);
  }

  #streamOptions(channel: string): StreamOptions {
    return this.#policy.streamOptions?.(channel) ?? NO_STREAM;
  }
}
