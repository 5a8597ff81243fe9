import { isUtf8 } from 'node:buffer';
import { type Field, METHODS, MsgError, type RpcMethodName, type UnknownMember } from '@msg/core';
import {
  badRoute,
  IGNORED_FIELDS_HEADER,
  MAX_BODY_BYTES,
  MAX_PUBLIC_BODY_BYTES,
  MalformedRequest,
  readRequest,
  SlowRequest,
} from '@msg/core/internal';
import type { BodyDenial, BodyEvents, BodyRule, RequestBodies } from '@msg/engine';
import { NO_ROOM_RETRY_MS, READ_ELSEWHERE, TOO_MANY_CHUNKS } from '@msg/engine/internal';
import { isRecord, keepSource } from '@msg/foundation/json';
import { isPromise } from '@msg/foundation/promises';
import type { AccessControl } from '../auth/access/access-control.ts';
import type { BearerCheck } from '../auth/access/bearer.ts';
import { type AccessDecision, denialError } from '../auth/access/decision.ts';
import type { Principal } from '../auth/access/principal.ts';
import { sendJson } from '../http/answer.ts';
import type { ErrorResponder } from '../http/error-responder.ts';
import { requireBoundedJson } from '../http/json-bounds.ts';
import type { RequestContext } from '../http/request-context.ts';
import type { RpcCall, RpcHandlers } from './call.ts';
import { ignoredFields, type UnknownMemberLog, unknownMemberError } from './unknown-members.ts';

export interface TwirpOptions {
  readonly bearer: BearerCheck;
  readonly access: Pick<AccessControl, 'decide'>;
  readonly handlers: RpcHandlers;
  readonly bodies: RequestBodies;
  readonly responder: ErrorResponder;
  /** Every method refuses unknown members, not only those that issue rights. */
  readonly strict: boolean;
  readonly unknownMembers: UnknownMemberLog;
}

/** Anyone may send bodies of public methods: they are limited to a small size and a smaller share of memory. */
const PUBLIC_BODY: BodyRule = { limit: MAX_PUBLIC_BODY_BYTES, anonymous: true };
const BODY: BodyRule = { limit: MAX_BODY_BYTES, anonymous: false };

const DENIALS: Readonly<Record<BodyDenial, () => Error>> = {
  too_large: () => new MalformedRequest('request body too large'),
  too_slow: () => new SlowRequest(),
  too_many_chunks: () => new MalformedRequest(TOO_MANY_CHUNKS),
  no_room: () =>
    new MsgError('MSG_BROKER_NOT_READY', 'the bodies of requests under way take all memory they may have', {
      retryAfterMs: NO_ROOM_RETRY_MS,
    }),
  read_elsewhere: () => new MsgError('MSG_INTERNAL', READ_ELSEWHERE),
};

function isJson(contentType: string | undefined): boolean {
  if (contentType === 'application/json') return true;
  return contentType?.split(';', 1)[0]?.trim().toLowerCase() === 'application/json';
}

/** @throws MalformedRequest */
function parseJson(body: Buffer, source: readonly string[] | undefined): unknown {
  const text = body.toString('utf8');
  requireBoundedJson(text);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new MalformedRequest();
  }
  if (source !== undefined && keepSource(text, value, source) && !isUtf8(body)) {
    throw new MalformedRequest('the json request is not UTF-8');
  }
  return value;
}

function channelNamed(request: unknown): string | undefined {
  return isRecord(request) && typeof request['name'] === 'string' ? request['name'] : undefined;
}

/**
 * The Twirp JSON routes, driven by core's method table: bearer, route, body, rights, handler, in this order (messaging
 * details, section 1). Only this class of the RPC knows HTTP.
 */
export class TwirpRoutes {
  readonly #bearer: BearerCheck;
  readonly #access: TwirpOptions['access'];
  readonly #handlers: RpcHandlers;
  readonly #bodies: RequestBodies;
  readonly #responder: ErrorResponder;
  readonly #strict: boolean;
  readonly #unknownMembers: UnknownMemberLog;

