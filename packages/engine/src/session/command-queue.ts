import { type Command, type CommandReader, DecodeError, type ServerCodec } from '@msg/protocol';
import type { NodeContext } from './context.ts';

/** Commands that one connection runs in one turn of the event loop. */
export const COMMANDS_PER_TURN = 64;

/** Executes the commands of a queue. */
export interface CommandHandler {
  /** Executes one command; returns a promise, which never rejects, only when it waits. */
  execute(command: Command): Promise<void> | undefined;
  /** A pong arrived while a command was waiting; it counts before the queued commands run. */
  pongArrived(): void;
  /** The input cannot be decoded; the queue reads no more of it. */
  undecodable(error: DecodeError): void;
  /** False while no command may run: the connection ended, was rejected, or the client does not read its replies. */
  canExecute(): boolean;
  pauseReading(): void;
  resumeReading(): void;
}

/** What the command queues of one node share. */
export type CommandQueueContext = Pick<NodeContext, 'clock' | 'limits'>;

/**
 * Executes the commands of one connection strictly one after the other; a command that waits holds the next ones. When
 * too many bytes are queued, the transport is not read (client protocol 6.2).
 */
export class CommandQueue {
  readonly #codec: ServerCodec;
  readonly #owner: CommandHandler;
  readonly #context: CommandQueueContext;
  /** A command waits for something. */
  #busy = false;
  /** The current frame: each command runs before the next one is decoded. */
  #reader: CommandReader | null = null;
  #backlog: Uint8Array[] | null = null;
  #backlogBytes = 0;
  #paused = false;
  /** Commands that may run before the next pause. */
  #commandsLeft = COMMANDS_PER_TURN;

  constructor(codec: ServerCodec, owner: CommandHandler, context: CommandQueueContext) {
    this.#codec = codec;
    this.#owner = owner;
    this.#context = context;
  }

  /** True while this side does not read: the peer's silence then proves nothing. */
  get paused(): boolean {
    return this.#paused;
  }

  /** Takes one complete frame. Its bytes are copied when they must wait. */
  receive(frame: Uint8Array): void {
    if (this.#busy || this.#reader !== null || this.#backlog !== null || !this.#owner.canExecute())
      this.#keep(frame);
    else this.#work(this.#codec.commands(frame));
  }

  /** Runs the queued commands as far as commands may run. */
  proceed(): void {
    while (!this.#busy && this.#owner.canExecute()) {
      const reader = this.#reader ?? this.#nextFrame();
      if (reader === null) break;
      this.#work(reader);
    }
    if (!this.#paused || this.#backlogBytes >= this.#context.limits.backlogBytes) return;
    this.#paused = false;
    this.#owner.resumeReading();
  }

  /** Drops everything that is queued. */
  clear(): void {
    this.#reader = null;
    this.#backlog = null;
    this.#backlogBytes = 0;
  }

  #work(reader: CommandReader): void {
    this.#reader = reader;
    while (this.#reader === reader && this.#owner.canExecute()) {
      if (this.#commandsLeft === 0) {
        this.#busy = true;
        this.#context.clock.afterTurn(() => this.#turnCame());
        return;
      }
      const command = this.#decode(reader);
      if (command === null) {
        this.#reader = null;
        return;
      }
      this.#commandsLeft--;
      const pending = this.#owner.execute(command);
      if (pending === undefined) continue;
      this.#busy = true;
      // Made for each wait: a field with the function would be held by every idle connection.
      void pending.then(() => this.#settled());
      return;
    }
  }

  #turnCame(): void {
    this.#commandsLeft = COMMANDS_PER_TURN;
    this.#settled();
  }

  #settled(): void {
    this.#busy = false;
    this.proceed();
  }

  #decode(reader: CommandReader): Command | null {
    try {
      return reader.next();
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error;
      this.#owner.undecodable(error);
      return null;
    }
  }

  #nextFrame(): CommandReader | null {
    const frame = this.#backlog?.shift();
    if (frame === undefined) {
      this.#backlog = null;
      return null;
    }
    this.#backlogBytes -= frame.length;
    return this.#codec.commands(frame);
  }

  #keep(frame: Uint8Array): void {
    if (this.#isPongCommand(frame)) {
      this.#owner.pongArrived();
      return;
    }
    this.#backlog ??= [];
    this.#backlog.push(frame.slice());
    this.#backlogBytes += frame.length;
    if (this.#paused || this.#backlogBytes < this.#context.limits.backlogBytes) return;
    this.#paused = true;
    this.#owner.pauseReading();
  }

  /** Whether the frame is a single pong, which has the form of a server ping. */
  #isPongCommand(frame: Uint8Array): boolean {
    const { ping } = this.#codec;
    return frame.length === ping.length && frame.every((byte, i) => byte === ping[i]);
  }
}
