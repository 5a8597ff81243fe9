import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { Server as TlsServer } from 'node:tls';

/** What takes upgrades of its own over from a server. */
export interface UpgradeHandler {
  /** True for a request that {@link upgrade} turns into a connection. */
  takes(request: IncomingMessage): boolean;
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
}

const LISTENER = Symbol('msg.upgradeListener');

/** A server with what newer versions of Node ask before they hand an upgrade over: 22.21, 24.9 and later lines. */
interface UpgradeServer extends Server {
  shouldUpgradeCallback?: (request: IncomingMessage) => boolean;
  [LISTENER]?: UpgradeListener;
}

/**
 * The `upgrade` listener of one server. An offer that no handler takes, and that no other listener is there for, is
 * ignored as RFC 9110, 7.8 wants it: the request is answered as if it had not been made. Node without a listener does
 * that, but with one it hands every upgrade over; newer versions can be told which to keep, older ones get the request
 * back on a connection that begins anew.
 */
export class UpgradeListener {
  readonly #server: UpgradeServer;
  readonly #handlers: UpgradeHandler[] = [];

  /** The listener of a server; it is added with the first call. */
  static of(server: UpgradeServer): UpgradeListener {
    server[LISTENER] ??= new UpgradeListener(server);
    return server[LISTENER];
  }

  private constructor(server: UpgradeServer) {
    this.#server = server;
    server.on('upgrade', (request, socket, head) => this.#dispatch(request, socket, head));
    const decide = server.shouldUpgradeCallback;
    if (decide === undefined) return;
    server.shouldUpgradeCallback = request =>
      this.#handlerOf(request) !== undefined || (this.#hasOthers && decide.call(server, request));
  }

  add(handler: UpgradeHandler): void {
    this.#handlers.push(handler);
  }

  /** Another listener of the embedder's server may take what no handler here takes. */
  get #hasOthers(): boolean {
    return this.#server.listenerCount('upgrade') > 1;
  }

  /** A request behind one whose answer is still due cannot be upgraded: the answer would meet frames. */
  #handlerOf(request: IncomingMessage): UpgradeHandler | undefined {
    if (answerDue(request) !== undefined) return undefined;
    return this.#handlers.find(handler => handler.takes(request));
  }

  #dispatch(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const handler = this.#handlerOf(request);
    if (handler !== undefined) {
      handler.upgrade(request, socket, head);
      return;
    }
    // Without a listener an error would end the process.
    socket.on('error', destroyOnError);
    if (!this.#hasOthers) this.#giveBack(request, socket, head);
  }

  /** Lets `node:http` read the request again, as one without an offer. Answers that are due go first. */
  #giveBack(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const due = answerDue(request);
    if (due !== undefined) {
      due.once('close', () => this.#giveBack(request, socket, head));
      return;
    }
    if (socket.destroyed) return;
    socket.unshift(Buffer.concat([headWithoutUpgrade(request), head]));
    this.#server.emit(this.#server instanceof TlsServer ? 'secureConnection' : 'connection', socket);
    socket.off('error', destroyOnError); // there is one of the server now
  }
}

function destroyOnError(this: Duplex): void {
  this.destroy();
}

/** The response that holds the connection of a request. Node has no public name for it. */
function answerDue({ socket }: IncomingMessage): ServerResponse | undefined {
  const { _httpMessage } = socket as { _httpMessage?: ServerResponse | null };
  return _httpMessage ?? undefined;
}

/** Header fields, lower case, that make an upgrade of a request: the parser takes the second for the first. */
const CONNECTION = ['connection', 'proxy-connection'];

/** The head as it was sent, but that no `Connection` names the upgrade: the parser then takes it for a request. */
function headWithoutUpgrade({ method, url, httpVersion, rawHeaders }: IncomingMessage): Buffer {
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const [name = '', value = ''] = rawHeaders.slice(i, i + 2);
    if (!CONNECTION.includes(name.toLowerCase())) lines.push(`${name}: ${value}`);
    else lines.push(`${name}: ${value.split(',').filter(isNotUpgrade).join(',')}`);
  }
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
}

function isNotUpgrade(option: string): boolean {
  return option.trim().toLowerCase() !== 'upgrade';
}
