import { type ClientInfo, type Command, EncodeError, type Init, type Push, type Reply } from '@msg/protocol';
import { WheelTimer } from '../clock/timer-wheel.ts';
import { Disconnect, ReplyError } from '../errors.ts';
import type { Limits } from '../limits.ts';
import type { Client, Expiry, RefreshDecision, TransportInfo } from '../policy.ts';
import type { Framing, Transport, TransportEvents } from '../transports/contract.ts';
import { Batch } from './batch.ts';
import { dispatch } from './commands/dispatch.ts';
import type { NodeContext } from './context.ts';
import { Duties } from './duties.ts';
import { Inbox, type InboxOwner } from './inbox.ts';
import { Outbox, type OutboxOwner } from './outbox.ts';
import type { Subscription } from './subscription.ts';
import { SubscriptionSet } from './subscription-set.ts';

/** Client protocol 6.1. `refused`: the connect was answered with an error, nothing is read any more. */
export type SessionPhase = 'open' | 'connecting' | 'connected' | 'refused' | 'closed';

const BAD_REQUEST = new Disconnect(3501, 'bad request');
export const SHUTDOWN = new Disconnect(3001, 'shutdown');
/** The peer went away; never sent. */
const GONE = new Disconnect(3000, 'connection closed');

/**
 * One connection: what it is subscribed to, what waits to be executed and what waits to be sent. It frees
 * everything it registered exactly once, when it closes.
 */
export class Session implements Client, TransportEvents, OutboxOwner, InboxOwner {
  readonly context: NodeContext;
  readonly id: string;
  /** Capability by which requests to the emulation endpoint name this session; `''` when it has a channel back. */
  readonly emulationSecret: string;
  readonly subscriptions: SubscriptionSet;
  phase: SessionPhase = 'open';
  user = '';
  state: unknown = undefined;
  /** Pushes may carry numeric channel ids; known once the client has named itself. */
  resolvesChannelIds = false;
  /** `conn_info` of this connection. */
  info: Uint8Array | null = null;
  /** When the credentials of the connection end; null: never. */
  expiry: Expiry | null = null;
  readonly #transport: Transport;
  readonly #inbox: Inbox;
  readonly #outbox: Outbox;
  readonly #duties: Duties;
  readonly #timer: WheelTimer;
  #wasConnected = false;

