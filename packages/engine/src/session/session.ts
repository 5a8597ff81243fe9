import {
  type ClientInfo,
  type Command,
  DisconnectCode,
  EncodeError,
  ErrorCode,
  type Init,
  type Publication,
  type Push,
  type Reply,
} from '@msg/protocol';
import { Batch } from '../delivery/batch.ts';
import { Disconnect, disconnect, ReplyError, unsubscribe } from '../errors.ts';
import type { Limits } from '../limits.ts';
import type { Client, Expiry, RefreshDecision, TransportInfo } from '../policy.ts';
import type { PublicationList } from '../replies/publication-list.ts';
import { SharedReply } from '../replies/shared-reply.ts';
import { WheelTimer } from '../timers/timer-wheel.ts';
import type { Framing, Transport, TransportEvents } from '../transports/contract.ts';
import { type CommandHandler, CommandQueue } from './command-queue.ts';
import { dispatch } from './commands/dispatch.ts';
import type { NodeContext } from './context.ts';
import { Deadlines } from './deadlines.ts';
import { Lifetime } from './lifetime.ts';
import type { Subscription } from './subscription.ts';
import { SubscriptionSet } from './subscription-set.ts';
import { WriteQueue, type WriteQueueEvents } from './write-queue.ts';

/** Client protocol 6.1. `rejected`: the connect was answered with an error, nothing is read any more. */
export type SessionPhase = 'open' | 'connecting' | 'connected' | 'rejected' | 'closed';

const NO_LISTS: readonly PublicationList[] = [];

/** How long queued bytes may go on leaving after the end, milliseconds. */
const FINISH_MS = 5000;

const BAD_REQUEST = disconnect.badRequest();
export const SHUTDOWN = disconnect.shutdown();
const WRITE_ERROR = disconnect.writeError();
/** The peer went away; never sent. */
const CONNECTION_CLOSED = disconnect.connectionClosed();

/**
 * One connection: what it is subscribed to, what waits to be executed and what waits to be sent. It frees
 * everything it registered exactly once, when it closes.
 */
export class Session implements Client, TransportEvents, WriteQueueEvents, CommandHandler {
  readonly context: NodeContext;
  readonly id: string;
  /** Capability by which requests to the emulation endpoint name this session; `''` when it has a channel back. */
  readonly emulationSecret: string;
  readonly subscriptions: SubscriptionSet;
  /** A publication whose payload is not UTF-8 ends this connection: it is JSON, and the policy wants no base64. */
  readonly refusesBinary: boolean;
  phase: SessionPhase = 'open';
  user = '';
  state: unknown = undefined;
  /** Pushes may carry numeric channel ids; known once the client has named itself. */
  resolvesChannelIds = false;
  /** `conn_info` of this connection. */
  info: Uint8Array | null = null;
  /** How long the credentials of the connection last; null: for ever. */
  lifetime: Lifetime | null = null;
  readonly #transport: Transport;
  readonly #commandQueue: CommandQueue;
  readonly #writeQueue: WriteQueue;
  readonly #deadlines: Deadlines;
  readonly #timer: WheelTimer;
  #wasConnected = false;

