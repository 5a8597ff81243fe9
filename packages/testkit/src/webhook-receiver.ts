import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** A request that was received whole. */
export interface ReceivedWebhook {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  /** The body, undecoded. */
  readonly bytes: Uint8Array;
}

/**
 * What a server does with a request: answers with a status (and headers), never answers, cuts the connection before
 * the answer, or answers and never ends the body.
 */
export type WebhookBehaviour =
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: string }
  | 'hang'
  | 'reset'
  | { readonly endless: number };

/** A real HTTP server on a free loopback port that keeps the requests it receives and answers as the test says. */
export class WebhookReceiver {
  readonly received: ReceivedWebhook[] = [];
  /** Applies until it is changed. */
  behaviour: WebhookBehaviour;
  /** Bytes of endless bodies that were written. */
  streamed = 0;
  /** Endless bodies that the other side ended. */
  cutStreams = 0;
  /** Connections so far. */
  accepted = 0;
  readonly #server: Server;
  readonly #scheme: 'http' | 'https';
  readonly #sockets = new Set<Socket>();
  readonly #waiting = new Set<() => void>();

  /** @param tls key and certificate in PEM; absent: plain HTTP */
  constructor(behaviour: WebhookBehaviour = { status: 200 }, tls?: { key: string; cert: string }) {
    this.behaviour = behaviour;
    const handle = (request: IncomingMessage, response: ServerResponse) =>
      void this.#handle(request, response);
    this.#server = tls === undefined ? createServer(handle) : createTlsServer(tls, handle);
    this.#scheme = tls === undefined ? 'http' : 'https';
    this.#server.on('connection', (socket: Socket) => {
      this.accepted++;
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
    });
  }

  /** Listens. @returns `http://127.0.0.1:<port>`, or `https:` */
  async listen(port = 0): Promise<string> {
    await new Promise<void>(resolve => this.#server.listen(port, '127.0.0.1', resolve));
    return `${this.#scheme}://127.0.0.1:${(this.#server.address() as AddressInfo).port}`; // a TCP server's address
  }

  /** Open connections. */
  get connections(): number {
    return this.#sockets.size;
  }

  /** Resolves when that many requests have been received. */
  async got(count: number): Promise<void> {
    while (this.received.length < count) {
      await new Promise<void>(resolve => this.#waiting.add(resolve));
    }
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    if (this.#server.listening) await new Promise<void>(resolve => this.#server.close(() => resolve()));
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(request).catch(() => undefined);
    if (body === undefined) return;
    const { behaviour } = this;
    const { method = '', url: path = '', headers } = request;
    if (behaviour === 'reset') this.#cut(request.socket);
    this.received.push({ method, path, headers, body: body.toString(), bytes: body });
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const resume of waiting) resume();
    if (behaviour === 'hang' || behaviour === 'reset') return;
    if ('endless' in behaviour) this.#stream(response, behaviour.endless);
    else response.writeHead(behaviour.status, { ...behaviour.headers }).end(behaviour.body ?? '');
  }

  #cut(socket: Socket): void {
    // A connection with TLS cannot be reset.
    if (this.#scheme === 'http') socket.resetAndDestroy();
    else socket.destroy();
  }

  #stream(response: ServerResponse, status: number): void {
    const chunk = Buffer.alloc(16_384, 'x');
    response.writeHead(status);
    response.on('close', () => this.cutStreams++);
    const write = () => {
      while (!response.destroyed && response.write(chunk)) this.streamed += chunk.length;
    };
    response.on('drain', write);
    write();
  }
}