  constructor(options: TwirpOptions) {
    this.#bearer = options.bearer;
    this.#access = options.access;
    this.#handlers = options.handlers;
    this.#bodies = options.bodies;
    this.#responder = options.responder;
    this.#strict = options.strict;
    this.#unknownMembers = options.unknownMembers;
  }

  /**
   * Answers one exchange; never throws. `name` is the method in its path. It awaits nothing before the handler: most
   * calls arrive with their whole body.
   */
  handle(exchange: RequestContext, name: RpcMethodName | undefined): void {
    const access = name === undefined ? undefined : METHODS[name].access;
    try {
      const principal = this.#bearer.authenticate(exchange.request.headers, access);
      if (isPromise(principal))
        this.#settle(exchange, principal, caller => this.#read(exchange, name, caller));
      else this.#read(exchange, name, principal);
    } catch (error) {
      this.#responder.refuse(exchange, error);
    }
  }

  /** Calls `next` with the resolved value; answers with a failure. */
  #settle<T>(exchange: RequestContext, value: Promise<T>, next: (value: T) => void): void {
    value.then(next).catch((error: unknown) => this.#responder.refuse(exchange, error));
  }

  /** Checks the route and reads the body. */
  #read(exchange: RequestContext, name: RpcMethodName | undefined, principal: Principal): void {
    const { request, path } = exchange;
    if (principal.kind !== 'anonymous') exchange.subject = principal.token.subject;
    if (name === undefined || request.method !== 'POST' || !isJson(request.headers['content-type'])) {
      const { status, body } = badRoute(request.method ?? '', path);
      sendJson(exchange, status, body);
      return;
    }
    const rule = METHODS[name].access.rule === 'public' ? PUBLIC_BODY : BODY;
    const events: BodyEvents = {
      onBody: body => this.#call(exchange, name, principal, body),
      onDenied: reason => this.#responder.refuse(exchange, DENIALS[reason]()),
    };
    exchange.body = this.#bodies.read(request, rule, events, exchange.startedAt);
  }

  /**
   * Decodes the body, checks rights, calls the handler and answers; never throws. Makes a promise only when a step waits.
   */
  #call(exchange: RequestContext, name: RpcMethodName, principal: Principal, body: Buffer): void {
    exchange.isRead = true;
    try {
      const message = this.#readMessage(exchange, name, body);
      const call = { principal, peer: exchange.peer };
      const { access: method } = METHODS[name];
      const decision = this.#access.decide({ principal, method, resource: channelNamed(message) });
      const result = isPromise(decision)
        ? decision.then(later => this.#runAllowed(later, name, message, call))
        : this.#runAllowed(decision, name, message, call);
      if (isPromise(result)) this.#settle(exchange, result, answer => this.#answer(exchange, name, answer));
      else this.#answer(exchange, name, result);
    } catch (error) {
      this.#responder.refuse(exchange, error);
    }
  }

  /** Reads the message. Unknown members are refused, or named in a header of the answer and in the log. */
  #readMessage({ headers }: RequestContext, name: RpcMethodName, body: Buffer): unknown {
    const { request, strict, source } = METHODS[name];
    const unknown: UnknownMember[] = [];
    const message = readRequest(request as Field<unknown>, parseJson(body, source), unknown);
    if (unknown.length > 0) {
      if (strict || this.#strict) throw unknownMemberError(name, unknown);
      this.#unknownMembers.note(name, unknown);
      headers.push(IGNORED_FIELDS_HEADER, ignoredFields(unknown));
    }
    return message;
  }

  #runAllowed(decision: AccessDecision, name: RpcMethodName, message: unknown, call: RpcCall): unknown {
    if (!decision.allowed) throw denialError(decision);
    // Handler and shapes belong to one name, which the table's types cannot express for a name known only at run time.
    const handler = this.#handlers[name] as (request: unknown, call: RpcCall) => unknown;
    return handler(message, call);
  }

  #answer(exchange: RequestContext, name: RpcMethodName, result: unknown): void {
    sendJson(exchange, 200, (METHODS[name].response as Field<unknown>).write(result) as object);
  }
}