  constructor(context: NodeContext, transport: Transport) {
    this.context = context;
    this.#transport = transport;
    this.id = context.random.uuid();
    this.emulationSecret = transport.emulated ? context.random.uuid() : '';
    this.subscriptions = new SubscriptionSet(this);
    this.refusesBinary =
      transport.framing.codec.encoding === 'json' && context.policy.binaryPayloads === 'disconnect';
    this.#commandQueue = new CommandQueue(transport.framing.codec, this, context.limits.backlogBytes);
    this.#writeQueue = new WriteQueue(context.writeQueue, transport, this);
    this.#deadlines = new Deadlines(this);
    this.#timer = new WheelTimer(() => {
      this.#deadlines.runDue();
      this.rearm();
    });
    context.sessions.add(this);
    this.rearm();
  }

  get limits(): Limits {
    return this.context.limits;
  }

  get transport(): TransportInfo {
    return this.#transport.info;
  }

  /** How messages for this connection are framed; connections with one framing share frames. */
  get framing(): Framing {
    return this.#transport.framing;
  }

  /** The protocol's own pings are sent: the transport has none, and they are not turned off. */
  get pingsByMessage(): boolean {
    return this.#transport.ping === null && this.limits.pingMs > 0;
  }

  /** Bytes that wait for this reader. */
  get waitingBytes(): number {
    return this.#writeQueue.waitingBytes;
  }

  /** How long the peer may take to answer a ping, milliseconds. */
  get pongMs(): number {
    return this.#transport.ping === null ? this.limits.pongMs : this.limits.nativePongMs;
  }

  /** A disconnect is announced by a push: there is no close frame. */
  get announcesDisconnect(): boolean {
    return this.#transport.announcesDisconnect;
  }

  get closed(): boolean {
    return this.phase === 'closed';
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
    if (this.phase === 'connected') this.pushMessage({ message: { data } });
  }

  unsubscribe(channel: string, code: number, reason: string): void {
    this.subscriptions.endWhenLive(channel, { code, reason });
  }

  disconnect(code: number, reason: string): void {
    this.close(new Disconnect(code, reason));
  }

  /** How others see this connection, in a channel or without one. */
  clientInfo(subscription: Subscription | null): ClientInfo {
    return { user: this.user, client: this.id, connInfo: this.info, chanInfo: subscription?.info ?? null };
  }

  /** The connect was answered: pings, ticks and expiry begin. */
  connected(): void {
    this.#wasConnected = true;
    this.context.sessions.connected(this);
    this.#deadlines.start();
    this.rearm();
  }

  /** New credentials for the connection. */
  refreshed(decision: RefreshDecision): void {
    this.lifetime = this.lifetimeOf(decision.expiry);
    if (decision.info !== undefined) this.info = decision.info;
    if ('state' in decision) this.state = decision.state;
    this.rearm();
  }

  /** The lifetime of credentials that end then, from now on. */
  lifetimeOf(expiry: Expiry | undefined): Lifetime | null {
    return expiry === undefined ? null : new Lifetime(expiry, this.limits.expiryGraceMs, this.context.clock);
  }

  /** Sets the one timer of this connection to its next duty. */
  rearm(): void {
    if (!this.closed)
      this.context.wheel.schedule(this.#timer, this.#deadlines.nextAt() - this.context.clock.monotonic());
  }

  // The transport reports:

  received(frame: Uint8Array): void {
    if (this.phase === 'closed' || this.phase === 'rejected') return;
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
    if (!this.closed) {
      this.#stop();
      this.#free(CONNECTION_CLOSED);
    }
    this.context.sessions.transportClosed(this);
  }

  // The write queue reports:

  onOverflow(): void {
    this.context.stats.slowConsumers++;
    this.#abandon(disconnect.slow());
  }

  onStall(): void {
    this.context.stats.slowConsumers++;
    // A connection that has ended is still being written to.
    if (this.closed) this.#destroy(WRITE_ERROR);
    else this.#abort(WRITE_ERROR);
  }

  onDrain(): void {
    this.#commandQueue.proceed();
  }

  // The command queue asks:

  canExecute(): boolean {
    return this.phase !== 'closed' && this.phase !== 'rejected' && !this.#writeQueue.congested;
  }

  afterTurn(callback: () => void): void {
    this.context.clock.afterTurn(callback);
  }

  execute(command: Command): Promise<void> | undefined {
    this.context.stats.commands++;
    if (command.kind === 'none' && command.id === 0) {
      this.pongArrived();
      return undefined;
    }
    try {
      return dispatch(this, command)?.catch((error: unknown) => this.#failed(command, error));
    } catch (error) {
      this.#failed(command, error);
      return undefined;
    }
  }

  pongArrived(): void {
    const expected = this.phase === 'connected' && this.pingsByMessage && this.#deadlines.onPong();
    if (expected) this.rearm();
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

  /** Reading is stopped on our side: the peer's silence proves nothing. */
  get readingPaused(): boolean {
    return this.#commandQueue.paused;
  }

  // Messages out:

  /** Queues a reply. `lists`: the publications in it, where there are any. */
  reply(reply: Init<Reply>, lists: readonly PublicationList[] = NO_LISTS): void {
    const { framing } = this.#transport;
    const shared = lists.length === 0 ? lists : lists.filter(list => list.isShared);
    if (shared.length > 0) this.requireReplyRoom();
    try {
      const message =
        shared.length === 0
          ? new Batch(framing, framing.codec.encodeReply(reply))
          : SharedReply.encode(framing, reply, shared, this.context.encodedStreams);
      this.#writeQueue.reply(message);
    } catch (error) {
      this.#notEncodable(error);
    }
  }

  /** @throws ReplyError 111, which clients retry, while long replies on their way take all memory they may have. */
  requireReplyRoom(): void {
    if (this.context.encodedStreams.hasRoom) return;
    throw new ReplyError(ErrorCode.TooManyRequests, 'too many requests', true);
  }

  /** Queues a push that may be shared with other connections. */
  push(batch: Batch): void {
    this.#writeQueue.push(batch);
  }

  /** Queues a push of this connection alone. */
  pushMessage(push: Init<Push>): void {
    const { framing } = this.#transport;
    try {
      this.#writeQueue.push(new Batch(framing, framing.codec.encodePush(push)));
    } catch (error) {
      this.#notEncodable(error);
    }
  }

  /** Sends one ping in the way of the transport. */
  ping(): void {
    const { framing, ping } = this.#transport;
    if (ping === null) this.#writeQueue.push(new Batch(framing, framing.codec.ping));
    else ping();
  }

  /** @throws Disconnect 3506 when one of them has a payload that this connection does not take. */
  requireReadable(publications: readonly Publication[]): void {
    if (this.refusesBinary && publications.some(({ data }) => data.kind === 'binary')) {
      throw disconnect.inappropriateProtocol();
    }
  }

  /** Something cannot be expressed in this connection's encoding (client protocol 2.1). */
  onNotEncodable(): void {
    this.close(disconnect.inappropriateProtocol());
  }

  #notEncodable(error: unknown): void {
    if (!(error instanceof EncodeError)) throw error;
    this.onNotEncodable();
  }

  // Endings:

  /** Continuity of a live subscription is lost: the client has to recover (client protocol 11.5). */
  onContinuityLost(subscription: Subscription): void {
    this.context.stats.insufficientStates++;
    if (subscription.serverSide) this.close(disconnect.insufficientState());
    else this.subscriptions.end(subscription, unsubscribe.insufficientState);
  }

  /** Ends the connection after what is queued (client protocol 6.5). */
  close(disconnect: Disconnect): void {
    if (this.closed) return;
    const { code, reason } = disconnect;
    this.#stop();
    const isTold = code !== DisconnectCode.ConnectionClosed;
    if (isTold && this.#transport.announcesDisconnect) this.pushMessage({ disconnect: { code, reason } });
    this.#finish(disconnect, isTold);
    this.#free(disconnect);
  }

  /** Drops a transport that does not get closed in time. */
  drop(): void {
    if (this.closed) this.#destroy(SHUTDOWN);
    else this.#abort(SHUTDOWN);
  }

  /** A hook that only listens must not break what it listens to. */
  notifyPolicy(call: () => void): void {
    try {
      call();
    } catch (error) {
      this.context.reportError(error);
    }
  }

  /** Closes the transport behind what is queued, once that has left. */
  #finish(disconnect: Disconnect, isTold: boolean): void {
    const { code, reason } = disconnect;
    const { wheel } = this.context;
    const late = new WheelTimer(() => this.#destroy(disconnect));
    let over = false;
    this.#writeQueue.finish(complete => {
      over = true;
      wheel.cancel(late);
      if (!complete) return;
      if (isTold) this.#transport.close(code, reason);
      else this.#transport.destroy(code, reason);
    });
    if (!over) wheel.schedule(late, FINISH_MS);
  }

  #destroy({ code, reason }: Disconnect): void {
    this.#writeQueue.discard();
    this.#transport.destroy(code, reason);
  }

  /** Ends the connection without what is queued; a reader that goes on reading still learns why. */
  #abandon(disconnect: Disconnect): void {
    if (this.closed) return;
    this.#stop();
    const { code, reason } = disconnect;
    if (this.#writeQueue.discard()) {
      if (this.announcesDisconnect) this.#announce(disconnect);
      this.#transport.close(code, reason);
    } else this.#transport.destroy(code, reason);
    this.#free(disconnect);
  }

  /** Ends the connection at once. */
  #abort(disconnect: Disconnect): void {
    if (this.closed) return;
    this.#stop();
    this.#destroy(disconnect);
    this.#free(disconnect);
  }

  /** Tells of the end past everything that was queued. */
  #announce({ code, reason }: Disconnect): void {
    const { codec } = this.framing;
    this.#transport.write(this.framing.frame([codec.encodePush({ disconnect: { code, reason } })]), false);
  }

  #stop(): void {
    this.phase = 'closed';
    this.context.wheel.cancel(this.#timer);
    this.#commandQueue.clear();
    this.context.sessions.closed(this);
  }

  #free({ code, reason }: Disconnect): void {
    this.subscriptions.releaseAll();
    if (this.#wasConnected) this.notifyPolicy(() => this.context.policy.disconnected?.(this, code, reason));
  }

  #failed(command: Command, error: unknown): void {
    if (this.closed) return;
    if (error instanceof Disconnect) {
      this.close(error);
      return;
    }
    if (!(error instanceof ReplyError)) this.context.reportError(error);
    const { code, message, temporary } =
      error instanceof ReplyError ? error : new ReplyError(ErrorCode.Internal, 'internal server error', true);
    this.reply({ id: command.id, error: { code, message, temporary } });
    if (command.kind === 'connect') this.#rejectConnect();
  }

  /** The connect ended in an error: nothing more is read, and the transport is closed in a while. */
  #rejectConnect(): void {
    this.phase = 'rejected';
    this.#commandQueue.clear();
    this.subscriptions.releaseAll();
    this.#deadlines.rejected();
    this.rearm();
  }
}
