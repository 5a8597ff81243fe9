import type { Answer, Protocol } from './answer.ts';
import type { Bytes } from './reply.ts';
import { encodedPush } from './resp.ts';

/** The way to a client. */
export interface ClientOutput {
  send(bytes: Bytes): void;
  /** Ends the connection once everything sent has left. */
  end(): void;
}

/** What the server knows of a connection. */
export class Client {
  readonly id: number;
  readonly output: ClientOutput;
  protocol: Protocol = 2;
  database = 0;
  name: Bytes = '';
  /** `host:port` */
  address: Bytes = '';
  isLoggedIn: boolean;
  /** It killed itself: what it is answered after that is lost. */
  endsAfterReply = false;
  /** Nothing is read after QUIT or a kill. */
  isEnded = false;
  /** Commands since MULTI; undefined without one. */
  queued: (readonly Bytes[])[] | undefined;
  /** One of them was refused: EXEC runs none. */
  isSpoiled = false;
  /** EXEC runs. */
  isInTransaction = false;
  /** It said ASKING: its next command may be about a slot that is on its way here. */
  isAsking = false;
  readonly channels = new Set<Bytes>();
  readonly shardChannels = new Set<Bytes>();

  /** What it will get at the end of the server's turn. */
  #waiting: Bytes = '';
  readonly #pending: Set<Client>;

  /** @param pending the clients that something waits for */
  constructor(id: number, output: ClientOutput, isLoggedIn: boolean, pending: Set<Client>) {
    this.id = id;
    this.output = output;
    this.#pending = pending;
    this.isLoggedIn = isLoggedIn;
  }

  get hasSubscriptions(): boolean {
    return this.channels.size + this.shardChannels.size > 0;
  }

  push(items: readonly Answer[]): void {
    this.send(encodedPush(items, this.protocol));
  }

  send(bytes: Bytes): void {
    this.#waiting += bytes;
    this.#pending.add(this);
  }

  /** Sends what waits. */
  flush(): void {
    const bytes = this.#waiting;
    this.#waiting = '';
    if (bytes !== '') this.output.send(bytes);
  }

  /** What waits is lost. */
  drop(): void {
    this.#waiting = '';
  }
}
