import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Framing, TransportNode } from './contract.ts';
import type { HttpNode, StreamOptions, WebSocketOptions, WebTransportOptions } from './options.ts';

/** Answers whole requests by itself, origin rules included. `headers`: of the answer, names and values in turns. */
export interface RequestEndpoint {
  handle(request: IncomingMessage, response: ServerResponse, headers: string[]): Promise<void>;
}

/** Takes over upgrades, and refuses requests for its path that are not upgrades. */
export interface UpgradeEndpoint extends RequestEndpoint {
  /** True for a request that becomes a connection when its upgrade is handed over. */
  takes(request: IncomingMessage): boolean;
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
}

/** An open listener of a transport. */
export interface TransportListener {
  /** The port that is bound. */
  readonly port: number;
  /** Takes no more connections and ends those there are; drain the node first. */
  close(): Promise<void>;
}

interface TransportRowBase {
  /** Name in `TransportInfo`, in metrics and in the manifest. */
  readonly name: string;
  /** Where clients of the service open it: `/connection/<name>`, from which clients make the address. */
  readonly path: `/connection/${string}`;
  /** The manifest names it, so that clients choose it by themselves. */
  readonly announced: boolean;
  /**
   * How messages become the bytes of a write: one constant for each pair of arguments.
   * @param packed compressed frames of a WebSocket, chunks of an HTTP response
   */
  framing(encoding: 'json' | 'protobuf', packed: boolean): Framing;
}

/** Connections are requests whose response is held open; their clients send through the emulation endpoint. */
export interface RequestTransportRow extends TransportRowBase {
  readonly kind: 'request';
  open(node: HttpNode, options?: StreamOptions): RequestEndpoint;
}

/** Connections are upgrades of requests. */
export interface UpgradeTransportRow extends TransportRowBase {
  readonly kind: 'upgrade';
  open(node: TransportNode, options?: WebSocketOptions): UpgradeEndpoint;
}

/** Connections come in at a listener of the transport, which is there when it is configured. */
export interface ListenerTransportRow extends TransportRowBase {
  readonly kind: 'listener';
  open(node: TransportNode, options: WebTransportOptions): Promise<TransportListener>;
}

/** One way by which clients connect over a network. */
export type TransportRow = RequestTransportRow | UpgradeTransportRow | ListenerTransportRow;
