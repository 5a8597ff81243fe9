import type { Clock } from '@msg/foundation/clock';
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
import type { ConnectionSelector, ControlCommand, SurveyAnswer } from './control/contract.ts';
import { executeLocally } from './control/executor.ts';
import type { Hub } from './delivery/hub.ts';
import type { Unsubscribe } from './errors.ts';
import type { Limits } from './limits.ts';
import { startBackends, stopBackends } from './node/backends.ts';
import { Departure } from './node/departure.ts';
import { readStats } from './node/gauges.ts';
import type { NodeOptions } from './node/options.ts';
import { type NodeParts, nodeParts } from './node/parts.ts';
import type { Client, Expiry, Policy, SubscribeDecision } from './policy.ts';
import type { Presence } from './presence/contract.ts';
import { Session } from './session/session.ts';
import type { NodeStats } from './stats.ts';
import type { Transport, TransportEvents } from './transports/contract.ts';
import type { RequestBodies } from './transports/http/body.ts';
import type { EmulationOutcome } from './transports/http/emulation.ts';
import { InProcessConnection, type InProcessOptions } from './transports/in-process.ts';

const NO_STREAM: StreamOptions = { size: 0, ttlMs: 0 };

/**
 * A Centrifuge-protocol server node. Transports pass it connections; it executes their commands as the policy decides and
 * delivers publications.
 */
export class RealtimeNode {
  readonly id: string;
  readonly limits: Limits;
  /** Presence entries of all nodes. */
  readonly presence: Presence;
  /** Reads the bodies of HTTP requests; the embedder's own routes may share its memory budget. */
  readonly bodies: RequestBodies;
  readonly #parts: NodeParts;
  readonly #policy: Policy;
  readonly #broker: Broker;
  readonly #hub: Hub;
  #phase: 'new' | 'running' | 'leaving' | 'draining' | 'stopped' = 'new';

  constructor(options: NodeOptions) {
    const parts = nodeParts(options, ({ channel, payload, info }, publishOptions) =>
      this.publish(
        channel,
        payload,
        publishOptions.info === undefined ? { ...publishOptions, info } : publishOptions,
      ),
    );
    this.id = parts.id;
    this.limits = parts.limits;
    this.presence = parts.presence;
    this.bodies = parts.bodies;
    this.#parts = parts;
    this.#policy = parts.policy;
    this.#broker = parts.broker;
    this.#hub = parts.hub;
  }

  /** The clock of this node and of its parts. */
  get clock(): Clock {
    return this.#parts.clock;
  }

  /** True from the start until a drain or a shutdown begins. */
  get running(): boolean {
    return this.#phase === 'running';
  }

  /** True while the node accepts connections: it runs and has fewer than `limits.connections`. */
  get accepting(): boolean {
    return this.running && !this.#parts.sessions.full;
  }

  /** True while publishing is safe: from the start until the last connections are closed. */
  get operational(): boolean {
    return this.#phase === 'running' || this.#phase === 'leaving';
  }

