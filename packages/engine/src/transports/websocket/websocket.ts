import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type ServerOptions, WebSocketServer } from 'ws';
import type { RealtimeNode } from '../../node.ts';
import { keptHeaders } from '../kept-headers.ts';
import { WebSocketConnection } from './connection.ts';
import { websocketFraming } from './framing.ts';
import { chooseEncoding, chooseSubprotocol } from './negotiate.ts';
import { isSameOrigin } from './origin.ts';

export interface WebSocketOptions {
  /** May this request open a connection? Default: no `Origin`, or one equal to `Host`. Refused with 403. */
  readonly allowOrigin?: (request: IncomingMessage) => boolean;
  /** Address of the peer for hooks and logs. Default: the TCP peer. */
  readonly remoteAddress?: (request: IncomingMessage) => string;
  /** Request headers, lower case, that hooks may see. Default: none. */
  readonly keepHeaders?: readonly string[];
  /** Offer permessage-deflate (RFC 7692): less traffic for more CPU. Default false. */
  readonly compression?: boolean;
}

/**
 * Without context takeover in either direction: a frame is compressed once for all receivers, and a connection
 * keeps no compression state. What a client sends must fit the message limit after decompression.
 */
const NO_CONTEXT = { serverNoContextTakeover: true, clientNoContextTakeover: true };

/** How long the peer may take to answer a close frame before TCP is dropped, milliseconds. */
const CLOSE_HANDSHAKE_MS = 5000;

const NO_QUERY = new URLSearchParams();

/** The WebSocket endpoint of a node (client protocol 4.1). Mount it on any `node:http` server's `upgrade` event. */
export class WebSocketTransport {
  readonly #node: RealtimeNode;
  readonly #options: WebSocketOptions;
  readonly #server: WebSocketServer;

  constructor(node: RealtimeNode, options: WebSocketOptions = {}) {
    this.#node = node;
    this.#options = options;
    // `closeTimeout` is newer than the type declarations of `ws`.
    const serverOptions: ServerOptions & { closeTimeout: number } = {
      noServer: true,
      clientTracking: false,
      perMessageDeflate: options.compression === true ? NO_CONTEXT : false,
      maxPayload: node.limits.messageBytes,
      handleProtocols: offered => chooseSubprotocol(offered),
      closeTimeout: CLOSE_HANDSHAKE_MS,
    };
    this.#server = new WebSocketServer(serverOptions);
  }

  /** Takes over an upgrade request. Bad requests are answered and the socket is closed. */
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const allowed = (this.#options.allowOrigin ?? isSameOrigin)(request);
    if (!allowed || !this.#node.accepting) {
      refuse(socket, allowed ? '503 Service Unavailable' : '403 Forbidden');
      return;
    }
    this.#server.handleUpgrade(request, socket, head, websocket => {
      const query = queryOf(request.url ?? '');
      const encoding = chooseEncoding(query, websocket.protocol);
      const info = {
        name: 'websocket',
        encoding,
        remoteAddress: this.#options.remoteAddress?.(request) ?? request.socket.remoteAddress ?? '',
        headers: keptHeaders(request.headers, this.#options.keepHeaders),
      };
      const compressed = websocket.extensions.includes('permessage-deflate');
      const framing = websocketFraming(encoding, compressed);
      const nativePings = query.get('cf_ws_frame_ping_pong') === 'true';
      const connection = new WebSocketConnection({ websocket, socket, info, framing, nativePings });
      connection.attach(this.#node.open(connection));
    });
  }
}

/** Most requests have no query: they share one that is empty. */
function queryOf(url: string): URLSearchParams {
  const start = url.indexOf('?');
  return start === -1 ? NO_QUERY : new URLSearchParams(url.slice(start));
}

function refuse(socket: Duplex, status: string): void {
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}