  constructor(context: NodeContext, transport: Transport) {
    this.context = context;
    this.#transport = transport;
    this.id = context.random.uuid();
    this.emulationSecret = transport.emulated ? context.random.uuid() : '';
    this.subscriptions = new SubscriptionSet(this);
    this.#inbox = new Inbox(transport.framing.codec, this, context.limits.backlogBytes);
    this.#outbox = new Outbox(context.outbox, transport, this);
    this.#duties = new Duties(this);
    this.#timer = new WheelTimer(() => {
      this.#duties.perform();
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
    return this.#outbox.waitingBytes;
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
  admitted(): void {
    this.#wasConnected = true;
    this.context.sessions.admitted(this);
    this.#duties.begin();
    this.rearm();
  }

  /** New credentials for the connection. */
  refreshed(decision: RefreshDecision): void {
    this.expiry = decision.expiry ?? null;
    if (decision.info !== undefined) this.info = decision.info;
    if ('state' in decision) this.state = decision.state;
    this.rearm();
  }

  /** Sets the one timer of this connection to its next duty. */
  rearm(): void {
    if (!this.closed)
      this.context.wheel.schedule(this.#timer, this.#duties.nextAt() - this.context.clock.now());
  }

  // The transport reports:

  received(frame: Uint8Array): void {
    if (this.phase === 'closed' || this.phase === 'refused') return;
    this.context.stats.bytesIn += frame.length;
    this.#inbox.receive(frame);
  }

  pongReceived(): void {
    this.#duties.ponged();
    this.rearm();
  }

  drained(): void {
    this.#outbox.drained();
  }

  transportClosed(): void {
    if (!this.closed) {
      this.#stop();
      this.#outbox.discard();
      this.#free(GONE);
    }
    this.context.sessions.gone(this);
  }

  // The outbox reports:

  outboxOverflowed(): void {
    this.context.stats.slowConsumers++;
    this.#abandon(new Disconnect(3008, 'slow'));
  }

  outboxStalled(): void {
    this.context.stats.slowConsumers++;
    this.#abort(new Disconnect(3009, 'write error'));
  }

  outboxRelieved(): void {
    this.#inbox.proceed();
  }

  // The inbox asks:

  canExecute(): boolean {
    return this.phase !== 'closed' && this.phase !== 'refused' && !this.#outbox.congested;
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
    const expected = this.phase === 'connected' && this.pingsByMessage && this.#duties.ponged();
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
    return this.#inbox.paused;
  }

  // Messages out:

  reply(reply: Init<Reply>): void {
    const { framing } = this.#transport;
    try {
      this.#outbox.reply(new Batch(framing, framing.codec.encodeReply(reply)));
    } catch (error) {
      this.#notEncodable(error);
    }
  }

  /** Queues a push that may be shared with other connections. */
  push(batch: Batch): void {
    this.#outbox.push(batch);
  }

  /** Queues a push of this connection alone. */
  pushMessage(push: Init<Push>): void {
    const { framing } = this.#transport;
    try {
      this.#outbox.push(new Batch(framing, framing.codec.encodePush(push)));
    } catch (error) {
      this.#notEncodable(error);
    }
  }

  /** Sends one ping in the way of the transport. */
  ping(): void {
    const { framing, ping } = this.#transport;
    if (ping === null) this.#outbox.push(new Batch(framing, framing.codec.ping));
    else ping();
  }

  /** A payload cannot be expressed in this connection's encoding (client protocol 2.1). */
  cannotEncode(): void {
    this.close(new Disconnect(3506, 'inappropriate protocol'));
  }

  #notEncodable(error: unknown): void {
    if (!(error instanceof EncodeError)) throw error;
    this.cannotEncode();
  }

  // Endings:

  /** Continuity of a live subscription is lost: the client has to recover (client protocol 11.5). */
  lostContinuity(subscription: Subscription): void {
    this.context.stats.insufficientStates++;
    if (subscription.serverSide) this.close(new Disconnect(3010, 'insufficient state'));
    else this.subscriptions.end(subscription, { code: 2500, reason: 'insufficient state' });
  }

  /** Ends the connection after what is queued (client protocol 6.5). */
  close(disconnect: Disconnect): void {
    if (this.closed) return;
    const { code, reason } = disconnect;
    this.#stop();
    if (this.#transport.announcesDisconnect) this.pushMessage({ disconnect: { code, reason } });
    this.#outbox.finish();
    this.#transport.close(code, reason);
    this.#free(disconnect);
  }

  /** Drops a transport that does not get closed in time. */
  drop(): void {
    if (this.closed) this.#transport.destroy(SHUTDOWN.code, SHUTDOWN.reason);
    else this.#abort(SHUTDOWN);
  }

  /** A hook that only listens must not break what it listens to. */
  tellPolicy(call: () => void): void {
    try {
      call();
    } catch (error) {
      this.context.reportError(error);
    }
  }

  /** Ends the connection without what is queued; a reader that goes on reading still learns why. */
  #abandon(disconnect: Disconnect): void {
    if (this.closed) return;
    this.#stop();
    const { code, reason } = disconnect;
    if (this.#outbox.discard()) {
      if (this.announcesDisconnect) this.#announce(disconnect);
      this.#transport.close(code, reason);
    } else this.#transport.destroy(code, reason);
    this.#free(disconnect);
  }

  /** Ends the connection at once. */
  #abort(disconnect: Disconnect): void {
    if (this.closed) return;
    this.#stop();
    this.#outbox.discard();
    this.#transport.destroy(disconnect.code, disconnect.reason);
    this.#free(disconnect);
  }

  /** Tells of the end past everything that was queued. */
  #announce({ code, reason }: Disconnect): void {
    const { codec } = this.framing;
    this.#transport.write(this.framing.frame([codec.encodePush({ disconnect: { code, reason } })]));
  }

  #stop(): void {
    this.phase = 'closed';
    this.context.wheel.cancel(this.#timer);
    this.#inbox.clear();
    this.context.sessions.closed(this);
  }

  #free({ code, reason }: Disconnect): void {
    this.subscriptions.releaseAll();
    if (this.#wasConnected) this.tellPolicy(() => this.context.policy.disconnected?.(this, code, reason));
  }

  #failed(command: Command, error: unknown): void {
    if (this.closed) return;
    if (error instanceof Disconnect) {
      this.close(error);
      return;
    }
    if (!(error instanceof ReplyError)) this.context.reportError(error);
    const { code, message, temporary } =
      error instanceof ReplyError ? error : new ReplyError(100, 'internal server error', true);
    this.reply({ id: command.id, error: { code, message, temporary } });
    if (command.kind === 'connect') this.#refuse();
  }

  /** The connect ended in an error: nothing more is read, and the transport is closed in a while. */
  #refuse(): void {
    this.phase = 'refused';
    this.#inbox.clear();
    this.subscriptions.releaseAll();
    this.#duties.refused();
    this.rearm();
  }
}
