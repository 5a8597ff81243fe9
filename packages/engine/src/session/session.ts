import {
  type ClientInfo,
  type Command,
  DisconnectCode,
  EncodeError,
  type Init,
  type Push,
  type Reply,
} from '@msg/protocol';
import type { Batch } from '../delivery/batch.ts';
import { Disconnect, disconnect, unsubscribe } from '../errors.ts';
import type { RefreshDecision, TransportInfo } from '../policy.ts';
import type { PublicationList } from '../replies/publication-list.ts';
import { WheelTimer } from '../timers/timer-wheel.ts';
import type { Framing, Transport, TransportEvents } from '../transports/contract.ts';
import { type CommandHandler, CommandQueue } from './command-queue.ts';
import { type CommandSession, type CommandTable, executeCommand } from './commands/command-row.ts';
import { ConnectionState } from './connection-state.ts';
import type { NodeContext } from './context.ts';
import { type DeadlineEvents, Deadlines } from './deadlines.ts';
import { abandon, destroy, finish, SHUTDOWN } from './ending.ts';
import { type ExpiringConnection, expireCredentials, nextExpiry } from './expiration.ts';
import { Lifetime } from './lifetime.ts';
import { pingMessage, pushMessage, replyMessage } from './messages.ts';
import type { SessionRegistry } from './registry.ts';
import type { Subscription } from './subscription.ts';
import { SubscriptionSet } from './subscription-set.ts';
import { WriteQueue, type WriteQueueEvents } from './write-queue.ts';

/** What the sessions of a node share. Owned by the node. */
export interface SessionContext extends NodeContext {
  readonly sessions: SessionRegistry<Session>;
  readonly commands: CommandTable<Session>;
}

const NO_LISTS: readonly PublicationList[] = [];

const BAD_REQUEST = disconnect.badRequest();
const WRITE_ERROR = disconnect.writeError();
/** The peer went away; never sent. */
const CONNECTION_CLOSED = disconnect.connectionClosed();

/**
 * One connection: joins its state, what it is subscribed to, what waits to be executed and what waits to be sent. It
 * frees everything it registered exactly once, when it closes.
 */
