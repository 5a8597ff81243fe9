import type { Clock } from '@msg/foundation/clock';
import type { MaybePromise } from '@msg/foundation/promises';
import { type EmulationRequest, Payload } from '@msg/protocol';
import {
  DEFAULT_META_TTL_MS,
  type HistoryFilter,
  type HistoryResult,
  type PublishOptions,
  type PublishResult,
  type StreamPosition,
} from './broker/contract.ts';
import type { ConnectionSelector, Control } from './control/contract.ts';
import type { Unsubscribe } from './errors.ts';
import type { Limits } from './limits.ts';
import type { Appends } from './node/appends.ts';
import type { Connections } from './node/connections.ts';
import { readStats } from './node/gauges.ts';
import { Lifecycle } from './node/lifecycle.ts';
import type { NodeOptions } from './node/options.ts';
import { NO_STREAM, type NodeParts, nodeParts } from './node/parts.ts';
import type { Client, Expiry, SubscribeDecision } from './policy.ts';
import type { Presence } from './presence/contract.ts';
import { Session } from './session/session.ts';
import type { NodeStats } from './stats.ts';
import type { Transport, TransportEvents } from './transports/contract.ts';
import type { RequestBodies } from './transports/http/body.ts';
import type { EmulationOutcome } from './transports/http/emulation.ts';
import { InProcessConnection, type InProcessOptions } from './transports/in-process.ts';

/** A Centrifuge-protocol server node: it executes commands of connections as the policy decides, and delivers publications. */
export class RealtimeNode {
  readonly id: string;
  readonly limits: Limits;
  /** Presence entries of all nodes. */
  readonly presence: Presence;
  /** Reads the bodies of HTTP requests; the embedder's own routes may share its memory budget. */
  readonly bodies: RequestBodies;
  readonly #parts: NodeParts;
  readonly #lifecycle: Lifecycle;

  constructor(options: NodeOptions) {
    const parts = nodeParts(options, ({ channel, payload, info }, extras) =>
      this.publish(channel, payload, extras.info === undefined ? { ...extras, info } : extras),
    );
    this.id = parts.id;
    this.limits = parts.limits;
    this.presence = parts.presence;
    this.bodies = parts.bodies;
    this.#parts = parts;
    this.#lifecycle = new Lifecycle(parts);
  }

  /** The clock of this node and of its parts. */
  get clock(): Clock {
    return this.#parts.clock;
  }

  /** True from the start until a drain or a shutdown begins. */
  get running(): boolean {
    return this.#lifecycle.running;
  }

  /** True while the node accepts connections: it runs and has fewer than `limits.connections`. */
  get accepting(): boolean {
    return this.running && !this.#parts.sessions.full;
  }

  /** True while publishing is safe: from the start until the last connections are closed. */
  get operational(): boolean {
    return this.#lifecycle.operational;
  }

  /** Takes a place for a connection that is opened in this turn; false: the node does not accept one. */
  reserve(): boolean {
    return this.running && this.#parts.sessions.reserve();
  }

