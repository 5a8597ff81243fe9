import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { Server as TlsServer } from 'node:tls';

/** Handles some upgrades of a server. */
export interface UpgradeHandler {
  /** True for a request that {@link upgrade} turns into a connection. */
  takes(request: IncomingMessage): boolean;
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
}

const LISTENER = Symbol('msg.upgradeListener');

/** A server of newer versions of Node (22.21, 24.9 and later), which call `shouldUpgradeCallback` before an upgrade. */
interface UpgradeServer extends Server {
  shouldUpgradeCallback?: (request: IncomingMessage) => boolean;
  [LISTENER]?: UpgradeListener;
}

/**
 * The `upgrade` listener of one server. An offer that no handler and no other listener takes is ignored (RFC 9110, 7.8):
 * the request is answered as if it had no offer. Node does that only without a listener. Newer versions ask which
 * upgrades to keep; for older ones the request is read again as a new connection.
 */
export class UpgradeListener {
  readonly #server: UpgradeServer;
  readonly #handlers: UpgradeHandler[] = [];
  /** The handlers of the requests that Node was told to hand over. */
  readonly #chosen = new WeakMap<IncomingMessage, UpgradeHandler>();

  /** The listener of a server, added at the first call. */
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
      this.#choose(request) || (this.#hasOthers && decide.call(server, request));
  }

  add(handler: UpgradeHandler): void {
    this.#handlers.push(handler);
  }

  /** Whether the embedder's server has other upgrade listeners, which may take the upgrade. */
  get #hasOthers(): boolean {
    return this.#server.listenerCount('upgrade') > 1;
  }

  /**
   * The handler of a request; none while an earlier answer on the connection is due, because it would mix with frames.
   */
  #handlerOf(request: IncomingMessage): UpgradeHandler | undefined {
    if (answerDue(request) !== undefined) return undefined;
    return this.#handlers.find(handler => handler.takes(request));
  }

  #choose(request: IncomingMessage): boolean {
    const handler = this.#handlerOf(request);
    if (handler !== undefined) this.#chosen.set(request, handler);
    return handler !== undefined;
  }

  #dispatch(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const handler = this.#chosen.get(request) ?? this.#handlerOf(request);
    if (handler !== undefined) {
      handler.upgrade(request, socket, head);
      return;
    }
    // Without a listener an error would end the process.
    socket.on('error', destroyOnError);
    if (!this.#hasOthers) this.#giveBack(request, socket, head);
  }

  /** Makes `node:http` read the request again, without its offer, after the earlier answers. */
  #giveBack(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const due = answerDue(request);
    if (due !== undefined) {
      due.once('close', () => this.#giveBack(request, socket, head));
      return;
    }
    if (socket.destroyed) return;
    socket.unshift(Buffer.concat([headWithoutUpgrade(request), head]));
    this.#server.emit(this.#server instanceof TlsServer ? 'secureConnection' : 'connection', socket);
    socket.off('error', destroyOnError); // the server has its own listener now
  }
}

function destroyOnError(this: Duplex): void {
  this.destroy();
}

/** The unfinished response on a request's connection. Node has no public name for it. */
function answerDue({ socket }: IncomingMessage): ServerResponse | undefined {
  const { _httpMessage } = socket as { _httpMessage?: ServerResponse | null };
  return _httpMessage ?? undefined;
}

/** Header fields, lower case, that make a request an upgrade; the parser accepts the second as an alias. */
const CONNECTION = ['connection', 'proxy-connection'];

/** The head of the request, in which `Connection` does not name the upgrade, so that the parser reads a plain request. */
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
