import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { TransportNode } from '../contract.ts';
import { forwardedHeaders } from '../forwarded-headers.ts';
import { answer } from '../http/cors.ts';
import { isUnread } from '../http/unread.ts';
import type { WebSocketOptions } from '../options.ts';
import type { UpgradeEndpoint, UpgradeTransportRow } from '../row.ts';
import { WebSocketConnection } from './connection.ts';
import type { FrameRules } from './frame-reader.ts';
import { websocketFraming } from './framing.ts';
import {
  acceptance,
  type HandshakeDenial,
  handshakeDenial,
  NODE_UNAVAILABLE,
  NOT_AN_UPGRADE,
  ORIGIN_REFUSED,
  refuseOnSocket,
} from './handshake.ts';
import { COMPRESSION_ACCEPTED, offersCompression } from './message-compression.ts';
import { chooseEncoding, chooseSubprotocol } from './negotiate.ts';
import { isSameOrigin } from './origin.ts';
import { UpgradeTurns } from './upgrade-turns.ts';

const NO_QUERY = new URLSearchParams();

/**
 * The WebSocket endpoint of a node (client protocol 4.1). Mount {@link handleUpgrade} on a `node:http` server's `upgrade`
 * event, and {@link handle} on requests for its path.
 */
export class WebSocketTransport implements UpgradeEndpoint {
  readonly #node: TransportNode;
  readonly #options: WebSocketOptions;
  readonly #plain: FrameRules;
  readonly #compressed: FrameRules;
  readonly #turns: UpgradeTurns;
  /** Requests that were accepted and whose upgrade follows: they are not judged again. */
  readonly #accepted = new WeakSet<IncomingMessage>();

  constructor(node: TransportNode, options: WebSocketOptions = {}) {
    this.#node = node;
    this.#turns = new UpgradeTurns(node.clock);
    this.#options = options;
    const { messageBytes } = node.limits;
    this.#plain = { messageBytes, compressed: false };
    this.#compressed = { messageBytes, compressed: true };
  }

  /** True for a request that becomes a connection when its upgrade is handed over. */
  takes(request: IncomingMessage): boolean {
    const accepted = this.#denial(request) === undefined;
    if (accepted) this.#accepted.add(request);
    return accepted;
  }

  /**
   * Answers a request for the path of the WebSocket that is not upgraded: 405 for another method than GET, 426 for a GET
   * that offers no WebSocket, or why the handshake is refused. Never rejects.
   * @param headers that the answer carries besides its own: names and values in turns
   */
  async handle(request: IncomingMessage, response: ServerResponse, headers: string[] = []): Promise<void> {
    const { status, text, headers: own } = this.#denial(request) ?? NOT_AN_UPGRADE;
    const unread = isUnread(request);
    const close = unread || status === 426 ? [] : ['connection', 'close'];
    answer(request, response, [...headers, ...own, ...close], status, text, unread);
  }

  /** Takes over an upgrade request. Bad requests are answered and the socket is closed. */
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    this.#turns.add(socket, () => this.#upgrade(request, socket, head));
  }

  #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const denial = this.#accepted.delete(request) ? this.#unavailable() : this.#denial(request);
    if (denial !== undefined) {
      refuseOnSocket(request, socket, denial);
      return;
    }
    if (!socket.readable || !socket.writable) {
      socket.destroy();
      return;
    }
    if (!this.#node.reserve()) {
      refuseOnSocket(request, socket, NODE_UNAVAILABLE);
      return;
    }
    const { headers, socket: peer } = request;
    const subprotocol = chooseSubprotocol(headers['sec-websocket-protocol']);
    const isCompressed =
      this.#options.compression === true && offersCompression(headers['sec-websocket-extensions'] ?? '');
    const extensions = isCompressed ? COMPRESSION_ACCEPTED : undefined;
    peer.setTimeout(0);
    peer.setNoDelay(true);
    if (head.length > 0) socket.unshift(head);
    socket.write(acceptance(request, { subprotocol, extensions }), 'latin1');
    const query = queryOf(request.url ?? '');
    const encoding = chooseEncoding(query, subprotocol);
    const connection = new WebSocketConnection({
      clock: this.#node.clock,
      socket,
      info: {
        name: websocket.name,
        encoding,
        remoteAddress: this.#options.remoteAddress?.(request) ?? peer.remoteAddress ?? '',
        headers: forwardedHeaders(headers, this.#options.keepHeaders),
      },
      framing: websocket.framing(encoding, isCompressed),
      rules: isCompressed ? this.#compressed : this.#plain,
      nativePings: query.get('cf_ws_frame_ping_pong') === 'true',
    });
    connection.attach(this.#node.open(connection));
  }

  #denial(request: IncomingMessage): HandshakeDenial | undefined {
    const allowed = (this.#options.allowOrigin ?? isSameOrigin)(request);
    if (!allowed) return ORIGIN_REFUSED;
    return handshakeDenial(request) ?? this.#unavailable();
  }

  /** The node may stop while an upgrade waits for its turn. */
  #unavailable(): HandshakeDenial | undefined {
    return this.#node.accepting ? undefined : NODE_UNAVAILABLE;
  }
}

/** The row of the transport. */
export const websocket: UpgradeTransportRow = {
  kind: 'upgrade',
  name: 'websocket',
  path: '/connection/websocket',
  announced: true,
  framing: websocketFraming,
  open: (node, options) => new WebSocketTransport(node, options),
};

/** Most requests have no query: they share one that is empty. */
function queryOf(url: string): URLSearchParams {
  const start = url.indexOf('?');
  return start === -1 ? NO_QUERY : new URLSearchParams(url.slice(start));
}
