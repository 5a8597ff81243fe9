import { connect, type Socket } from 'node:net';
import type { ProxyTarget } from '@msg/testkit/redis';
import { CommandReader } from './command-reader.ts';
import { machineUs } from './real-kernel.ts';

/** A write of a server, and where it ends in the stream of its replicas. */
export interface TappedWrite {
  readonly args: readonly string[];
  readonly endOffset: number;
  /** When it arrived, on the clock of the machine. */
  readonly machineUs: number;
}

/** What a tap tells. */
export interface TapEvents {
  written(write: TappedWrite): void;
  /** It follows the server: from where it was, or anew; then what the server had before was not told. */
  joined(how: 'again' | 'anew'): void;
  /** Its connection ended: the server is gone, or became something else. */
  left(): void;
}

const AGAIN_MS = 5;
/** A replica that says nothing for a minute is sent away. */
const ACK_MS = 1000;
/** Commands of the stream that are no writes. */
const NO_WRITES: readonly string[] = ['PING', 'SELECT', 'REPLCONF', 'MULTI', 'EXEC'];

/**
 * Follows a real Redis server as its replicas do: every write in its order, those of scripts one by one, at the moment at which
 * the server sends it on. The server takes it for a replica.
 */
export class ReplicationTap {
  readonly #place: ProxyTarget;
  readonly #events: TapEvents;
  readonly #user: string | undefined;
  #socket: Socket | undefined;
  #acks: NodeJS.Timeout | undefined;
  /** What it has still to say before the stream. */
  #words: string[] = [];
  /** Of the history that it follows. */
  id = '?';
  offset = -1;
  /** The server sends it what it writes. */
  isFollowing = false;
  #isStopped = false;

  /** @param user as whom it logs in, without a password; undefined: as the default user */
  constructor(place: ProxyTarget, events: TapEvents, user?: string) {
    this.#place = place;
    this.#events = events;
    this.#user = user;
  }

  /** Follows the server until {@link stop}, also after its restarts; resolves when it does. */
  start(): Promise<void> {
    return new Promise(resolve => this.#connect(resolve));
  }

  stop(): void {
    this.#isStopped = true;
    this.#ended();
  }

  #ended(): void {
    clearInterval(this.#acks);
    this.#socket?.destroy();
    this.#socket = undefined;
  }

  #connect(joined: () => void): void {
    if (this.#isStopped) return;
    const socket = connect(this.#place.port, this.#place.host);
    this.#socket = socket;
    socket.setNoDelay(true);
    const reader = new CommandReader();
    let read = this.#handshake(socket, reader, joined);
    let isJoined = false;
    const position = this.id === '?' ? -1 : this.offset + 1;
    this.#words = [
      ...(this.#user === undefined ? [] : [`AUTH ${this.#user} none`]),
      'REPLCONF capa psync2',
      `PSYNC ${this.id} ${position}`,
    ];
    socket.on('data', (piece: Buffer) => {
      const atUs = machineUs();
      reader.add(piece);
      if (!isJoined) isJoined = read();
      if (isJoined) this.#follow(reader, atUs);
    });
    socket.on('error', () => undefined); // its end is told by `close`
    socket.on('close', () => {
      read = () => false;
      if (this.#socket !== socket) return;
      this.isFollowing = false;
      this.#ended();
      if (isJoined) this.#events.left();
      setTimeout(() => this.#connect(isJoined ? () => undefined : joined), AGAIN_MS);
    });
    this.#say(socket);
  }

  /** Says what comes next before the stream: not earlier, a server refuses that as long as it has something to answer. */
  #say(socket: Socket): void {
    const words = this.#words.shift();
    if (words !== undefined) socket.write(`${words}\r\n`);
  }

  /** Answers a reader of what comes before the stream, which says whether that is over. */
  #handshake(socket: Socket, reader: CommandReader, joined: () => void): () => boolean {
    let state: 'answers' | 'size' | 'snapshot' = 'answers';
    let left = 0;
    const done = (how: 'again' | 'anew'): true => {
      this.#acks = setInterval(() => this.#acknowledge(socket), ACK_MS);
      this.#acknowledge(socket);
      this.isFollowing = true;
      this.#events.joined(how);
      joined();
      return true;
    };
    return () => {
      while (state !== 'snapshot') {
        const line = reader.line();
        if (line === undefined) return false;
        const [word = '', id = '', offset = ''] = line.split(' ');
        if (word === '+OK') this.#say(socket);
        else if (word === '+FULLRESYNC') {
          this.id = id;
          this.offset = Number(offset);
          state = 'size';
        } else if (word === '+CONTINUE') {
          if (id !== '') this.id = id;
          return done('again');
        } else if (word.startsWith('-'))
          socket.destroy(); // it loads, or has lost its own master: once more
        else if (state === 'size' && word.startsWith('$')) {
          left = Number(word.slice(1));
          state = 'snapshot';
        }
      }
      left = reader.skip(left);
      return left === 0 && done('anew');
    };
  }

  #follow(reader: CommandReader, atUs: number): void {
    for (let command = reader.next(); command !== undefined; command = reader.next()) {
      this.offset += command.length;
      const [name = ''] = command.args;
      if (name === '' || NO_WRITES.includes(name.toUpperCase())) continue;
      this.#events.written({ args: command.args, endOffset: this.offset, machineUs: atUs });
    }
  }

  #acknowledge(socket: Socket): void {
    const offset = String(this.offset);
    if (socket.writable)
      socket.write(`*3\r\n$8\r\nREPLCONF\r\n$3\r\nACK\r\n$${offset.length}\r\n${offset}\r\n`);
  }
}
