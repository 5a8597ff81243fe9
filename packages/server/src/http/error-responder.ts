import { MsgError } from '@msg/core';
import { MalformedRequest, SlowRequest, twirpError } from '@msg/core/internal';
import { InvalidTokenError, type InvalidTokenReason } from '../auth/tokens/invalid-token.ts';
import { sendJson } from './answer.ts';
import type { RequestContext } from './request-context.ts';

export interface ErrorResponderOptions {
  /** A bearer or token was refused. */
  readonly onAuthFailure: (label: InvalidTokenReason, requestId: string) => void;
  /** Called for failures of which the caller sees only `internal`. */
  readonly onError: (error: unknown) => void;
  /** Called for every refusal. */
  readonly onRefusal?: (error: unknown) => void;
}

/** Retry delay in the answer when the broker or its store is not ready, milliseconds. */
const NOT_READY_RETRY_MS = 1000;

function retryAfter({ code, retryAfterMs }: MsgError): number | undefined {
  return retryAfterMs ?? (code === 'MSG_BROKER_NOT_READY' ? NOT_READY_RETRY_MS : undefined);
}

/** Answers a failure with the JSON error body of messaging details 1.3, and reports it. */
export class ErrorResponder {
  readonly #options: ErrorResponderOptions;

  constructor(options: ErrorResponderOptions) {
    this.#options = options;
  }

  /** One that tells of its refusals, too. */
  telling(onRefusal: (error: unknown) => void): ErrorResponder {
    return new ErrorResponder({ ...this.#options, onRefusal });
  }

  /** Answers with the error, unless an answer has already begun. */
  refuse(context: RequestContext, error: unknown): void {
    this.#report(error, context.requestId);
    this.#options.onRefusal?.(error);
    const { response } = context;
    if (response.headersSent || response.destroyed) return;
    const { status, body } = twirpError(error);
    const waitMs = error instanceof MsgError ? retryAfter(error) : undefined;
    const seconds = Math.max(1, Math.ceil((waitMs ?? 0) / 1000));
    sendJson(context, status, body, waitMs === undefined ? {} : { 'retry-after': String(seconds) });
  }

  #report(error: unknown, requestId: string): void {
    const { onAuthFailure, onError } = this.#options;
    if (error instanceof InvalidTokenError) onAuthFailure(error.label, requestId);
    else if (error instanceof MsgError) {
      if (error.code === 'MSG_AUTH_DENIED') onAuthFailure('MSG_AUTH_DENIED', requestId);
      if (error.status === 500) onError(error);
    } else if (!(error instanceof MalformedRequest || error instanceof SlowRequest)) onError(error);
  }
}
