import { MAX_BODY_BYTES } from '@msg/core/internal';
import type { BodyDenial, BodyRule, RequestBodies } from '@msg/engine';
import { NO_ROOM_RETRY_MS, READ_ELSEWHERE } from '@msg/engine/internal';
import { isPromise } from '@msg/foundation/promises';
import type { AccessControl } from '../auth/access/access-control.ts';
import type { Principal } from '../auth/access/principal.ts';
import { InvalidTokenError, type InvalidTokenReason } from '../auth/tokens/invalid-token.ts';
import { sendEmpty, sendText } from '../http/answer.ts';
import type { RequestContext } from '../http/request-context.ts';
import { answerFailure, answerText, isTransportMode } from './answer.ts';
import type { ApiAuthentication } from './authentication.ts';
import type { Batch } from './batch.ts';
import type { ApiCall } from './command.ts';
import { apiFailure } from './errors.ts';
import { readOlderForm, runOlderForm } from './older-form.ts';
import type { ApiSettings } from './options.ts';
import { BadBody, readBatch, readJson, textOfBody } from './request.ts';
import { RequestRights } from './rights.ts';
import type { CommandRunner, Outcome } from './runner.ts';

export interface ApiEndpointOptions {
  readonly settings: Pick<ApiSettings, 'path' | 'errorMode' | 'maxBatch'>;
  readonly authentication: ApiAuthentication;
  readonly access: Pick<AccessControl, 'decide' | 'showsPayloads'>;
  readonly bodies: RequestBodies;
  readonly runner: CommandRunner;
  readonly batch: Batch;
  /** A key was refused. */
  readonly onAuthFailure: (label: InvalidTokenReason, requestId: string) => void;
  readonly onError: (error: unknown) => void;
}

const BODY: BodyRule = { limit: MAX_BODY_BYTES, anonymous: false };
const BATCH = 'batch';
/** The path without a command: the older form. */
const OLDER_FORM = '';

interface Denial {
  readonly status: number;
  readonly text: string;
  readonly retryAfterMs?: number;
}

const DENIALS: Readonly<Record<BodyDenial, Denial>> = {
  too_large: { status: 413, text: 'request body too large' },
  too_slow: { status: 408, text: 'the request body did not arrive in time' },
  too_many_chunks: { status: 400, text: 'the request body came in too many chunks' },
  no_room: {
    status: 503,
    text: 'the bodies of requests under way take all memory they may have',
    retryAfterMs: NO_ROOM_RETRY_MS,
  },
  read_elsewhere: { status: 500, text: READ_ELSEWHERE },
};

/**
 * The HTTP side of the API: path, key, body, command, answer, in this order. Source: the application developer's side,
 * section 2.
 */
export class ApiEndpoint {
  readonly #options: ApiEndpointOptions;
  readonly #prefix: string;

  constructor(options: ApiEndpointOptions) {
    this.#options = options;
    this.#prefix = `${options.settings.path}/`;
  }

  /** Whether a path belongs to the API, even for an unknown command. */
  owns(path: string): boolean {
    return path.startsWith(this.#prefix) || path === this.#options.settings.path;
  }

  /** The command that a path names, empty for the older form; undefined for one that does not exist. */
  commandOf(path: string): string | undefined {
    if (path === this.#options.settings.path) return OLDER_FORM;
    const name = path.slice(this.#prefix.length);
    return name === BATCH || this.#options.runner.has(name) ? name : undefined;
  }

  /** Answers a request; never throws. */
  handle(context: RequestContext): void {
    const { request, path } = context;
    const name = this.commandOf(path);
    if (name === undefined || request.method === 'OPTIONS') {
      sendText(context, 404, 'not found');
      return;
    }
    if (request.method !== 'POST') {
      sendText(context, 405, 'method not allowed', { allow: 'POST' });
      return;
    }
    const principal = this.#authenticate(context);
    if (principal === undefined) return;
    if (principal.kind !== 'anonymous') context.subject = principal.token.subject;
    context.body = this.#options.bodies.read(request, BODY, {
      onBody: body => this.#read(context, name, principal, body),
      onDenied: reason => this.#deny(context, DENIALS[reason]),
    });
  }

  /** Authenticates before the body is read. Returns undefined after sending an error answer. */
  #authenticate(context: RequestContext): Principal | undefined {
    const { authentication, onAuthFailure } = this.#options;
    try {
      return authentication.authenticate(context.request);
    } catch (error) {
      if (!(error instanceof InvalidTokenError)) throw error;
      onAuthFailure(error.label, context.requestId);
      context.headers.push('x-msg-code', error.code, 'content-length', '0');
      sendEmpty(context, 401);
      return undefined;
    }
  }

  #deny(context: RequestContext, { status, text, retryAfterMs }: Denial): void {
    const headers =
      retryAfterMs === undefined ? {} : { 'retry-after': String(Math.ceil(retryAfterMs / 1000)) };
    if (!context.response.headersSent) sendText(context, status, text, headers);
  }

  #read(context: RequestContext, name: string, principal: Principal, body: Buffer): void {
    context.isRead = true;
    const { access } = this.#options;
    const { clientAddress, requestId } = context;
    const call = {
      caller: { principal, clientAddress },
      rights: new RequestRights(access, principal),
      requestId,
    };
    try {
      this.#run(context, name, textOfBody(body), call);
    } catch (error) {
      this.#failed(context, error);
    }
  }

  #run(context: RequestContext, name: string, text: string, call: ApiCall): void {
    const { runner, batch, settings } = this.#options;
    if (name === OLDER_FORM) {
      this.#settle(context, runOlderForm(readOlderForm(text, settings.maxBatch), call, runner), replies =>
        answerText(context, replies),
      );
    } else if (name === BATCH) {
      this.#settle(context, batch.run(readBatch(text), call), replies => answerText(context, replies));
    } else {
      const outcome = runner.run(
        name,
        readJson(text, () => name),
        call,
      );
      if (isPromise(outcome)) this.#settle(context, outcome, later => this.#answer(context, later));
      else this.#answer(context, outcome);
    }
  }

  #settle<T>(context: RequestContext, value: Promise<T>, next: (value: T) => void): void {
    value.then(next).catch((error: unknown) => this.#failed(context, error));
  }

  #answer(context: RequestContext, outcome: Outcome): void {
    if ('failure' in outcome) answerFailure(context, outcome.failure, this.#isTransport(context));
    else answerText(context, `{"result":${outcome.text}}`);
  }

  /** Answers a request that failed as a whole. */
  #failed(context: RequestContext, error: unknown): void {
    if (context.response.headersSent || context.response.destroyed) return;
    if (error instanceof BadBody) {
      sendText(context, 400, error.message);
      return;
    }
    const failure = apiFailure(error);
    if (failure.status === 500) this.#options.onError(error);
    answerFailure(context, failure, this.#isTransport(context));
  }

  #isTransport({ request }: RequestContext): boolean {
    return this.#options.settings.errorMode === 'transport' || isTransportMode(request.headers);
  }
}
