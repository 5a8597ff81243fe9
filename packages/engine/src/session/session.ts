import type { Command } from '@msg/protocol';
import type { Batch } from '../delivery/batch.ts';
import { type Disconnect, disconnect, unsubscribe } from '../errors.ts';
import type { RefreshDecision } from '../policy.ts';
import type { Framing, Transport } from '../transports/contract.ts';
import { ClientHandle } from './client-handle.ts';
import type { ClientNames } from './client-names.ts';
import { CommandQueue } from './command-queue.ts';
import { type CommandTable, executeCommand } from './commands/command-row.ts';
import { ConnectionState } from './connection-state.ts';
import { type NodeContext, notifyPolicy } from './context.ts';
import { Deadlines } from './deadlines.ts';
import { BAD_REQUEST, CONNECTION_CLOSED, SHUTDOWN, WRITE_ERROR } from './endings.ts';
import { expireCredentials, nextExpiry } from './expiration.ts';
import { Lifetime } from './lifetime.ts';
import { MessageWriter } from './message-writer.ts';
import type { SessionRegistry } from './registry.ts';
import type { SessionPorts } from './session-ports.ts';
import type { Subscription } from './subscription.ts';
import { SubscriptionSet } from './subscription-set.ts';
import { WriteQueue } from './write-queue.ts';

/** Shared by the sessions of a node. The node owns it. */
export interface SessionContext extends NodeContext {
  readonly sessions: SessionRegistry<Session>;
  readonly clientNames: ClientNames;
  readonly commands: CommandTable<Session>;
}

/**
 * One connection: joins its state, subscriptions, command queue and write queue. It frees everything it registered
 * exactly once, when it closes.
 */
export class Session implements SessionPorts {
  readonly context: SessionContext;
  readonly connection: ConnectionState;
  readonly client: ClientHandle;
  /** Capability in requests to the emulation endpoint; absent for a bidirectional transport. */
  readonly emulationSecret: string | undefined;
  readonly subscriptions: SubscriptionSet;
  readonly messages: MessageWriter;
  /** How messages for this connection are framed; connections with one framing share frames. */
  readonly framing: Framing;
  /** A payload that is not UTF-8 ends this connection: it uses JSON, and the policy excludes base64. */
  readonly refusesBinary: boolean;
  readonly #transport: Transport;
  readonly #commandQueue: CommandQueue;
  readonly writeQueue: WriteQueue;
  readonly #deadlines: Deadlines;

  constructor(context: SessionContext, transport: Transport) {
    const { framing } = transport;
    const { encoding } = framing.codec;
    this.context = context;
    this.#transport = transport;
    this.framing = framing;
    this.connection = new ConnectionState(context.random.uuid());
    this.client = new ClientHandle(this, transport.info);
    this.emulationSecret = transport.emulated ? context.random.uuid() : undefined;
    this.subscriptions = new SubscriptionSet(this);
    this.refusesBinary = encoding === 'json' && context.policy.binaryPayloads === 'disconnect';
    this.#commandQueue = new CommandQueue(framing.codec, this, context);
    this.writeQueue = new WriteQueue(context.writeQueue, transport, this);
    this.messages = new MessageWriter(this, transport, this.writeQueue);
    this.#deadlines = new Deadlines(context, this, this.messages);
    context.sessions.add(this);
    this.rearm();
  }

  // Ports of its parts:

  get closed(): boolean {
    return this.connection.phase === 'closed';
  }

  get readingPaused(): boolean {
    return this.#commandQueue.paused;
  }

  /** Bytes that the peer has not taken. */
  get waitingBytes(): number {
    return this.writeQueue.waitingBytes;
  }

  push(batch: Batch): void {
    this.writeQueue.push(batch);
  }

  lags(bytes: number): boolean {
    return this.writeQueue.lags(bytes);
  }

  // Port of the deadlines:

  get expiresAt(): number {
    return nextExpiry(this);
  }

