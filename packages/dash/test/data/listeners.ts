import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';

/** A listener that speaks no protocol, and counts who comes and who leaves. */
export class Listener {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  connections = 0;
  ended = 0;

  private constructor(server: Server) {
    this.#server = server;
  }

  /** @param onConnection what it does with a connection; nothing by default. */
  static async open(onConnection: (socket: Socket) => void = () => undefined): Promise<Listener> {
    const server = createServer();
    const listener = new Listener(server);
    server.on('connection', socket => {
      listener.connections++;
      listener.#sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => listener.ended++);
      socket.resume();
      onConnection(socket);
    });
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    return listener;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    return new Promise(resolve => this.#server.close(() => resolve()));
  }
}
