import type { AddressInfo } from 'node:net';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** A way to a server on which every connection is cut after a random time between two bounds. */
export class CuttingProxy {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  /** How many it cut. */
  cuts = 0;
  /** From now on connections last. */
  isOver = false;

  private constructor(port: number, nextMs: () => number) {
    this.#server = createServer(client => {
      const onward = connect(port, '127.0.0.1');
      for (const socket of [client, onward]) {
        this.#sockets.add(socket);
        socket.on('error', () => {});
        socket.on('close', () => {
          this.#sockets.delete(socket);
          clearTimeout(timer);
          client.destroy();
          onward.destroy();
        });
      }
      const timer = setTimeout(() => {
        if (this.isOver) return;
        this.cuts++;
        client.resetAndDestroy();
      }, nextMs());
      client.pipe(onward).pipe(client);
    });
  }

  /** @param nextMs how long the next connection lasts */
  static async start(port: number, nextMs: () => number): Promise<CuttingProxy> {
    const proxy = new CuttingProxy(port, nextMs);
    await new Promise<void>(resolve => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise(resolve => this.#server.close(resolve));
  }
}
