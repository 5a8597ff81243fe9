import { Disconnect, type RealtimeNode, ReplyError } from '@msg/engine';
import type { Push } from '@msg/protocol';
import type { ClientCommand, Link, LinkEvents, ServerMessage, SubscribeCommand } from './link.ts';
import { fromPush, fromResult, subscribeRequest } from './wire.ts';

type InProcessConnection = Awaited<ReturnType<RealtimeNode['connect']>>;

/**
 * A connection by `node.connect`. A result comes as a promise, later than the pushes of the same turn, so the
 * pushes of a channel wait here for the answer to its subscribe. This link cannot show that the answer was sent
 * first; the others do.
 */
export class InProcessLink implements Link {
  readonly #client: LinkEvents;
  #connection: InProcessConnection | null = null;
  /** Sent before the connection was there. */
  #early: ClientCommand[] = [];
  /** Pushes of the channels whose subscribe is not answered. */
  readonly #behind = new Map<string, ServerMessage[]>();
  #clientReads = true;
  #over = false;

  constructor(node: RealtimeNode, token: string, client: LinkEvents) {
    this.#client = client;
    void node
      .connect({ token, onPush: push => this.#pushed(push), onClosed: ({ code }) => this.#closed(code) })
      .then(
        connection => this.#connected(connection),
        (error: Disconnect) => this.#closed(error.code),
      );
  }

  send(commands: readonly ClientCommand[]): void {
    if (this.#connection === null) this.#early.push(...commands);
    else for (const command of commands) void this.#perform(this.#connection, command);
  }

  stopReading(): void {
    this.#clientReads = false;
    this.#connection?.pausePushes();
  }

  readAgain(): void {
    this.#clientReads = true;
    this.#connection?.resumePushes();
  }

  hangUp(): void {
    this.#over = true;
    this.#connection?.disconnect();
  }

  #connected(connection: InProcessConnection): void {
    this.#connection = connection;
    if (this.#over) connection.disconnect();
    if (!this.#clientReads) connection.pausePushes();
    const early = this.#early;
    this.#early = [];
    this.send(early);
  }

  async #perform(connection: InProcessConnection, command: ClientCommand): Promise<void> {
    const { id } = command;
    try {
      if (command.kind === 'subscribe') await this.#subscribe(connection, command);
      else if (command.kind === 'unsubscribe') {
        await connection.unsubscribe(command.channel);
        this.#answer({ kind: 'reply', id, error: 0, answer: null });
      }
    } catch (error) {
      if (error instanceof ReplyError) this.#answer({ kind: 'reply', id, error: error.code, answer: null });
      else if (!(error instanceof Disconnect)) throw error;
    }
  }

  async #subscribe(connection: InProcessConnection, command: SubscribeCommand): Promise<void> {
    const behind: ServerMessage[] = [];
    this.#behind.set(command.channel, behind);
    try {
      const result = await connection.subscribe(command.channel, subscribeRequest(command));
      this.#answer({ kind: 'reply', id: command.id, error: 0, answer: fromResult(result) });
    } finally {
      this.#behind.delete(command.channel);
      for (const message of behind) this.#answer(message);
    }
  }

  #pushed(push: Push): void {
    const behind = this.#behind.get(push.channel);
    if (behind === undefined) this.#answer(fromPush(push));
    else behind.push(fromPush(push));
  }

  #answer(message: ServerMessage): void {
    if (!this.#over) this.#client.received(message);
  }

  #closed(code: number): void {
    if (this.#over) return;
    this.#over = true;
    this.#client.closed(code);
  }
}
