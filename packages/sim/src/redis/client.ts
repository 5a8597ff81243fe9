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
  /** Nothing is read after QUIT or a kill. */
  isEnded = false;
  /** Commands since MULTI; undefined without one. */
  queued: (readonly Bytes[])[] | undefined;
  /** One of them was refused: EXEC runs none. */
  isSpoiled = false;
  readonly channels = new Set<Bytes>();
  readonly shardChannels = new Set<Bytes>();

  constructor(id: number, output: ClientOutput, isLoggedIn: boolean) {
    this.id = id;
    this.output = output;
    this.isLoggedIn = isLoggedIn;
  }

  get hasSubscriptions(): boolean {
    return this.channels.size + this.shardChannels.size > 0;
  }

  push(items: readonly Answer[]): void {
    this.output.send(encodedPush(items, this.protocol));
  }
}
