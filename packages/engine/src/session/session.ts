import type { ClientInfo, Command, Init, Reply } from '@msg/protocol';
import { WheelTimer } from '../clock/timer-wheel.ts';
import { Disconnect, ReplyError, type Unsubscribe } from '../errors.ts';
import type { Limits } from '../limits.ts';
import type { Client, TransportInfo } from '../policy.ts';
import type { Transport, TransportEvents } from '../transports/contract.ts';
import { Batch } from './batch.ts';
import { dispatch } from './commands/dispatch.ts';
import type { NodeContext } from './context.ts';
import { Inbox, type InboxOwner } from './inbox.ts';
import { Outbox, type OutboxOwner } from './outbox.ts';
import { type Duty, Schedule } from './schedule.ts';
import type { Subscription } from './subscription.ts';

/** Client protocol 6.1. `refused`: the connect was answered with an error, nothing is read any more. */
export type SessionPhase = 'open' | 'connecting' | 'connected' | 'refused' | 'closed';

export const SHUTDOWN = new Disconnect(3001, 'shutdown');
/** The peer went away; never sent. */
const GONE = new Disconnect(3000, 'connection closed');

/**
 * One connection: what it is subscribed to, what waits to be executed and to be sent. It frees everything it
 * registered exactly once, when it closes.
 */
export class Session implements Client, TransportEvents, OutboxOwner, InboxOwner {
  readonly context: NodeContext;
  readonly id: string;
  readonly subscriptions = new Map<string, Subscription>();
  readonly schedule: Schedule;
  phase: SessionPhase = 'open';
  user = '';
  state: unknown = undefined;
  /** `conn_info` of this connection. */
  info: Uint8Array | null = null;
  readonly #transport: Transport;
  readonly #inbox: Inbox;
  readonly #outbox: Outbox;
  readonly #timer: WheelTimer;

  constructor(context: NodeContext, transport: Transport) {
    this.context = context;
    this.#transport = transport;
    this.id = context.random.uuid();
    this.#inbox = new Inbox(transport.framing.codec, this, context.limits.backlogBytes);
    this.#outbox = new Outbox(context.outbox, transport, this);
    this.schedule = new Schedule(context.clock.now(), context.limits);
    this.#timer = new WheelTimer(() => this.#timerFired());
    context.sessions.add(this);
    this.rearm();
  }

  get limits(): Limits {
    return this.context.limits;
  }

  get transport(): TransportInfo {
    return this.#transport.info;
  }

  /** How pushes for this connection are framed; connections with one framing share frames. */
  get framing(): Transport['framing'] {
    return this.#transport.framing;
  }

  /** Clients on emulated transports need `session` and `node` to talk back. */
  get emulated(): boolean {
    return this.#transport.emulated;
  }

  /** The protocol's own pings are needed, because the transport does not keep itself alive. */
  get pings(): boolean {
    return !this.#transport.pingsNatively && this.limits.pingMs > 0;
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
    return [...this.subscriptions.values()].filter(s => s.live).map(s => s.channel);
  }

  /** Ends a subscription from the server's side; one whose subscribe is under way ends right after its reply. */
  unsubscribe(channel: string, code: number, reason: string): void {
    const subscription = this.subscriptions.get(channel);
    if (subscription === undefined) return;
    if (subscription.live) this.endSubscription(subscription, { code, reason });
    else subscription.unsubscribeWhenLive = { code, reason };
  }

  disconnect(code: number, reason: string): void {
    this.close(new Disconnect(code, reason));
  }

  // The transport reports:

  received(frame: Uint8Array): void {
    if (this.phase === 'closed' || this.phase === 'refused') return;
    this.context.stats.bytesIn += frame.length;
    this.#inbox.receive(frame);
  }

  drained(): void {
    this.#outbox.drained();
  }

  transportClosed(): void {
    if (!this.closed) {
      this.#stop();
      this.#outbox.discard();
      this.#freeSubscriptions(GONE);
    }
    this.context.sessions.gone(this);
  }

  // The outbox reports:

  outboxOverflowed(): void {
    this.context.stats.slowConsumers++;
    this.#abort(new Disconnect(3008, 'slow'));
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
    if (this.phase === 'connected' && this.schedule.ponged()) this.rearm();
    else this.close(new Disconnect(3501, 'bad request'));
  }

  undecodable(): void {
    this.close(new Disconnect(3501, 'bad request'));
  }

  pauseReading(): void {
    this.#transport.pause();
  }

  resumeReading(): void {
    if (!this.closed) this.#transport.resume();
  }

  // Replies and pushes:

  reply(reply: Init<Reply>): void {
    const { framing } = this.#transport;
    this.#outbox.reply(new Batch(framing, framing.codec.encodeReply(reply)));
  }

  /** Queues a push that may be shared with other connections. */
  push(batch: Batch): void {
    this.#outbox.push(batch);
  }