  /** Connects the backends. Publishing is safe once this resolves. */
  async start(): Promise<void> {
    if (this.#phase !== 'new') throw new Error('a node starts once');
    await startBackends(this.#parts);
    this.#phase = 'running';
  }

  /** Accepts a connection; the transport reports its events to the returned object. */
  open(transport: Transport): TransportEvents {
    return new Session(this.#parts.context, transport);
  }

  /** Executes a request of the emulation endpoint: commands of a client that is connected to this node or to another. */
  emulate(request: EmulationRequest): Promise<EmulationOutcome> {
    return this.#parts.emulation.deliver(request);
  }

  /**
   * Opens a connection inside this process. It passes the policy and a bounded write queue like any other, without a
   * socket. Rejects with the policy's error.
   */
  connect(options: InProcessOptions): Promise<InProcessConnection> {
    return InProcessConnection.open(this, options, this.#parts.clock);
  }

  /**
   * Publishes into a channel. `data` is opaque; the caller must not change it afterwards. Without explicit stream options
   * those of `policy.streamOptions` apply. A broker in this process returns or throws at once; any other returns a
   * promise. After a failure the outcome is unknown.
   */
  publish(
    channel: string,
    data: Uint8Array | Payload,
    options: PublishOptions = {},
  ): MaybePromise<PublishResult> {
    const stream = options.volatile === true ? NO_STREAM : (options.stream ?? this.#streamOptions(channel));
    return this.#broker.publish(channel, Payload.of(data), stream, options);
  }

  /** Reads the stream of a channel, and creates an absent one. */
  history(channel: string, filter: HistoryFilter): Promise<HistoryResult> {
    const { metaTtlMs } = this.#streamOptions(channel);
    return this.#broker.history(channel, filter, metaTtlMs ?? DEFAULT_META_TTL_MS);
  }

  /** Drops retained publications; offsets continue. */
  removeHistory(channel: string): Promise<void> {
    return this.#broker.removeHistory(channel);
  }

  /** Drops the whole stream: its next use starts a new epoch, and old positions do not recover. */
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
    for (const session of this.#parts.sessions)
      if (session.connection.phase === 'connected') yield session.client;
  }

  /** Ends a channel's subscriptions of the targeted connections, with an empty name all of them, on every node. */
  unsubscribe(target: ConnectionSelector, channel: string, unsubscribe: Unsubscribe): Promise<void> {
    return this.#everywhere({ kind: 'unsubscribe', target, channel, unsubscribe });
  }

  /**
   * Ends every subscription of a channel, on every node; a subscription whose subscribe is in progress ends right after
   * its reply.
   */
  unsubscribeAll(channel: string, unsubscribe: Unsubscribe): Promise<void> {
    return this.unsubscribe({ allUsers: true }, channel, unsubscribe);
  }

  /** As {@link unsubscribeAll}, on this node only: the caller notifies the other nodes. */
  unsubscribeHere(channel: string, unsubscribe: Unsubscribe): Promise<void> {
    const target = { allUsers: true };
    return executeLocally(this.#hub, this.#parts.sessions, {
      kind: 'unsubscribe',
      target,
      channel,
      unsubscribe,
    });
  }

  /** Ends the targeted connections on every node, except those whose id is in `except`. */
  disconnect(
    target: ConnectionSelector,
    { code, reason }: { readonly code: number; readonly reason: string },
    except: readonly string[] = [],
  ): Promise<void> {
    return this.#everywhere({ kind: 'disconnect', target, code, reason, except });
  }

  /**
   * Gives the targeted connections a server-side subscription, on every node. With `since`, the publications after it
   * follow. Rejects with `ReplyError` 105 when a connection of this node is already subscribed.
   */
  subscribe(
    target: ConnectionSelector,
    channel: string,
    decision: SubscribeDecision,
    since: StreamPosition | null = null,
  ): Promise<void> {
    return this.#everywhere({ kind: 'subscribe', target, channel, decision, since });
  }

  /** Replaces the expiry, and the info if there is one, of the targeted connections, on every node. */
  refresh(target: ConnectionSelector, expiry: Expiry | null, info: Uint8Array | null = null): Promise<void> {
    return this.#everywhere({ kind: 'refresh', target, expiry, info });
  }

  /** Ids of the live nodes, this one included. */
  nodes(): readonly string[] {
    return this.#parts.control.nodes();
  }

  /** Runs an operation of the application on one node, or on all; resolves to the answers by node id. */
  survey(operation: string, data: Uint8Array, toNode?: string): Promise<ReadonlyMap<string, SurveyAnswer>> {
    return this.#parts.control.survey(operation, data, toNode);
  }

  /** A copy of the counters, with the current gauges. */
  stats(): NodeStats {
    return readStats(this.#parts);
  }

  /**
   * Accepts no more connections and disconnects the open ones with 3001, which makes clients reconnect elsewhere. They
   * are spread evenly over the window, each at a random moment of its share, so that they do not all reconnect at once.
   * Everything else continues until {@link shutdown}.
   */
  async leave(windowMs: number): Promise<void> {
    if (this.#phase !== 'running' || windowMs <= 0) return;
    this.#phase = 'leaving';
    await new Departure(this.#parts).spread(windowMs);
  }

  /**
   * Accepts no more connections, disconnects every client with 3001, waits at most `graceMs` (default 5000) for the
   * transports to close, and stops. Safe to call again.
   */
  async shutdown({ graceMs = 5000 }: { graceMs?: number } = {}): Promise<void> {
    if (this.#phase === 'draining' || this.#phase === 'stopped') return;
    this.#phase = 'draining';
    await new Departure(this.#parts).drain(graceMs);
    await stopBackends(this.#parts);
    this.#phase = 'stopped';
  }

  async #everywhere(command: ControlCommand): Promise<void> {
    const here = executeLocally(this.#hub, this.#parts.sessions, command);
    const elsewhere = this.#parts.control.broadcast(command);
    await Promise.all([here, elsewhere]);
  }

  #streamOptions(channel: string): StreamOptions {
    return this.#policy.streamOptions?.(channel) ?? NO_STREAM;
  }
}
