import { runningKernel } from '../kernel/running.ts';
import { lookup } from './names.ts';
import { networkOf } from './network.ts';
import { SimSocket } from './socket.ts';
import { SocketBase } from './socket-base.ts';

const NEWLINE = 0x0a;

/** What an end does with a line of the handshake. True: the connection is secure. */
type Handshake = (line: string, send: (line: string) => void) => boolean;

/**
 * One end of a TLS connection over a simulated one. The handshake is an exchange of lines that costs turns and a round
 * trip, as the real one; nothing is encrypted. Nothing passes before it has ended.
 */
export class SimTlsSocket extends SocketBase {
  readonly encrypted = true;
  connecting = true;
  authorized = false;
  #raw: SimSocket | undefined;
  #rest = Buffer.alloc(0);
  #isSecure = false;
  #whenSecure: (() => void) | undefined;
  #timeoutMs = 0;
  readonly #handshake: Handshake;

  constructor(handshake: Handshake) {
    super({ allowHalfOpen: true, autoDestroy: true });
    this.#handshake = handshake;
  }

  /** Begins over a connection. `greeting`: what this end says first. */
  over(raw: SimSocket, greeting?: string): this {
    this.#raw = raw;
    raw.setTimeout(this.#timeoutMs);
    raw.on('data', (bytes: Buffer) => this.#arrived(bytes));
    raw.on('end', () => this.push(null));
    raw.on('timeout', () => this.emit('timeout'));
    raw.on('error', error => this.destroy(error));
    raw.on('close', () => this.destroy());
    if (greeting !== undefined) raw.write(`${greeting}\n`);
    return this;
  }

  #arrived(bytes: Buffer): void {
    if (this.#isSecure) {
      if (!this.push(bytes)) this.#raw?.pause();
      return;
    }
    this.#rest = Buffer.concat([this.#rest, bytes]);
    for (let at = this.#rest.indexOf(NEWLINE); at >= 0; at = this.#rest.indexOf(NEWLINE)) {
      const line = this.#rest.subarray(0, at).toString();
      this.#rest = this.#rest.subarray(at + 1);
      if (!this.#step(line)) continue;
      if (this.#rest.length > 0) this.push(this.#rest);
      return;
    }
  }

  #step(line: string): boolean {
    try {
      this.#isSecure = this.#handshake(line, text => void this.#raw?.write(`${text}\n`));
    } catch (error) {
      this.destroy(error instanceof Error ? error : undefined);
    }
    if (!this.#isSecure) return false;
    this.connecting = false;
    this.authorized = true;
    this.emit('connect');
    this.emit('secureConnect');
    this.#whenSecure?.();
    return true;
  }

  override _read(): void {
    this.#raw?.resume();
  }

  override _write(chunk: Buffer, _encoding: string, callback: (error?: Error | null) => void): void {
    this.#secure(() => this.#raw?.write(chunk, callback));
  }

  override _final(callback: () => void): void {
    this.#secure(() => this.#raw?.end(callback));
  }

  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    this.#raw?.destroy();
    callback(error);
  }

  #secure(run: () => void): void {
    if (this.#isSecure) run();
    else this.#whenSecure = run;
  }

  // What `tls.TLSSocket` has, as far as HTTP uses it:

  setTimeout(ms: number, callback?: () => void): this {
    this.#timeoutMs = ms;
    this.#raw?.setTimeout(ms);
    if (callback !== undefined && ms > 0) this.once('timeout', callback);
    else if (callback !== undefined) this.off('timeout', callback);
    return this;
  }

  get remoteAddress(): string | undefined {
    return this.#raw?.remoteAddress;
  }
}

interface ConnectOptions {
  readonly host?: string;
  readonly port?: number | string;
  readonly servername?: string;
  readonly lookup?: typeof lookup;
}

/** `tls.connect`: looks the name up, connects, and takes no certificate but one that the world made for that name. */
export function connectTls({ host = 'localhost', port = 443, ...options }: ConnectOptions): SimTlsSocket {
  const network = networkOf(runningKernel('tls.connect'));
  const name = options.servername || host;
  const socket = new SimTlsSocket((line, send) => {
    const shown = /^certificate (?<name>.*)$/.exec(line)?.groups?.['name'] ?? '';
    if (!network.certificates.has(shown)) throw refused('DEPTH_ZERO_SELF_SIGNED_CERT');
    if (shown !== name) throw refused('ERR_TLS_CERT_ALTNAME_INVALID');
    send('finished');
    return true;
  });
  (options.lookup ?? lookup)(host, {}, (error, address) => {
    if (socket.destroyed) return;
    if (error !== null) socket.destroy(error);
    else socket.over(network.connect(new SimSocket(), String(address), Number(port)), `hello ${name}`);
  });
  return socket;
}

/** The end of a server, which shows the certificate of a name. */
export function acceptTls(raw: SimSocket, certificate: string): SimTlsSocket {
  return new SimTlsSocket((line, send) => {
    if (line === 'finished') return true;
    send(`certificate ${certificate}`);
    return false;
  }).over(raw);
}

function refused(code: string): Error {
  return Object.assign(new Error('the certificate is not valid'), { code });
}