  /** Connects the backends. Publishing is safe once this resolves. */
  start(): Promise<void> {
    return this.#lifecycle.start();
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
    const stream =
      options.volatile === true ? NO_STREAM : (options.stream ?? this.#parts.streamOptions(channel));
    return this.#parts.broker.publish(channel, Payload.of(data), stream, options);
  }

  /** Appends to a message of a channel, or opens it: see {@link Appends.append}. */
  append(...append: Parameters<Appends['append']>): ReturnType<Appends['append']> {
    return this.#parts.appends.append(...append);
  }

  /** A message of a channel: see {@link Appends.state}. */
  appendState(...read: Parameters<Appends['state']>): ReturnType<Appends['state']> {
    return this.#parts.appends.state(...read);
  }

  /** Asks the producer of a message to stop: see {@link Appends.cancel}. */
  cancelAppend(...cancel: Parameters<Appends['cancel']>): ReturnType<Appends['cancel']> {
    return this.#parts.appends.cancel(...cancel);
  }

  /** Whether append streams are there, and the sinks of ended messages. */
  get appends(): Pick<Appends, 'available' | 'watch' | 'claimOutcome' | 'storeOutcome'> {
    return this.#parts.appends;
  }

  /** Reads the stream of a channel, and creates an absent one. */
  history(channel: string, filter: HistoryFilter): Promise<HistoryResult> {
    const { metaTtlMs } = this.#parts.streamOptions(channel);
    return this.#parts.broker.history(channel, filter, metaTtlMs ?? DEFAULT_META_TTL_MS);
  }

  /** Drops retained publications; offsets continue. */
  removeHistory(channel: string): Promise<void> {
    return this.#parts.broker.removeHistory(channel);
  }

  /** Drops the whole stream: its next use starts a new epoch, and old positions do not recover. */
  removeStream(channel: string): Promise<void> {
    return this.#parts.broker.removeStream(channel);
  }

  /** Live subscriptions of a channel on this node. */
  subscriberCount(channel: string): number {
    return this.#parts.hub.subscriberCount(channel);
  }

  /** Channels that clients of this node are subscribed to. */
  channels(): Iterable<string> {
    return this.#parts.hub.channels();
  }

  /** The connected clients of this node, for operators. */
  get connections(): Connections {
    return this.#parts.connections;
  }

  /** Connected clients of this node. */
  *clients(): Iterable<Client> {
    for (const session of this.#parts.sessions)
      if (session.connection.phase === 'connected') yield session.client;
  }

  /** Ends a channel's subscriptions of the targeted connections, with an empty name all of them, on every node. */
  unsubscribe(target: ConnectionSelector, channel: string, unsubscribe: Unsubscribe): Promise<void> {
    return this.#parts.everywhere({ kind: 'unsubscribe', target, channel, unsubscribe });
  }

  /** Ends every subscription of a channel, on every node, one whose subscribe is in progress right after its reply. */
  unsubscribeAll(channel: string, unsubscribe: Unsubscribe): Promise<void> {
    return this.unsubscribe({ allUsers: true }, channel, unsubscribe);
  }

  /** As {@link unsubscribeAll}, on this node only: the caller notifies the other nodes. */
  unsubscribeHere(channel: string, unsubscribe: Unsubscribe): Promise<void> {
    return this.#parts.here({ kind: 'unsubscribe', target: { allUsers: true }, channel, unsubscribe });
  }

  /** Ends the targeted connections on every node, except those whose id is in `except`. */
  disconnect(
    target: ConnectionSelector,
    { code, reason }: { readonly code: number; readonly reason: string },
    except: readonly string[] = [],
  ): Promise<void> {
    return this.#parts.everywhere({ kind: 'disconnect', target, code, reason, except });
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
    return this.#parts.everywhere({ kind: 'subscribe', target, channel, decision, since });
  }

  /** Replaces the expiry, and the info if there is one, of the targeted connections, on every node. */
  refresh(target: ConnectionSelector, expiry: Expiry | null, info: Uint8Array | null = null): Promise<void> {
    return this.#parts.everywhere({ kind: 'refresh', target, expiry, info });
  }

  /** Ids of the live nodes, this one included. */
  nodes(): readonly string[] {
    return this.#parts.control.nodes();
  }

  /** Runs an operation of the application on one node or all; the answers, by node id, come within `withinMs` (10 s). */
  survey(...question: Parameters<Control['survey']>): ReturnType<Control['survey']> {
    return this.#parts.control.survey(...question);
  }

  /** A copy of the counters, with the current gauges. */
  stats(): NodeStats {
    return readStats(this.#parts);
  }

  /**
   * Accepts no more connections and disconnects the open ones with 3001, spread evenly over the window, each at a random
   * moment of its share: clients reconnect elsewhere, not all at once. Everything else continues until {@link shutdown}.
   */
  leave(windowMs: number): Promise<void> {
    return this.#lifecycle.leave(windowMs);
  }

  /** Asks so many clients to reconnect (3011), oldest first, spread over the window; resolves to how many it were. */
  shed(count: number, windowMs: number): Promise<number> {
    return this.#lifecycle.shed(count, windowMs);
  }

  /**
   * Accepts no more connections, disconnects every client with 3001, waits at most `graceMs` (default 5000) for the
   * transports to close, and stops. Safe to call again.
   */
  shutdown({ graceMs = 5000 }: { graceMs?: number } = {}): Promise<void> {
    return this.#lifecycle.shutdown(graceMs);
  }
}