export class Session
  implements
    ExpiringConnection,
    CommandSession,
    CommandHandler,
    DeadlineEvents,
    TransportEvents,
    WriteQueueEvents
{
  readonly context: SessionContext;
  readonly connection: ConnectionState;
  /** Capability by which requests to the emulation endpoint name this session; `''` when it has a channel back. */
  readonly emulationSecret: string;
  readonly subscriptions: SubscriptionSet;
  /** A publication whose payload is not UTF-8 ends this connection: it is JSON, and the policy wants no base64. */
  readonly refusesBinary: boolean;
  readonly #transport: Transport;
  readonly #commandQueue: CommandQueue;
  readonly #writeQueue: WriteQueue;
  readonly #deadlines: Deadlines;
  readonly #timer: WheelTimer;

  constructor(context: SessionContext, transport: Transport) {
    this.context = context;
    this.#transport = transport;
    this.connection = new ConnectionState(context.random.uuid());
    this.emulationSecret = transport.emulated ? context.random.uuid() : '';
    this.subscriptions = new SubscriptionSet(this);
    this.refusesBinary =
      transport.framing.codec.encoding === 'json' && context.policy.binaryPayloads === 'disconnect';
    this.#commandQueue = new CommandQueue(transport.framing.codec, this, context.limits.backlogBytes);
    this.#writeQueue = new WriteQueue(context.writeQueue, transport, this);
    this.#deadlines = new Deadlines(context, this);
    this.#timer = new WheelTimer(() => {
      this.#deadlines.runDue();
      this.rearm();
    });
    context.sessions.add(this);
    this.rearm();
  }

  // What hooks see:

  get id(): string {
    return this.connection.id;
  }

  get user(): string {
    return this.connection.user;
  }

  get state(): unknown {
    return this.connection.policyState;
  }

  get transport(): TransportInfo {
    return this.#transport.info;
  }

  isSubscribed(channel: string): boolean {
    return this.subscriptions.get(channel)?.live === true;
  }

  subscriptionState(channel: string): unknown {
    return this.subscriptions.get(channel)?.state;
  }

  channels(): string[] {
    return [...this.subscriptions].filter(({ live }) => live).map(({ channel }) => channel);
  }

  send(data: Uint8Array): void {
    if (this.connection.phase === 'connected') this.pushMessage({ message: { data } });
  }

  unsubscribe(channel: string, code: number, reason: string): void {
    this.subscriptions.endWhenLive(channel, { code, reason });
  }

  disconnect(code: number, reason: string): void {
    this.close(new Disconnect(code, reason));
  }

  // What its parts ask:

  get closed(): boolean {
    return this.connection.phase === 'closed';
  }

  /** How messages for this connection are framed; connections with one framing share frames. */
  get framing(): Framing {
    return this.#transport.framing;
  }

  get resolvesChannelIds(): boolean {
    return this.connection.resolvesChannelIds;
  }

  /** The protocol's own pings are sent: the transport has none, and they are not turned off. */
  get pingsByMessage(): boolean {
    return this.#transport.ping === null && this.context.limits.pingMs > 0;
  }

  get pongMs(): number {
    const { pongMs, nativePongMs } = this.context.limits;
    return this.#transport.ping === null ? pongMs : nativePongMs;
  }

  get readingPaused(): boolean {
    return this.#commandQueue.paused;
  }

  /** Bytes that wait for this reader. */
  get waitingBytes(): number {
    return this.#writeQueue.waitingBytes;
  }

  get expiresAt(): number {
    return nextExpiry(this);
  }

  clientInfo(channelInfo: Uint8Array | null): ClientInfo {
    const { user, id, info } = this.connection;
    return { user, client: id, connInfo: info, chanInfo: channelInfo };
  }

  /** Sets the one timer of this connection to its next duty. */
  rearm(): void {
    if (this.closed) return;
    this.context.wheel.schedule(this.#timer, this.#deadlines.nextAt() - this.context.clock.monotonic());
  }

  tick(): void {
    this.subscriptions.tick();
  }

  expire(now: number): void {
    expireCredentials(this, now);
  }

  /** A hook that only listens must not break what it listens to. */
  notifyPolicy(call: () => void): void {
    try {
      call();
    } catch (error) {
      this.context.reportError(error);
    }
  }

  // The life of the connection:

  /** The connect was answered: pings, ticks and expiry begin. */
  connected(): void {
    if (this.closed) return;
    this.connection.connected();
    this.context.sessions.connected(this);
    this.#deadlines.start();
    this.rearm();
  }

  /** The connect ended in an error: nothing more is read, and the transport is closed in a while. */
  onConnectRejected(): void {
    this.connection.rejected();
    this.#commandQueue.clear();
    this.subscriptions.releaseAll();
    // Stream transports stay open until the client leaves or the stale moment comes (client protocol 4.7).
    if (!this.#transport.announcesDisconnect) this.#deadlines.rejected();
    this.rearm();
  }

  refreshed(decision: RefreshDecision): void {
    this.connection.refreshed(decision, Lifetime.of(decision.expiry, this.context));
    this.rearm();
  }

  onContinuityLost(subscription: Subscription): void {
    this.context.stats.insufficientStates++;
    if (subscription.serverSide) this.close(disconnect.insufficientState());
    else this.subscriptions.end(subscription, unsubscribe.insufficientState);
  }

  /** Something cannot be expressed in this connection's encoding (client protocol 2.1). */
  onNotEncodable(): void {
    this.close(disconnect.inappropriateProtocol());
  }

  // The transport reports:

  received(frame: Uint8Array): void {
    const { phase } = this.connection;
    if (phase === 'closed' || phase === 'rejected') return;
    this.context.stats.bytesIn += frame.length;
    this.#commandQueue.receive(frame);
  }

  pongReceived(): void {
    this.#deadlines.onPong();
    this.rearm();
  }

  drained(): void {
    this.#writeQueue.drained();
  }

  transportClosed(): void {
    this.#writeQueue.discard();
    this.#end(CONNECTION_CLOSED, () => {});
    this.context.sessions.transportClosed(this);
  }

  // The write queue reports:

  onOverflow(): void {
    this.context.stats.slowConsumers++;
    this.#end(disconnect.slow(), ending => abandon(this.#transport, this.#writeQueue, ending));
  }

  onStall(): void {
    this.context.stats.slowConsumers++;
    this.#abort(WRITE_ERROR);
  }

  onDrain(): void {
    this.#commandQueue.proceed();
  }

  // The command queue asks:

  canExecute(): boolean {
    const { phase } = this.connection;
    return phase !== 'closed' && phase !== 'rejected' && !this.#writeQueue.congested;
  }

  afterTurn(callback: () => void): void {
    this.context.clock.afterTurn(callback);
  }

  execute(command: Command): Promise<void> | undefined {
    this.context.stats.commands++;
    if (command.kind !== 'none' || command.id !== 0) {
      return executeCommand<Session>(this.context.commands, this, command);
    }
    this.pongArrived();
    return undefined;
  }

  pongArrived(): void {
    const isConnected = this.connection.phase === 'connected';
    const isExpected = isConnected && this.pingsByMessage && this.#deadlines.onPong();
    if (isExpected) this.rearm();
    else this.close(BAD_REQUEST);
  }

  undecodable(): void {
    this.close(BAD_REQUEST);
  }

  pauseReading(): void {
    this.#transport.pause();
  }

  resumeReading(): void {
    if (!this.closed) this.#transport.resume();
  }

  // Messages out:

  /** Queues a reply. `lists`: the publications in it, where there are any. */
  reply(reply: Init<Reply>, lists: readonly PublicationList[] = NO_LISTS): void {
    try {
      this.#writeQueue.reply(replyMessage(this.framing, reply, lists, this.context.encodedStreams));
    } catch (error) {
      this.#notEncodable(error);
    }
  }

  push(batch: Batch): void {
    this.#writeQueue.push(batch);
  }

  pushMessage(push: Init<Push>): void {
    try {
      this.#writeQueue.push(pushMessage(this.framing, push));
    } catch (error) {
      this.#notEncodable(error);
    }
  }

  /** Sends one ping in the way of the transport. */
  ping(): void {
    const { framing, ping } = this.#transport;
    if (ping === null) this.#writeQueue.push(pingMessage(framing));
    else ping();
  }

  #notEncodable(error: unknown): void {
    if (!(error instanceof EncodeError)) throw error;
    this.onNotEncodable();
  }

  // Endings:

  /** Ends the connection after what is queued (client protocol 6.5). */
  close(ending: Disconnect): void {
    const { code, reason } = ending;
    this.#end(ending, () => {
      const isTold = code !== DisconnectCode.ConnectionClosed;
      if (isTold && this.#transport.announcesDisconnect) this.pushMessage({ disconnect: { code, reason } });
      finish(this.#transport, this.#writeQueue, this.context.wheel, ending, isTold);
    });
  }

  /** Drops a transport that does not get closed in time. */
  drop(): void {
    this.#abort(SHUTDOWN);
  }

  /** Ends the connection, and what is still being written to one that has ended, at once. */
  #abort(ending: Disconnect): void {
    if (this.closed) destroy(this.#transport, this.#writeQueue, ending);
    else this.#end(ending, () => destroy(this.#transport, this.#writeQueue, ending));
  }

  /** Ends the connection once: it takes nothing more, its transport ends, what it registered is freed. */
  #end(ending: Disconnect, endTransport: (ending: Disconnect) => void): void {
    if (this.closed) return;
    const wasConnected = this.connection.closed();
    this.context.wheel.cancel(this.#timer);
    this.#commandQueue.clear();
    this.context.sessions.closed(this);
    endTransport(ending);
    this.subscriptions.releaseAll();
    if (!wasConnected) return;
    this.notifyPolicy(() => this.context.policy.disconnected?.(this, ending.code, ending.reason));
  }
}
