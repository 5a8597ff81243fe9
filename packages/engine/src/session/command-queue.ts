import { type Command, type CommandReader, DecodeError, type ServerCodec } from '@msg/protocol';
import type { NodeContext } from './context.ts';

/** Commands of one connection without a pause; then everything else of the node has its turn. */
export const COMMANDS_PER_TURN = 64;

/** Executes the commands of a queue. */
export interface CommandHandler {
  /** Executes one command. The promise, when it waits for something, never rejects. */
  execute(command: Command): Promise<void> | undefined;
  /** A pong arrived while a command was waiting: it proves life at once, whatever else is queued. */
  pongArrived(): void;
  /** The input is not decodable; nothing more will be read from it. */
  undecodable(error: DecodeError): void;
  /** False while no command may run: the connection ended, was refused, or its replies are not read. */
  canExecute(): boolean;
  pauseReading(): void;
  resumeReading(): void;
}

/** What the command queues of one node share. */
export type CommandQueueContext = Pick<NodeContext, 'clock' | 'limits'>;

/**
 * The commands of one connection, executed strictly one after the other including what they wait for. Frames
 * that arrive meanwhile wait; when too many bytes wait, the transport is not read (client protocol 6.2).
 */
export class CommandQueue {
  readonly #codec: ServerCodec;
  readonly #owner: CommandHandler;
  readonly #context: CommandQueueContext;
  /** A command waits for something. */
  #busy = false;
  /** The frame in work: each command runs before the next is decoded. */
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

  /** Reading is stopped on our side: the peer's silence proves nothing. */
  get paused(): boolean {
    return this.#paused;
  }

  /** Takes one complete frame. Its bytes are used until this returns, and copied when they must wait. */
  receive(frame: Uint8Array): void {
    if (this.#busy || this.#reader !== null || this.#backlog !== null || !this.#owner.canExecute())
      this.#keep(frame);
    else this.#work(this.#codec.commands(frame));
  }

  /** Continues with what waits, as far as commands may run. */
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

  /** Forgets everything that waits. */
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
      void pending.then(this.#settled);
      return;
    }
  }

  #turnCame(): void {
    this.#commandsLeft = COMMANDS_PER_TURN;
    this.#settled();
  }

  readonly #settled = (): void => {
    this.#busy = false;
    this.proceed();
  };

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

  /** Is this frame a single pong? It looks exactly like a server ping. */
  #isPongCommand(frame: Uint8Array): boolean {
    const { ping } = this.#codec;
    return frame.length === ping.length && frame.every((byte, i) => byte === ping[i]);
  }
}
