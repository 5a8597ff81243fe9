import { createPrivateKey, X509Certificate } from 'node:crypto';
import { lookup } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import type { WebTransportServer as Stack, WebTransportServerSession } from 'rwebtransport';
import {
  type WebTransportListenOptions,
  type WebTransportProvider,
  type WebTransportServer,
  type WebTransportSession,
  WebTransportUnavailable,
} from './provider.ts';

const PACKAGE = 'rwebtransport';
const NODE_MAJORS = [24, 26];

/**
 * HTTP/3 by the optional package `rwebtransport`, a native addon; loaded when a listener is opened, not before.
 */
export const rwebtransport: WebTransportProvider = {
  async listen(options) {
    await checkCertificate(options);
    const { host, port, certFile, keyFile } = options;
    const { WebTransportServer } = await load();
    const listening = { host: await addressOf(host), port, cert: certFile, key: keyFile };
    let server: Stack;
    try {
      server = new WebTransportServer(listening);
      endSessionsWithoutError(server);
    } catch (cause) {
      throw new WebTransportUnavailable('unloadable', `${PACKAGE} cannot be loaded: ${text(cause)}`, {
        cause,
      });
    }
    try {
      await server.ready;
    } catch (cause) {
      const message = `cannot listen on UDP ${listening.host}:${port}: ${text(cause)}`;
      throw new WebTransportUnavailable('cannot_listen', message, { cause });
    }
    return new Server(server);
  },
};

/** The method of the stack by which its native part reports; it is called through the object each time. */
interface NativeEvents {
  onEvent?(event: { readonly type: string }): void;
}

/**
 * A session that ends by an error of QUIC, which every peer can send, rejects a promise of the stack that nothing
 * catches: it would end the process. The stack is told of such an end as of any other.
 */
function endSessionsWithoutError(server: Stack): void {
  const events = server as unknown as NativeEvents; // the declarations call it private
  const report = events.onEvent;
  if (report === undefined) return;
  const end = { type: 'closed', code: 0, reason: new Uint8Array(0), remote: true };
  events.onEvent = event => report.call(server, event.type === 'error' ? { ...event, ...end } : event);
}

/** The stack takes addresses only, those of IPv6 in brackets. */
async function addressOf(host: string): Promise<string> {
  if (host === '') return '0.0.0.0';
  try {
    const { address, family } = await lookup(host);
    return family === 6 ? `[${address}]` : address;
  } catch (cause) {
    throw new WebTransportUnavailable('cannot_listen', `cannot listen on ${host}: no such host`, { cause });
  }
}

function text(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND';
}

async function load(): Promise<typeof import('rwebtransport')> {
  const major = Number(process.versions.node.split('.')[0]);
  if (!NODE_MAJORS.includes(major)) {
    const message = `WebTransport needs Node.js ${NODE_MAJORS.join(' or ')}, this is ${process.versions.node}`;
    throw new WebTransportUnavailable('unsupported_runtime', message);
  }
  try {
    return await import('rwebtransport');
  } catch (cause) {
    if (!isMissing(cause)) {
      throw new WebTransportUnavailable('unloadable', `${PACKAGE} cannot be loaded: ${text(cause)}`, {
        cause,
      });
    }
    const message = `WebTransport needs a package that is not installed: npm install ${PACKAGE}`;
    throw new WebTransportUnavailable('not_installed', message, { cause });
  }
}

function badCertificate(message: string, cause?: unknown): WebTransportUnavailable {
  return new WebTransportUnavailable('bad_certificate', message, { cause });
}

async function read(path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (cause) {
    throw badCertificate(`${path} cannot be read: ${text(cause)}`, cause);
  }
}

function parse<T>(make: () => T, message: string): T {
  try {
    return make();
  } catch (cause) {
    throw badCertificate(message, cause);
  }
}

/** The stack would not say what is wrong with a pair, so the files are checked before it sees them. */
async function checkCertificate({ certFile, keyFile }: WebTransportListenOptions): Promise<void> {
  const [cert, key] = await Promise.all([read(certFile), read(keyFile)]);
  const certificate = parse(() => new X509Certificate(cert), `${certFile} holds no PEM certificate`);
  const privateKey = parse(() => createPrivateKey(key), `${keyFile} holds no PEM private key`);
  if (!certificate.checkPrivateKey(privateKey))
    throw badCertificate(`${keyFile} is not the key of ${certFile}`);
}

class Server implements WebTransportServer {
  readonly #server: Stack;

  constructor(server: Stack) {
    this.#server = server;
  }

  get port(): number {
    return this.#server.port;
  }

  get sessions(): AsyncIterable<WebTransportSession> {
    return sessionsOf(this.#server);
  }

  async close(): Promise<void> {
    this.#server.close();
    await this.#server.closed.catch(() => {}); // whatever ended it, it is closed
  }
}

async function* sessionsOf({ incomingSessions }: Stack): AsyncGenerator<WebTransportSession> {
  for await (const session of incomingSessions) yield new Session(session);
}

class Session implements WebTransportSession {
  readonly #session: WebTransportServerSession;

  constructor(session: WebTransportServerSession) {
    this.#session = session;
  }

  get path(): string {
    return this.#session.path;
  }

  get authority(): string {
    return this.#session.authority;
  }

  get origin(): string | null {
    return this.#session.origin;
  }

  get headers(): Readonly<Record<string, string>> {
    return this.#session.headers;
  }

  get remoteAddress(): string {
    return this.#session.remoteAddress;
  }

  get incomingStreams(): ReadableStream<{
    readable: ReadableStream<Uint8Array>;
    writable: WritableStream<Uint8Array>;
  }> {
    return this.#session.incomingBidirectionalStreams;
  }

  get closed(): Promise<unknown> {
    return this.#session.closed;
  }

  close(closeCode: number, reason: string): void {
    this.#session.close({ closeCode, reason });
  }
}
