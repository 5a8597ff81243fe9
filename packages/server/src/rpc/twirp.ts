import {
  badRoute,
  type Field,
  isRpcMethod,
  MAX_BODY_BYTES,
  MalformedRequest,
  METHODS,
  MsgError,
  type RpcMethodName,
  TWIRP_PREFIX,
  type TwirpError,
  twirpError,
} from '@msg/core';
import type { BearerCheck, Principal } from '../access/bearer.ts';
import { isBounded, type RevocationCheck, requireMethodRights } from '../access/method-rights.ts';
import { sendJson } from '../http/answer.ts';
import { readBody } from '../http/body.ts';
import type { Exchange } from '../http/exchange.ts';
import { type RefusalLabel, TokenRefused } from '../tokens/refusal.ts';
import type { RpcCall, RpcHandlers } from './call.ts';

export interface TwirpOptions {
  readonly bearer: BearerCheck;
  readonly isRevoked: RevocationCheck;
  readonly handlers: RpcHandlers;
  /** A bearer or token was refused. */
  readonly onAuthFailure: (label: RefusalLabel, requestId: string) => void;
  /** Failures that the caller only sees as `internal`. */
  readonly onError: (error: unknown) => void;
}

/** True for paths that this file answers. */
export function isRpcPath(path: string): boolean {
  return path.startsWith('/twirp/');
}

/** The method a path names, `undefined` when there is none. */
export function methodOf(path: string): RpcMethodName | undefined {
  if (!path.startsWith(TWIRP_PREFIX)) return undefined;
  const name = path.slice(TWIRP_PREFIX.length);
  return isRpcMethod(name) ? name : undefined;
}

function isJson(contentType: string | undefined): boolean {
  if (contentType === 'application/json') return true;
  return contentType?.split(';', 1)[0]?.trim().toLowerCase() === 'application/json';
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    throw new MalformedRequest();
  }
}

function channelNamed(request: unknown): string | undefined {
  if (typeof request !== 'object' || request === null || !('name' in request)) return undefined;
  return typeof request.name === 'string' ? request.name : undefined;
}

/**
 * The Twirp JSON routes, driven by core's method table: bearer, route, body, rights, handler, in this order
 * (messaging details, section 1). Nothing else of the RPC knows HTTP.
 */
export class TwirpRoutes {
  readonly #bearer: BearerCheck;
  readonly #isRevoked: RevocationCheck;
  readonly #handlers: RpcHandlers;
  readonly #onAuthFailure: TwirpOptions['onAuthFailure'];
  readonly #onError: (error: unknown) => void;

  constructor(options: TwirpOptions) {
    this.#bearer = options.bearer;
    this.#isRevoked = options.isRevoked;
    this.#handlers = options.handlers;
    this.#onAuthFailure = options.onAuthFailure;
    this.#onError = options.onError;
  }

  /**
   * Answers one exchange; never throws. `name` is the method its path names. Nothing is awaited before the handler:
   * most calls come with their whole body.
   */
  handle(exchange: Exchange, name: RpcMethodName | undefined): void {
    try {
      const access = name === undefined ? undefined : METHODS[name].access;
      const principal = this.#bearer.authenticate(exchange.request.headers.authorization, access);
      if (principal instanceof Promise) {
        principal.then(
          known => this.#read(exchange, name, known),
          (error: unknown) => this.#refuse(exchange, error),
        );
      } else this.#read(exchange, name, principal);
    } catch (error) {
      this.#refuse(exchange, error);
    }
  }

  /** Route and body. */
  #read(exchange: Exchange, name: RpcMethodName | undefined, principal: Principal): void {
    const { request, path } = exchange;
    if (principal.kind !== 'anyone') exchange.subject = principal.token.subject;
    if (name === undefined || request.method !== 'POST' || !isJson(request.headers['content-type'])) {
      this.#fail(exchange, badRoute(request.method ?? '', path));
      return;
    }
    const done = (body: Buffer): void => {
      exchange.isRead = true;
      void this.#call(exchange, name, principal, body);
    };
    readBody(request, MAX_BODY_BYTES, done, error => this.#refuse(exchange, error));
  }

  /** Body, rights, handler, answer; never rejects. */
  async #call(exchange: Exchange, name: RpcMethodName, principal: Principal, body: Buffer): Promise<void> {
    try {
      const method = METHODS[name];
      const message = method.request.read(parseJson(body), '');
      if (isBounded(principal)) {
        await requireMethodRights(principal, method.access, channelNamed(message), this.#isRevoked);
      }
      // Handler and shapes are those of one name; the table's types cannot say so for a name known only at run time.
      const handler = this.#handlers[name] as (request: unknown, call: RpcCall) => unknown;
      const result = await handler(message, { principal, peer: exchange.peer });
      sendJson(exchange, 200, (method.response as Field<unknown>).write(result) as object);
    } catch (error) {
      this.#refuse(exchange, error);
    }
  }

  #refuse(exchange: Exchange, error: unknown): void {
    this.#report(error, exchange.requestId);
    const retryAfterMs = error instanceof MsgError ? error.retryAfterMs : undefined;
    this.#fail(exchange, twirpError(error), retryAfterMs);
  }

  #report(error: unknown, requestId: string): void {
    if (error instanceof TokenRefused) this.#onAuthFailure(error.label, requestId);
    else if (error instanceof MsgError) {
      if (error.code === 'MSG_AUTH_DENIED') this.#onAuthFailure('MSG_AUTH_DENIED', requestId);
      if (error.status === 500) this.#onError(error);
    } else if (!(error instanceof MalformedRequest)) this.#onError(error);
  }

  #fail(exchange: Exchange, { status, body }: TwirpError, retryAfterMs?: number): void {
    const { request, response } = exchange;
    if (response.headersSent || response.destroyed) return;
    sendJson(exchange, status, body, {
      ...(retryAfterMs === undefined
        ? {}
        : { 'retry-after': String(Math.max(1, Math.ceil(retryAfterMs / 1000))) }),
      // What was not read of the body cannot be told from a next request.
      ...(request.complete || exchange.isRead ? {} : { connection: 'close' }),
    });
  }
}
