import { Duplex } from 'node:stream';

/** What a socket has over TLS as without it, and what means nothing in the simulation. */
export abstract class SocketBase extends Duplex {
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
