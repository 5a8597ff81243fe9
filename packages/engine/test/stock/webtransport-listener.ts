import {
  type RealtimeNode,
  rwebtransport,
  WebTransportEndpoint,
  type WebTransportProvider,
  type WebTransportServer,
  type WebTransportSession,
} from '@msg/engine';
import { ShortLivedCertificate } from '@msg/testkit';
import { afterAll } from 'vitest';
import { ChromiumTransports } from './chromium-transport.ts';

let certificate: ShortLivedCertificate | null = null;
let transports: Promise<ChromiumTransports> | null = null;

/** The browser that the clients of this file share; started when a first one needs it. */
export function chromiumTransports(): Promise<ChromiumTransports> {
  certificate ??= new ShortLivedCertificate();
  transports ??= ChromiumTransports.start(certificate.hash);
  return transports;
}

afterAll(async () => {
  await (await transports)?.stop();
  certificate?.remove();
});

/** Sessions handed over one by one. */
class SessionQueue implements AsyncIterable<WebTransportSession> {
  readonly #waiting: WebTransportSession[] = [];
  #wake = Promise.withResolvers<void>();
  #closed = false;

  push(session: WebTransportSession): void {
    this.#waiting.push(session);
    this.#wake.resolve();
  }

  close(): void {
    this.#closed = true;
    this.#wake.resolve();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<WebTransportSession> {
    while (!this.#closed) {
      const session = this.#waiting.shift();
      if (session !== undefined) yield session;
      else {
        await this.#wake.promise;
        this.#wake = Promise.withResolvers();
      }
    }
  }
}

/** A listener of its own whose sessions go to whatever node a test says, and can be cut. */
export class WebTransportListener {
  readonly #queue = new SessionQueue();
  /** Live sessions by the number that the node sees as their address. */
  readonly #sessions = new Map<string, WebTransportSession>();
  #target: SessionQueue = this.#queue;
  #lastNumber = 0;
  #endpoint: WebTransportEndpoint | null = null;
  port = 0;

  async start(node: RealtimeNode): Promise<void> {
    certificate ??= new ShortLivedCertificate();
    const provider: WebTransportProvider = {
      listen: async options => this.#wrap(await rwebtransport.listen(options)),
    };
    const { certFile, keyFile } = certificate;
    const options = { host: '127.0.0.1', port: 0, certFile, keyFile };
    this.#endpoint = await WebTransportEndpoint.listen(node, provider, options);
    this.port = this.#endpoint.port;
  }

  get sessions(): number {
    return this.#sessions.size;
  }

  redirectTo(successor: WebTransportListener): void {
    this.#target = successor.#queue;
  }

  /** Ends a session without a word to its client. */
  cut(number: string): void {
    this.#sessions.get(number)?.close(0, '');
  }

  async stop(): Promise<void> {
    await this.#endpoint?.close();
  }

  #wrap(server: WebTransportServer): WebTransportServer {
    const queue = this.#queue;
    const pump = async (): Promise<void> => {
      for await (const session of server.sessions) this.#came(session);
      queue.close();
    };
    const pumping = pump();
    return {
      port: server.port,
      sessions: queue,
      async close() {
        await server.close();
        await pumping;
      },
    };
  }

  #came(session: WebTransportSession): void {
    const number = String(++this.#lastNumber);
    this.#sessions.set(number, session);
    const gone = () => this.#sessions.delete(number);
    session.closed.then(gone, gone);
    const { path, authority, origin, headers, incomingStreams, closed } = session;
    this.#target.push({
      path,
      authority,
      origin,
      headers,
      incomingStreams,
      closed,
      remoteAddress: number,
      close: (code, reason) => session.close(code, reason),
    });
  }
}
