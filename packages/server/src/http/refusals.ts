import { MalformedRequest, MsgError, twirpError } from '@msg/core';
import { type RefusalLabel, TokenRefused } from '../tokens/refusal.ts';
import { sendJson } from './answer.ts';
import type { Exchange } from './exchange.ts';

export interface RefusalsOptions {
  /** A bearer or token was refused. */
  readonly onAuthFailure: (label: RefusalLabel, requestId: string) => void;
  /** Failures that the caller only sees as `internal`. */
  readonly onError: (error: unknown) => void;
}

/** Answers what went wrong with the JSON error body of messaging details 1.3, and reports it. */
export class Refusals {
  readonly #options: RefusalsOptions;

  constructor(options: RefusalsOptions) {
    this.#options = options;
  }

  /** Sends nothing when an answer is under way already. */
  refuse(exchange: Exchange, error: unknown): void {
    this.#report(error, exchange.requestId);
    const { request, response } = exchange;
    if (response.headersSent || response.destroyed) return;
    const { status, body } = twirpError(error);
    const retryAfterMs = error instanceof MsgError ? error.retryAfterMs : undefined;
    sendJson(exchange, status, body, {
      ...(retryAfterMs === undefined
        ? {}
        : { 'retry-after': String(Math.max(1, Math.ceil(retryAfterMs / 1000))) }),
      // What was not read of the body cannot be told from a next request.
      ...(request.complete || exchange.isRead ? {} : { connection: 'close' }),
    });
  }

  #report(error: unknown, requestId: string): void {
    const { onAuthFailure, onError } = this.#options;
    if (error instanceof TokenRefused) onAuthFailure(error.label, requestId);
    else if (error instanceof MsgError) {
      if (error.code === 'MSG_AUTH_DENIED') onAuthFailure('MSG_AUTH_DENIED', requestId);
      if (error.status === 500) onError(error);
    } else if (!(error instanceof MalformedRequest)) onError(error);
  }
}
