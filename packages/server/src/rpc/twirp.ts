import { isUtf8 } from 'node:buffer';
import {
  type Field,
  METHODS,
  type RpcMethodName,
  type RpcRequest,
  type RpcResponse,
  type UnknownMember,
} from '@msg/core';
import {
  badRoute,
  IGNORED_FIELDS_HEADER,
  MAX_BODY_BYTES,
  MAX_PUBLIC_BODY_BYTES,
  MalformedRequest,
  neededRole,
  readRequest,
} from '@msg/core/internal';
import type { BodyEvents, BodyRule, RequestBodies } from '@msg/engine';
import { isRecord, keepSource } from '@msg/foundation/json';
import { isPromise } from '@msg/foundation/promises';
import type { Audit } from '../audit/audit.ts';
import type { AccessControl } from '../auth/access/access-control.ts';
import { actorOf } from '../auth/access/actor.ts';
import { type AccessDecision, denialError } from '../auth/access/decision.ts';
import type { Principal } from '../auth/access/principal.ts';
import { sendJson } from '../http/answer.ts';
import { BODY_DENIALS } from '../http/body-denials.ts';
import type { ErrorResponder } from '../http/error-responder.ts';
import { requireBoundedJson } from '../http/json-bounds.ts';
import type { RequestContext } from '../http/request-context.ts';
import { isRoutineAppend } from './appending.ts';
import type { RpcCall, RpcHandlers } from './call.ts';
import { type RpcEntry, requireUnlocked } from './entry.ts';
import { ignoredFields, type UnknownMemberLog, unknownMemberError } from './unknown-members.ts';

/** Which successful calls are in the log at debug level alone. */
const ROUTINE: Partial<Record<RpcMethodName, (request: unknown, answer: unknown) => boolean>> = {
  // The messages are those of the method's row.
  Append: (request, answer) =>
    isRoutineAppend(request as RpcRequest<'Append'>, answer as RpcResponse<'Append'>),
};

export interface TwirpOptions {
  readonly entry: RpcEntry;
  readonly access: Pick<AccessControl, 'decide'>;
  readonly handlers: RpcHandlers;
  readonly audit: Pick<Audit, 'run'>;
  readonly bodies: RequestBodies;
  readonly responder: ErrorResponder;
  /** Every method refuses unknown members, not only those that issue rights. */
  readonly strict: boolean;
  readonly unknownMembers: UnknownMemberLog;
}

/** Anyone may send bodies of public methods: they are limited to a small size and a smaller share of memory. */
const PUBLIC_BODY: BodyRule = { limit: MAX_PUBLIC_BODY_BYTES, anonymous: true };
const BODY: BodyRule = { limit: MAX_BODY_BYTES, anonymous: false };

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
  readonly #entry: RpcEntry;
  readonly #access: TwirpOptions['access'];
  readonly #handlers: RpcHandlers;
  readonly #audit: TwirpOptions['audit'];
  readonly #bodies: RequestBodies;
  readonly #responder: ErrorResponder;
  readonly #strict: boolean;
  readonly #unknownMembers: UnknownMemberLog;

  constructor(options: TwirpOptions) {
    this.#entry = options.entry;
    this.#access = options.access;
    this.#handlers = options.handlers;
    this.#audit = options.audit;
    this.#bodies = options.bodies;
    this.#responder = options.responder;
    this.#strict = options.strict;
    this.#unknownMembers = options.unknownMembers;
  }

  /**
   * Answers one request; never throws. `name` is the method in its path. It awaits nothing before the handler: most
   * calls arrive with their whole body.
   */
  handle(context: RequestContext, name: RpcMethodName | undefined): void {
    const access = name === undefined ? undefined : METHODS[name].access;
    try {
      const principal = this.#entry.authenticate(context, access);
      if (isPromise(principal)) this.#settle(context, principal, caller => this.#read(context, name, caller));
      else this.#read(context, name, principal);
    } catch (error) {
      this.#responder.refuse(context, error);
    }
  }

  /** Calls `next` with the resolved value; answers with a failure. */
  #settle<T>(context: RequestContext, value: Promise<T>, next: (value: T) => void): void {
    value.then(next).catch((error: unknown) => this.#responder.refuse(context, error));
  }

  /** Checks the route and reads the body. */
  #read(context: RequestContext, name: RpcMethodName | undefined, principal: Principal): void {
    const { request, path } = context;
    if (principal.kind !== 'anonymous') context.subject = principal.token.subject;
    if (name === undefined || request.method !== 'POST' || !isJson(request.headers['content-type'])) {
      const { status, body } = badRoute(request.method ?? '', path);
      sendJson(context, status, body);
      return;
    }
    const rule = METHODS[name].access.rule === 'public' ? PUBLIC_BODY : BODY;
    const events: BodyEvents = {
      onBody: body => this.#call(context, name, principal, body),
      onDenied: reason => this.#responder.refuse(context, BODY_DENIALS[reason]()),
    };
    context.body = this.#bodies.read(request, rule, events, context.startedAt);
  }

  /**
   * Decodes the body, checks rights, calls the handler and answers; never throws. Makes a promise only when a step waits.
   */
  #call(context: RequestContext, name: RpcMethodName, principal: Principal, body: Buffer): void {
    context.isRead = true;
    try {
      const message = this.#readMessage(context, name, body);
      const call = { principal, clientAddress: context.clientAddress };
      const result = this.#entry.records.includes(METHODS[name].rights.audited)
        ? this.#audited(context, name, message, call)
        : this.#decide(name, message, call);
      if (isPromise(result))
        this.#settle(context, result, answer => this.#answer(context, name, answer, message));
      else this.#answer(context, name, result, message);
    } catch (error) {
      this.#responder.refuse(context, error);
    }
  }

  /** Decides about a call, and runs it. */
  #decide(name: RpcMethodName, message: unknown, call: RpcCall): unknown {
    const { access: method, rights } = METHODS[name];
    const { principal } = call;
    requireUnlocked(principal, rights);
    const role = neededRole(rights, message);
    const decision = this.#access.decide({ principal, method, role, resource: channelNamed(message) });
    if (isPromise(decision)) return decision.then(later => this.#runAllowed(later, name, message, call));
    return this.#runAllowed(decision, name, message, call);
  }

  /** Runs a call that leaves a record, whatever becomes of it. */
  #audited(context: RequestContext, name: RpcMethodName, message: unknown, call: RpcCall): Promise<unknown> {
    const { rights } = METHODS[name];
    const { requestId } = context;
    const via = this.#entry.via(context);
    return this.#audit.run(
      {
        ...actorOf(call.principal),
        clientAddress: call.clientAddress,
        via,
        method: name,
        rights,
        request: message,
        requestId,
      },
      () => this.#decide(name, message, call),
    );
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

  #answer(context: RequestContext, name: RpcMethodName, result: unknown, message: unknown): void {
    context.isRoutine = ROUTINE[name]?.(message, result) ?? false;
    sendJson(context, 200, (METHODS[name].response as Field<unknown>).write(result) as object);
  }
}
