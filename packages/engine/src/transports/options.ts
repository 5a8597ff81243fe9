import type { IncomingMessage } from 'node:http';
import type { Clock } from '@msg/foundation/clock';
import type { TransportNode } from './contract.ts';
import type { RequestBodies } from './http/body.ts';
import type { OriginOptions } from './http/cors.ts';
import type { WebTransportListenOptions, WebTransportSession } from './webtransport/provider.ts';

/** What an endpoint for whole requests needs of its node. */
export interface HttpNode extends TransportNode {
  readonly bodies: RequestBodies;
}

/** What hooks learn of a request that opens a connection. */
interface ClientOptions {
  /** Address of the peer for hooks and logs. Default: the TCP peer. */
  readonly remoteAddress?: (request: IncomingMessage) => string;
  /** Request headers, lower case, that hooks may see. Default: none. */
  readonly keepHeaders?: readonly string[];
}

/** Options of a transport whose connections are held responses. */
export interface StreamOptions extends OriginOptions, ClientOptions {}

/** Options of the WebSocket transport. */
export interface WebSocketOptions extends ClientOptions {
  /** May this request open a connection? Default: no `Origin`, or one equal to `Host`. Refused with 403. */
  readonly allowOrigin?: (request: IncomingMessage) => boolean;
  /** Offer permessage-deflate (RFC 7692): less traffic for more CPU. Default false. */
  readonly compression?: boolean;
}

/** Options of the WebTransport listener. */
export interface WebTransportOptions extends WebTransportListenOptions {
  /** Default `/connection/webtransport`. Sessions with another path are closed. */
  readonly path?: string;
  /** May this session be served? Default: no `Origin`, or one of the same host; ports are not compared. */
  readonly allowOrigin?: (session: WebTransportSession) => boolean;
  /** Request headers, lower case, that hooks may see. Default: none. */
  readonly keepHeaders?: readonly string[];
  readonly clock?: Clock;
  /** A session came in. */
  readonly onStart?: (session: WebTransportSession) => void;
  /** A session came in and was answered with this HTTP status; called once, at its end. */
  readonly onEnd?: (session: WebTransportSession, status: number, startedAt: number) => void;
}