  /** A publication cannot be expressed in this connection's encoding (client protocol 2.1). */
  cannotEncode(): void {
    this.close(new Disconnect(3506, 'inappropriate protocol'));
  }

  /** How others see this connection, in a channel or without one. */
  clientInfo(subscription: Subscription | null): ClientInfo {
    return { user: this.user, client: this.id, connInfo: this.info, chanInfo: subscription?.info ?? null };
  }

  // Subscriptions:

  /** Continuity of a live subscription is lost: the client has to recover (client protocol 11.5). */
  lostContinuity(subscription: Subscription): void {
    this.context.stats.insufficientStates++;
    if (subscription.serverSide) this.close(new Disconnect(3010, 'insufficient state'));
    else this.endSubscription(subscription, { code: 2500, reason: 'insufficient state' });
  }

  /** Removes a live subscription completely, then tells the client. */
  endSubscription(subscription: Subscription, unsubscribe: Unsubscribe): void {
    this.releaseSubscription(subscription);
    const { framing } = this.#transport;
    const push = { channel: subscription.channel, unsubscribe };
    this.#outbox.push(new Batch(framing, framing.codec.encodePush(push)));
    this.#tellPolicy(() =>
      this.context.policy.unsubscribed?.(this, subscription.channel, unsubscribe.code, unsubscribe.reason),
    );
  }

  /** Frees whatever the subscription holds on this node. Safe to call more than once. */
  releaseSubscription(subscription: Subscription): void {
    if (this.subscriptions.get(subscription.channel) === subscription) {
      this.subscriptions.delete(subscription.channel);
    }
    this.context.hub.remove(subscription);
    subscription.end();
  }

  // Closing:

  /** Ends the connection after what is queued (client protocol 6.5). */
  close(disconnect: Disconnect): void {
    if (this.closed) return;
    this.#stop();
    if (this.#transport.announcesDisconnect) {
      const { framing } = this.#transport;
      const push = { disconnect: { code: disconnect.code, reason: disconnect.reason } };
      this.#outbox.push(new Batch(framing, framing.codec.encodePush(push)));
    }
    this.#outbox.finish();
    this.#transport.close(disconnect.code, disconnect.reason);
    this.#freeSubscriptions(disconnect);
  }

  /** Drops a transport that does not get closed in time. */
  drop(): void {
    if (this.closed) this.#transport.destroy(SHUTDOWN.code, SHUTDOWN.reason);
    else this.#abort(SHUTDOWN);
  }

  /** Ends the connection of a reader that takes nothing: what is queued is lost. */
  #abort(disconnect: Disconnect): void {
    if (this.closed) return;
    this.#stop();
    this.#outbox.discard();
    this.#transport.destroy(disconnect.code, disconnect.reason);
    this.#freeSubscriptions(disconnect);
  }

  #stop(): void {
    this.phase = 'closed';
    this.context.wheel.cancel(this.#timer);
    this.#inbox.clear();
    this.context.sessions.closed(this);
  }

  #freeSubscriptions({ code, reason }: Disconnect): void {
    const { policy } = this.context;
    for (const subscription of [...this.subscriptions.values()]) {
      const { live, channel } = subscription;
      this.releaseSubscription(subscription);
      if (live) this.#tellPolicy(() => policy.unsubscribed?.(this, channel, 1, 'client disconnected'));
    }
    this.#tellPolicy(() => policy.disconnected?.(this, code, reason));
  }

  /** A hook that only listens must not break what it listens to. */
  #tellPolicy(call: () => void): void {
    try {
      call();
    } catch (error) {
      this.context.reportError(error);
    }
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
    if (command.kind !== 'connect') return;
    this.phase = 'refused';
    this.#inbox.clear();
    this.schedule.refused(this.context.clock.now());
    this.rearm();
  }

  // Time:

  /** Sets the one timer of this connection to its next duty. */
  rearm(): void {
    if (!this.closed) this.context.wheel.schedule(this.#timer, this.schedule.next - this.context.clock.now());
  }

  #timerFired(): void {
    const now = this.context.clock.now();
    for (let duty = this.schedule.take(now); duty !== null && !this.closed; duty = this.schedule.take(now)) {
      this.#perform(duty, now);
    }
    this.rearm();
  }

  #perform(duty: Duty, now: number): void {
    switch (duty) {
      case 'stale':
        this.close(new Disconnect(3502, 'stale'));
        break;
      case 'refused':
        // Stream transports stay open until the client leaves or the stale moment comes (client protocol 4.7).
        if (!this.#transport.announcesDisconnect) this.close(new Disconnect(1000, 'connect refused'));
        break;
      case 'no-pong':
        // While we do not read, silence proves nothing.
        if (this.#inbox.stalled) this.schedule.pinged(now);
        else this.close(new Disconnect(3012, 'no pong'));
        break;
      case 'ping':
        this.#outbox.push(new Batch(this.framing, this.framing.codec.ping));
        this.schedule.pinged(now);
        break;
      case 'tick':
      case 'expiry':
        break;
    }
  }
}
