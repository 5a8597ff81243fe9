import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * A proxy as some networks have it: it passes plain requests on and refuses every upgrade. It also
 * serves a page with the stock client's script, so that browsers have an origin to run in.
 */
export class HostileProxy {
  readonly #backend: URL;
  readonly #script: string;
  readonly #server: Server;
  /** Upgrades it refused. */
  refused = 0;

  private constructor(backend: string, script: string) {
    this.#backend = new URL(backend);
    this.#script = script;
    this.#server = createServer((incoming, outgoing) => this.#answer(incoming, outgoing));
    this.#server.on('upgrade', (_request, socket) => {
      this.refused++;
      socket.end('HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
    });
  }

  /** @param script file with the script that the page loads */
  static async start(backend: string, script: string): Promise<HostileProxy> {
    const proxy = new HostileProxy(backend, script);
    await new Promise<void>(resolve => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  /** `localhost:<port>` */
  get host(): string {
    return `localhost:${(this.#server.address() as AddressInfo).port}`;
  }

  #answer(incoming: IncomingMessage, outgoing: ServerResponse): void {
    if (incoming.url === '/page') {
      outgoing.setHeader('content-type', 'text/html').end('<script src="/script.js"></script>');
    } else if (incoming.url === '/script.js') {
      outgoing.setHeader('content-type', 'text/javascript').end(readFileSync(this.#script));
    } else this.#forward(incoming, outgoing);
  }

  #forward(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const { hostname, port } = this.#backend;
    const { method, url, headers } = incoming;
    const onward = request({ hostname, port, method, path: url, headers }, answer => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers).flushHeaders();
      answer.pipe(outgoing);
    });
    onward.on('error', () => outgoing.destroy());
    outgoing.on('close', () => onward.destroy());
    incoming.pipe(onward);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise(resolve => this.#server.close(resolve));
  }
}
