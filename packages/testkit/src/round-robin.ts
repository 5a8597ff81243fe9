import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';

/** How often servers are asked whether they are ready. */
const PROBE_MS = 25;

/**
 * A proxy that hands every request, and every WebSocket, to the next server in turn: nothing is sticky. Servers whose
 * probe does not answer 200 are passed over.
 */
export class RoundRobinProxy {
  readonly #backends: readonly URL[];
  readonly #server: Server;
  readonly #ready: boolean[];
  #probing: NodeJS.Timeout | undefined;
  #next = 0;

  private constructor(backends: readonly string[]) {
    this.#backends = backends.map(backend => new URL(backend));
    this.#ready = backends.map(() => true);
    // Java's own client offers HTTP/2 in every first request, and stays with HTTP/1.1 where nothing takes that up.
    const shouldUpgradeCallback = ({ headers }: IncomingMessage): boolean =>
      headers.upgrade?.toLowerCase() === 'websocket';
    this.#server = createServer({ shouldUpgradeCallback }, (incoming, outgoing) =>
      this.#forward(incoming, outgoing),
    );
    this.#server.on('upgrade', (incoming, socket, head) => this.#upgrade(incoming, socket, head));
  }

  /** Listens on the loopback interface unless told otherwise; port 0 takes a free one. */
  static async start(backends: readonly string[], port = 0, host = '127.0.0.1'): Promise<RoundRobinProxy> {
    const proxy = new RoundRobinProxy(backends);
    await new Promise<void>((resolve, reject) => {
      proxy.#server.once('error', reject);
      proxy.#server.listen(port, host, resolve);
    });
    return proxy;
  }

  /** `http://127.0.0.1:<port>` */
  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** From now on only servers get anything whose `path` answers 200. */
  probe(path: string): void {
    this.#probing = setInterval(() => {
      for (const [index, backend] of this.#backends.entries()) {
        fetch(new URL(path, backend)).then(
          answer => {
            this.#ready[index] = answer.status === 200;
            return answer.body?.cancel();
          },
          () => {
            this.#ready[index] = false;
          },
        );
      }
    }, PROBE_MS);
  }

  /** How many servers get something, as of the last probes. */
  get readyBackends(): number {
    return this.#ready.filter(Boolean).length;
  }

  async stop(): Promise<void> {
    clearInterval(this.#probing);
    const closed = new Promise(resolve => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  #pick(): URL {
    const count = this.#backends.length;
    for (let tried = 0; tried < count && !this.#ready[this.#next % count]; tried++) this.#next++;
    return this.#backends[this.#next++ % count] as URL; // there is at least one
  }

  #open(incoming: IncomingMessage) {
    const { hostname, port } = this.#pick();
    const { method, url, headers } = incoming;
    // A connection that the server is closing must not be taken for the next request.
    return request({ hostname, port, method, path: url, headers, agent: false });
  }

  #forward(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const onward = this.#open(incoming);
    onward.on('response', answer => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      // A stream's first bytes must not wait for its last.
      outgoing.flushHeaders();
      answer.pipe(outgoing);
      answer.on('error', () => outgoing.destroy());
    });
    onward.on('error', () => (outgoing.headersSent ? outgoing.destroy() : outgoing.writeHead(502).end()));
    outgoing.on('close', () => onward.destroy());
    incoming.pipe(onward);
  }

  #upgrade(incoming: IncomingMessage, socket: Duplex, head: Buffer): void {
    const onward = this.#open(incoming);
    onward.on('upgrade', (answer, server, rest) => {
      const lines = answer.rawHeaders.flatMap((name, index, list) =>
        index % 2 === 0 ? [`${name}: ${list[index + 1]}`] : [],
      );
      socket.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join('\r\n')}\r\n\r\n`);
      socket.write(rest);
      server.write(head);
      server.pipe(socket).pipe(server);
      for (const [side, other] of [
        [server, socket],
        [socket, server],
      ] as const) {
        side.on('error', () => other.destroy());
        side.on('close', () => other.destroy());
      }
    });
    onward.on('response', answer =>
      socket.end(`HTTP/1.1 ${answer.statusCode} Refused\r\nConnection: close\r\n\r\n`),
    );
    onward.on('error', () => socket.destroy());
    socket.on('error', () => onward.destroy());
    onward.end();
  }
}
