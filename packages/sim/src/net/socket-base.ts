import { Duplex, type DuplexOptions } from 'node:stream';
import { noteSocket } from './parsers.ts';

/** What a socket has over TLS as without it, and what means nothing in the simulation. */
export abstract class SocketBase extends Duplex {
  constructor(options: DuplexOptions) {
    super(options);
    noteSocket(this);
  }

  destroySoon(): void {
    if (this.writable) this.end();
    if (this.writableFinished) this.destroy();
    else this.once('finish', this.destroy);
  }

  setNoDelay(): this {
    return this;
  }

  setKeepAlive(): this {
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }
}
