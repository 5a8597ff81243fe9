import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A TCP proxy whose connections can be cut, as a network does: with a reset, and no connection opens until it is mended. */
export class CutProxy {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #cut = false;

  static async start(target: number): Promise<CutProxy> {
    const proxy = new CutProxy(target);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  private constructor(target: number) {
    this.#server = createServer(socket => {
      this.#keep(socket);
      if (this.#cut) {
        socket.resetAndDestroy();
        return;
      }
      const onward = this.#keep(connect(target, '127.0.0.1'));
      socket.pipe(onward).pipe(socket);
      socket.once('close', () => onward.destroy());
      onward.once('close', () => socket.destroy());
    });
  }

  #keep(socket: Socket): Socket {
    this.#sockets.add(socket);
    return socket
      .setNoDelay(true)
      .on('error', () => socket.destroy())
      .once('close', () => this.#sockets.delete(socket));
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port; // listening on TCP
  }

  /** Resets every connection and refuses new ones. */
  cut(): void {
    this.#cut = true;
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  /** Lets connections through again. */
  mend(): void {
    this.#cut = false;
  }

  async stop(): Promise<void> {
    this.cut();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
