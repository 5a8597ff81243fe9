import {
  badRoute,
  type Field,
  MAX_BODY_BYTES,
  MalformedRequest,
  METHODS,
  type RpcMethodName,
} from '@msg/core';
import type { BearerCheck, Principal } from '../access/bearer.ts';
import { isBounded, type RevocationCheck, requireMethodRights } from '../access/method-rights.ts';
import { sendJson } from '../http/answer.ts';
import { readBody } from '../http/body.ts';
import type { Exchange } from '../http/exchange.ts';
import type { Refusals } from '../http/refusals.ts';
import type { RpcCall, RpcHandlers } from './call.ts';

export interface TwirpOptions {
  readonly bearer: BearerCheck;
  readonly isRevoked: RevocationCheck;
  readonly handlers: RpcHandlers;
  readonly refusals: Refusals;
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
  readonly #refusals: Refusals;

  constructor(options: TwirpOptions) {
    this.#bearer = options.bearer;
    this.#isRevoked = options.isRevoked;
    this.#handlers = options.handlers;
    this.#refusals = options.refusals;
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
          (error: unknown) => this.#refusals.refuse(exchange, error),
        );
      } else this.#read(exchange, name, principal);
    } catch (error) {
      this.#refusals.refuse(exchange, error);
    }
  }

  /** Route and body. */
  #read(exchange: Exchange, name: RpcMethodName | undefined, principal: Principal): void {
    const { request, path } = exchange;
    if (principal.kind !== 'anyone') exchange.subject = principal.token.subject;
    if (name === undefined || request.method !== 'POST' || !isJson(request.headers['content-type'])) {
      const { status, body } = badRoute(request.method ?? '', path);
      sendJson(exchange, status, body, request.complete ? {} : { connection: 'close' });
      return;
    }
    const done = (body: Buffer): void => {
      exchange.isRead = true;
      this.#call(exchange, name, principal, body);
    };
    readBody(request, MAX_BODY_BYTES, done, error => this.#refusals.refuse(exchange, error));
  }

  /** Body, rights, handler, answer; never throws. Without anything to wait for there is no promise. */
  #call(exchange: Exchange, name: RpcMethodName, principal: Principal, body: Buffer): void {
    try {
      const message = METHODS[name].request.read(parseJson(body), '');
      const call = { principal, peer: exchange.peer };
      const result = isBounded(principal)
        ? this.#runBounded(name, message, call)
        : this.#run(name, message, call);
      if (result instanceof Promise) {
        result
          .then((known: unknown) => this.#answer(exchange, name, known))
          .catch((error: unknown) => this.#refusals.refuse(exchange, error));
      } else this.#answer(exchange, name, result);
    } catch (error) {
      this.#refusals.refuse(exchange, error);
    }
  }

  async #runBounded(name: RpcMethodName, message: unknown, call: RpcCall): Promise<unknown> {
    const { access } = METHODS[name];
    await requireMethodRights(call.principal, access, channelNamed(message), this.#isRevoked);
    return this.#run(name, message, call);
  }

  #run(name: RpcMethodName, message: unknown, call: RpcCall): unknown {
    // Handler and shapes are those of one name; the table's types cannot say so for a name known only at run time.
    const handler = this.#handlers[name] as (request: unknown, call: RpcCall) => unknown;
    return handler(message, call);
  }

  #answer(exchange: Exchange, name: RpcMethodName, result: unknown): void {
    sendJson(exchange, 200, (METHODS[name].response as Field<unknown>).write(result) as object);
  }
}
