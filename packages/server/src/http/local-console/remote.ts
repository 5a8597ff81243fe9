import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Duplex } from 'node:stream';
import { createRpcClient, MsgError, type RpcMethodName } from '@msg/core';
import { CLI_AGENT, isRole } from '@msg/core/internal';
import type { Clock } from '@msg/foundation/clock';
import { defined } from '@msg/foundation/json';
import { VerifiedToken } from '../../auth/tokens/claims.ts';
import { VERSION } from '../../config/version.ts';

/** The path of WebSockets, at the server and here. */
export const WEBSOCKET_PATH = '/connection/websocket';
/** How long a call may take: longer than any method does. */
const CALL_MS = 60_000;
const RPC = '/twirp/msg.MsgService/';
/** Headers of an upgrade that the server reads; neither an origin nor a cookie is one. */
const UPGRADE_HEADERS = /^(?:connection|upgrade|user-agent|sec-websocket-.*)$/;
/** Headers of an answer that the page reads. */
const ANSWER_HEADERS = ['content-type', 'retry-after', 'msg-ignored-fields'] as const;
/** The end of a credential without one, Unix seconds. */
const FAR_FUTURE_S = 8_640_000_000;
/** A fingerprint that is not empty: the session ends with the credential. */
const REMOTE_KEY = 'remote';

/** An answer of the server, whole. */
export interface RemoteAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

export interface RemoteServerOptions {
  /** Base address. */
  readonly server: string;
  /** The credential of the command line; empty: none. */
  readonly token: string;
  readonly fetch: typeof globalThis.fetch;
  readonly clock: Clock;
}

/** A server elsewhere, called with the credential of the command line. Source: console, section 8. */
export class RemoteServer {
  readonly #base: string;
  readonly #options: RemoteServerOptions;

  constructor(options: RemoteServerOptions) {
    this.#options = options;
    const { server } = options;
    this.#base = server.endsWith('/') ? server.slice(0, -1) : server;
  }

  /**
   * Who the credential stands for.
   * @throws MsgError the server's; MSG_INVALID_ARGUMENT for a server that does not know the method
   */
  async whoAmI(): Promise<VerifiedToken> {
    const { fetch, token } = this.#options;
    const client = createRpcClient({ server: this.#base, token, fetch });
    const { subject, role, scopes, expires_unix } = await client
      .call('WhoAmI', {})
      .catch((error: unknown) => {
        if (!(error instanceof MsgError) || error.status !== 404) throw error;
        const text = `the server at ${this.#base} is too old for msg console: it needs @msg/server ${VERSION} or newer`;
        throw new MsgError('MSG_INVALID_ARGUMENT', text, { cause: error });
      });
    const claims = {
      sub: subject,
      typ: 'mgmt',
      iat: 0,
      exp: expires_unix === 0 ? FAR_FUTURE_S : expires_unix,
      scopes: scopes.map(({ pattern, verbs, deny }) => ({ pat: pattern, v: verbs, deny })),
    } as const;
    return new VerifiedToken(claims, '', REMOTE_KEY, isRole(role) ? role : 'none');
  }

  /** Sends a call on, and its answer back. A redirect is not followed. @throws MsgError MSG_BROKER_NOT_READY */
  async call(name: RpcMethodName, body: Buffer): Promise<RemoteAnswer> {
    const { fetch, token } = this.#options;
    let answer: Response;
    let bytes: Uint8Array;
    try {
      answer = await fetch(this.#base + RPC + name, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'user-agent': CLI_AGENT + VERSION,
          ...defined({ authorization: token === '' ? undefined : `Bearer ${token}` }),
        },
        body: new Uint8Array(body),
        redirect: 'manual',
        signal: this.#options.clock.deadline(CALL_MS),
      });
      bytes = new Uint8Array(await answer.arrayBuffer());
    } catch (cause) {
      throw new MsgError('MSG_BROKER_NOT_READY', `no answer from ${this.#base}`, { cause });
    }
    if (answer.status >= 300 && answer.status < 400)
      throw new MsgError(
        'MSG_BROKER_NOT_READY',
        `${this.#base} answers with a redirect, which is not followed`,
      );
    const headers = ANSWER_HEADERS.flatMap(header => {
      const value = answer.headers.get(header);
      return value === null ? [] : [[header, value]];
    });
    return { status: answer.status, headers: Object.fromEntries(headers), body: bytes };
  }

  /** Joins a WebSocket of the browser with one to the server, which gets neither origin nor cookie. */
  upgrade(incoming: IncomingMessage, socket: Duplex, head: Buffer): void {
    if (socket.destroyed) return;
    const query = incoming.url?.split('?')[1];
    const url = new URL(this.#base + WEBSOCKET_PATH + (query === undefined ? '' : `?${query}`));
    const named = Object.entries(incoming.headers).filter(([name]) => UPGRADE_HEADERS.test(name));
    const request = url.protocol === 'https:' ? httpsRequest : httpRequest;
    const onward = request(url, { headers: Object.fromEntries(named), agent: false });
    onward.on('upgrade', (answer, server: Duplex, rest: Buffer) => {
      const lines = answer.rawHeaders.flatMap((name, at, list) =>
        at % 2 === 0 ? [`${name}: ${list[at + 1]}`] : [],
      );
      socket.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join('\r\n')}\r\n\r\n`);
      socket.write(rest);
      server.write(head);
      server.pipe(socket).pipe(server);
      join(server, socket);
      join(socket, server);
    });
    onward.on('response', answer => {
      answer.resume();
      refuseUpgrade(socket, answer.statusCode ?? 502);
    });
    onward.on('error', () => refuseUpgrade(socket, 502));
    socket.on('close', () => onward.destroy());
    onward.end();
  }
}

/** Ends an upgrade with a status. */
export function refuseUpgrade(socket: Duplex, status: number): void {
  socket.end(`HTTP/1.1 ${status} Refused\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}

/** One side ends with the other. */
function join(side: Duplex, other: Duplex): void {
  side.on('error', () => other.destroy());
  side.on('close', () => other.destroy());
}