  /** Sets the one timer of this connection to its next deadline. */
  rearm(): void {
    this.#deadlines.rearm();
  }

  expire(now: number): void {
    expireCredentials(this, now);
  }

  refreshed(decision: RefreshDecision): void {
    this.connection.refreshed(decision, Lifetime.of(decision.expiry, this.context));
    this.rearm();
  }

  // Port of the command queue:

  canExecute(): boolean {
    const { phase } = this.connection;
    return phase !== 'closed' && phase !== 'rejected' && !this.writeQueue.congested;
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
    const mayCome = this.connection.phase === 'connected' && this.messages.pingsByMessage;
    if (mayCome && this.#deadlines.onPong()) this.rearm();
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

  /** The client has the connect reply: pings, ticks and expiry begin. */
  connected(): void {
    if (this.closed) return;
    this.connection.connected(this.context.clock.monotonic());
    this.context.sessions.connected(this);
    this.#deadlines.start();
    this.rearm();
  }

  /** The connect got an error reply: no more is read, and the transport closes after `refusedMs`. */
  onConnectRejected(): void {
    this.connection.rejected();
    this.#commandQueue.clear();
    this.subscriptions.releaseAll();
    // Stream transports stay open until the client leaves or the stale moment comes (client protocol 4.7).
    if (!this.#transport.announcesDisconnect) this.#deadlines.rejected();
    this.rearm();
  }

  // Port of the transport:

  received(frame: Uint8Array): void {
    const { phase } = this.connection;
    if (phase === 'closed' || phase === 'rejected') return;
    this.context.stats.bytesIn += frame.length;
    this.writeQueue.recorder?.received(frame);
    this.#commandQueue.receive(frame);
  }

  pongReceived(): void {
    this.#deadlines.onPong();
    this.rearm();
  }

  drained(): void {
    this.writeQueue.drained();
  }

  transportClosed(): void {
    this.writeQueue.discard();
    this.#end(CONNECTION_CLOSED, () => {});
    this.context.sessions.transportClosed(this);
  }

  // Port of the write queue:

  onOverflow(): void {
    this.context.stats.slowConsumers++;
    this.#end(disconnect.slow(), ending => this.messages.abandon(ending));
  }

  onStall(): void {
    this.context.stats.slowConsumers++;
    this.#abort(WRITE_ERROR);
  }

  onDrain(): void {
    this.#commandQueue.proceed();
  }

  // Ends of the connection:

  onContinuityLost(subscription: Subscription): void {
    this.context.stats.insufficientStates++;
    if (subscription.serverSide) this.close(disconnect.insufficientState());
    else this.subscriptions.end(subscription, unsubscribe.insufficientState);
  }

  /** A message cannot be encoded for this connection (client protocol 2.1). */
  onNotEncodable(): void {
    this.close(disconnect.inappropriateProtocol());
  }

  /** Ends the connection after the queued messages (client protocol 6.5). */
  close(ending: Disconnect): void {
    this.#end(ending, () => this.messages.finish(ending));
  }

  /** Drops a transport that did not close in time. */
  drop(): void {
    this.#abort(SHUTDOWN);
  }

  /** Ends the connection, or the writing of an ended one, at once. */
  #abort(ending: Disconnect): void {
    if (this.closed) this.messages.destroy(ending);
    else this.#end(ending, () => this.messages.destroy(ending));
  }

  /** Ends the connection once: stops reading, ends the transport, frees what it registered. */
  #end(ending: Disconnect, endTransport: (ending: Disconnect) => void): void {
    if (this.closed) return;
    const { context, client } = this;
    const wasConnected = this.connection.closed();
    this.#deadlines.cancel();
    this.#commandQueue.clear();
    context.sessions.closed(this);
    endTransport(ending);
    this.writeQueue.recorder?.ended(ending.code, ending.reason);
    this.subscriptions.releaseAll();
    if (!wasConnected) return;
    notifyPolicy(context, () => context.policy.disconnected?.(client, ending.code, ending.reason));
  }
}
