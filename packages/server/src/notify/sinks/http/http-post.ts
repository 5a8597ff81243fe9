import { STATUS_CODES } from 'node:http';
import { MsgError } from '@msg/core';
import type { Clock } from '@msg/foundation/clock';
import { cancelled } from '../cancellation.ts';
import { withDeadline } from '../deadline.ts';
import { SinkFailure } from '../failure.ts';

/** Time limit of an attempt, up to the headers of the answer (messaging details 12.1). */
const HTTP_TIMEOUT_MS = 10_000;

/** How much of an answer's body is read and discarded, so that the connection can be reused. */
const MAX_DRAINED_BYTES = 64 * 1024;
const DRAIN_MS = 1000;

/** The part of the standard `fetch` that sinks use; the default is the runtime's. */
export type SinkFetch = (
  url: string,
  init: {
    readonly method: 'POST';
    readonly headers: Headers;
    readonly body: string;
    readonly redirect: 'manual';
    readonly signal: AbortSignal;
  },
) => Promise<{ readonly status: number; readonly body: ReadableStream<Uint8Array> | null }>;

interface PostInit<Body> {
  readonly method: 'POST';
  readonly headers: Headers;
  readonly body: Body;
  readonly redirect: 'manual';
  readonly signal: AbortSignal;
}

interface HttpPost<Body, Answer> {
  /** Start of the error texts: `webhook`, `slack webhook`. */
  readonly label: string;
  readonly url: string;
  readonly headers: Headers;
  readonly body: Body;
  readonly fetch: (url: string, init: PostInit<Body>) => Promise<Answer>;
  readonly clock: Clock;
  readonly signal: AbortSignal | undefined;
}

/** The code of a network failure. The messages may contain the URL, which may be a secret. */
function networkCode(error: unknown): string {
  for (let current = error; current instanceof Error; current = current.cause) {
    if ('code' in current && typeof current.code === 'string') return current.code;
  }
  return error instanceof Error ? error.name : 'unknown failure';
}

/**
 * Posts once, and returns the answer, whose body the caller reads or cancels. Redirects are not followed.
 * @throws SinkFailure MSG_SINK_UNAVAILABLE: transient for transport failures, terminal for an abort by the caller; a coded
 * error of the `fetch` unchanged.
 */
export async function httpExchange<Body, Answer>(post: HttpPost<Body, Answer>): Promise<Answer> {
  const { label, url, headers, body, clock } = post;
  return withDeadline(clock, HTTP_TIMEOUT_MS, post.signal, signal =>
    post.fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal }),
  ).catch((cause: unknown) => {
    if (post.signal?.aborted) throw cancelled();
    if (cause instanceof MsgError && !(cause instanceof SinkFailure)) throw cause;
    const text = isTimeout(cause)
      ? `${label} did not answer within ${HTTP_TIMEOUT_MS / 1000} s`
      : `${label} cannot be reached: ${networkCode(cause)}`;
    throw new SinkFailure(true, 'MSG_SINK_UNAVAILABLE', text, { cause });
  });
}

/** Whether a later attempt may have another status. */
export function isBusy(status: number): boolean {
  return status === 429 || status >= 500;
}

/** `webhook returned 503 Service Unavailable` */
export function statusText(label: string, status: number): string {
  return `${label} returned ${status} ${STATUS_CODES[status] ?? ''}`.trimEnd();
}

/**
 * Posts once. Redirects are not followed, and the answer's body is discarded.
 * @throws SinkFailure MSG_SINK_UNAVAILABLE: transient for 429, 5xx and transport failures, terminal for any other status
 * from 300 on and for an abort by the caller; a coded error of the `fetch` unchanged.
 */
export async function httpPost(post: HttpPost<string, Awaited<ReturnType<SinkFetch>>>): Promise<void> {
  const { status, body } = await httpExchange(post);
  // The status decides, even if the caller aborts while the body arrives.
  void readSome(body, post.clock, MAX_DRAINED_BYTES);
  // The lower bound matters: some `fetch`es report an unfollowed redirect as status 0.
  if (status >= 200 && status < 300) return;
  throw new SinkFailure(isBusy(status), 'MSG_SINK_UNAVAILABLE', statusText(post.label, status));
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.name === 'TimeoutError';
}

/** The beginning of a body: a bounded part, read for a bounded time. The rest is cancelled. Never rejects. */
export async function readSome(
  body: ReadableStream<Uint8Array> | null,
  clock: Clock,
  most: number,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  if (body === null) return new Uint8Array();
  const reader = body.getReader();
  const timer = clock.setTimeout(() => void reader.cancel().catch(() => {}), DRAIN_MS);
  try {
    for (let read = 0; read <= most; ) {
      const { done, value } = await reader.read();
      if (done) break;
      chunks.push(value);
      read += value.byteLength;
    }
    await reader.cancel();
  } catch {
    // the status has been read
  } finally {
    clock.clearTimeout(timer);
  }
  return Buffer.concat(chunks).subarray(0, most);
}
