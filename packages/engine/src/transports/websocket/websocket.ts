import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { type ServerOptions, WebSocketServer } from 'ws';
import type { TransportNode } from '../contract.ts';
import { forwardedHeaders } from '../forwarded-headers.ts';
import { answer } from '../http/cors.ts';
import { isUnread } from '../http/unread.ts';
import type { WebSocketOptions } from '../options.ts';
import type { UpgradeEndpoint, UpgradeTransportRow } from '../row.ts';
import { WebSocketConnection } from './connection.ts';
import { websocketFraming } from './framing.ts';
import {
  type HandshakeDenial,
  handshakeDenial,
  NODE_UNAVAILABLE,
  NOT_AN_UPGRADE,
  ORIGIN_REFUSED,
  refuseOnSocket,
} from './handshake.ts';
import { chooseEncoding, chooseSubprotocol } from './negotiate.ts';
import { isSameOrigin } from './origin.ts';
import { UpgradeTurns } from './upgrade-turns.ts';

/**
 * Without context takeover in either direction: a frame is compressed once for all receivers, and a connection
 * keeps no compression state. What a client sends must fit the message limit after decompression.
 */
const NO_CONTEXT = { serverNoContextTakeover: true, clientNoContextTakeover: true };

/** How long the peer may take to answer a close frame before TCP is dropped, milliseconds. */
const CLOSE_HANDSHAKE_MS = 5000;

const NO_QUERY = new URLSearchParams();

/**
 * The WebSocket endpoint of a node (client protocol 4.1). Mount {@link handleUpgrade} on a `node:http` server's `upgrade`
 * event, and {@link handle} on requests for its path.
 */
export class WebSocketTransport implements UpgradeEndpoint {
  readonly #node: TransportNode;
  readonly #options: WebSocketOptions;
  readonly #server: WebSocketServer;
  readonly #turns: UpgradeTurns;
  /** Requests that were accepted and whose upgrade follows: they are not judged again. */
  readonly #accepted = new WeakSet<IncomingMessage>();

  constructor(node: TransportNode, options: WebSocketOptions = {}) {
    this.#node = node;
    this.#turns = new UpgradeTurns(node.clock);
    this.#options = options;
    // `closeTimeout` is newer than the type declarations of `ws`. Pongs are the connection's: frames may be in pieces.
    const serverOptions: ServerOptions & { closeTimeout: number } = {
      noServer: true,
      autoPong: false,
      clientTracking: false,
      perMessageDeflate: options.compression === true ? NO_CONTEXT : false,
      maxPayload: node.limits.messageBytes,
      closeTimeout: CLOSE_HANDSHAKE_MS,
    };
    this.#server = new WebSocketServer(serverOptions);
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
    const handshake = withOneOffer(request);
    this.#server.handleUpgrade(handshake, socket, head, accepted => {
      const query = queryOf(request.url ?? '');
      const encoding = chooseEncoding(query, accepted.protocol);
      const info = {
        name: websocket.name,
        encoding,
        remoteAddress: this.#options.remoteAddress?.(request) ?? request.socket.remoteAddress ?? '',
        headers: forwardedHeaders(request.headers, this.#options.keepHeaders),
      };
      const compressed = accepted.extensions.includes('permessage-deflate');
      const framing = websocket.framing(encoding, compressed);
      const nativePings = query.get('cf_ws_frame_ping_pong') === 'true';
      const connection = new WebSocketConnection({
        clock: this.#node.clock,
        websocket: accepted,
        socket,
        info,
        framing,
        nativePings,
      });
      connection.attach(this.#node.open(connection));
    });
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

/**
 * The request as `ws` is to see it: with the one upgrade and the one sub-protocol that are taken of those it offers.
 * `ws` refuses lists that are empty or name something twice; here they are ignored (client protocol 4.1). Nearly every
 * request offers one of each and is taken as it is.
 */
function withOneOffer(request: IncomingMessage): IncomingMessage {
  const { upgrade, 'sec-websocket-protocol': offered } = request.headers;
  const subprotocol = chooseSubprotocol((offered ?? '').split(',').map(name => name.trim()));
  if (upgrade === 'websocket' && (offered === undefined || offered === subprotocol)) return request;
  const { 'sec-websocket-protocol': _, ...headers } = request.headers;
  const taken = { ...headers, upgrade: 'websocket' };
  const value = subprotocol === false ? taken : { ...taken, 'sec-websocket-protocol': subprotocol };
  return Object.create(request, { headers: { value } });
}
