import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { type Clock, systemClock } from '@msg/foundation/clock';
import { isJsonObject, type JsonObject, ownMember } from '../document/json.ts';

/** How long a request to `dashdoc serve` may take (review details 3.1). */
const CONNECT_MS = 1_000;
const WHOLE_MS = 2_000;
/** An answer repeats the operations and tells them in words. */
const MOST_ANSWER_BYTES = 8 * 1024 * 1024;

/** An answer of `dashdoc serve`, or why it did not come, for a person. */
export type ReviewAnswer = { readonly body: JsonObject } | { readonly failure: string };

/** One request to `dashdoc serve`. */
interface Asked {
  readonly path: string;
  /** Posted as JSON; without it a GET. */
  readonly body?: object;
  readonly wholeMs?: number;
  readonly signal?: AbortSignal;
}

/**
 * Asks `dashdoc serve` at the review address. Follows no redirect, and answers in time whatever the server does: a
 * review that fails never fails the tool.
 */
export class ReviewServer {
  readonly #clock: Clock;
  /** Without a slash at its end. */
  readonly address: string;

  constructor(address: string, clock: Clock = systemClock) {
    this.address = address;
    this.#clock = clock;
  }

  ask(asked: Asked): Promise<ReviewAnswer> {
    const { promise, resolve } = Promise.withResolvers<ReviewAnswer>();
    const ended = new AbortController();
    const end = (answer: ReviewAnswer): void => {
      resolve(answer);
      ended.abort();
    };
    const silent = (): void => end({ failure: 'the review server does not answer' });
    const connecting = this.#clock.setTimeout(silent, CONNECT_MS);
    const whole = this.#clock.setTimeout(silent, asked.wholeMs ?? WHOLE_MS);
    const request = this.#start(asked, ended.signal);
    request.on('socket', socket => socket.once('connect', () => this.#clock.clearTimeout(connecting)));
    request.on('error', silent);
    request.on('response', response => {
      readAnswer(response).then(end, silent);
    });
    asked.signal?.addEventListener('abort', silent);
    return promise.finally(() => {
      this.#clock.clearTimeout(connecting);
      this.#clock.clearTimeout(whole);
      asked.signal?.removeEventListener('abort', silent);
    });
  }

  #start({ path, body }: Asked, signal: AbortSignal) {
    const url = new URL(`${this.address}${path}`);
    const start = url.protocol === 'https:' ? httpsRequest : httpRequest;
    const text = body === undefined ? undefined : JSON.stringify(body);
    const headers = { 'content-type': 'application/json', accept: 'application/json' };
    const request = start(url, {
      method: text === undefined ? 'GET' : 'POST',
      headers,
      signal,
      agent: false,
    });
    request.end(text);
    return request;
  }
}

async function readAnswer(response: IncomingMessage): Promise<ReviewAnswer> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of response as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > MOST_ANSWER_BYTES) return { failure: 'the review server answers too much' };
    parts.push(part);
  }
  const body = parsed(Buffer.concat(parts).toString());
  if (body === undefined) return { failure: 'the address answers, but not as dashdoc serve does' };
  if (response.statusCode === 200 || response.statusCode === 201) return { body };
  const code = ownMember(body, 'code');
  const isCode = typeof code === 'string' && /^[A-Z_]{1,60}$/.test(code);
  return { failure: `the review server refuses${isCode ? ` with ${code}` : ''}` };
}

function parsed(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
