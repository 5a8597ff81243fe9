import { type IncomingMessage, request as plainRequest, type RequestOptions } from 'node:http';
import { request as secureRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import type { Clock } from '@msg/foundation/clock';
import { defined } from '@msg/foundation/json';
import { DashError } from '../../errors.ts';
import { errnoOf } from './errno.ts';
import { JsonMeter } from './json-body.ts';
import type { Origin } from './origin.ts';
import { boundedBody } from './response-body.ts';
import { CONNECT_MS } from './socket.ts';

/** What is asked of an HTTP server. */
export interface HttpQuestion {
  readonly origin: Origin;
  /** Path and query. */
  readonly path: string;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
}

/** What it answered. */
export interface HttpAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: Buffer;
}

/** What requests are made with. */
export interface HttpTools {
  readonly clock: Clock;
  readonly lookup: LookupFunction;
}

/**
 * Asks an HTTP server once: over a connection of its own to a checked address, without redirects, cookies or the proxies
 * of the environment, with a bounded body (page and review 5.1).
 * @throws DashError QUERY_FAILED, QUERY_HOST_FORBIDDEN, QUERY_TIMEOUT, QUERY_TOO_LARGE, QUERY_RESPONSE_INVALID.
 */
export async function askHttp({ clock, lookup }: HttpTools, question: HttpQuestion): Promise<HttpAnswer> {
  const { origin, path, method, headers, body, signal } = question;
  const slow = new AbortController();
  const options: RequestOptions = {
    host: origin.host,
    port: origin.port,
    path,
    method,
    headers: {
      accept: 'application/json',
      'accept-encoding': 'gzip, deflate, br',
      'user-agent': 'dash',
      ...headers,
      ...defined({ 'content-length': body === undefined ? undefined : Buffer.byteLength(body) }),
    },
    lookup,
    agent: false,
    signal: AbortSignal.any([signal, slow.signal]),
  };
  const timer = clock.setTimeout(() => slow.abort(), CONNECT_MS);
  try {
    const response = await responseOf(origin.scheme, options, body, () => clock.clearTimeout(timer));
    const { statusCode: status = 0 } = response;
    if (status >= 300 && status < 400) {
      response.destroy();
      throw new DashError('QUERY_FAILED', 'The server sends elsewhere, and redirects are not followed.', {
        status,
      });
    }
    const contentType = response.headers['content-type'] ?? '';
    const meter = new JsonMeter();
    return { status, contentType, body: await boundedBody(response, chunk => meter.add(chunk)) };
  } catch (error) {
    if (error instanceof DashError) throw error;
    if (slow.signal.aborted) throw notConnected(origin);
    throw failed(origin, error);
  } finally {
    clock.clearTimeout(timer);
  }
}

function responseOf(
  scheme: string,
  options: RequestOptions,
  body: string | undefined,
  connected: () => void,
): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const request = scheme === 'https' ? secureRequest(options, resolve) : plainRequest(options, resolve);
  request.on('error', reject);
  request.on('socket', socket => socket.once(scheme === 'https' ? 'secureConnect' : 'connect', connected));
  request.end(body);
  return promise;
}

function notConnected({ text }: Origin): DashError {
  const message = `No connection to ${text} within ${CONNECT_MS / 1_000} s.`;
  return new DashError('QUERY_TIMEOUT', message, { origin: text, phase: 'connect' });
}

function failed({ text }: Origin, error: unknown): DashError {
  const reason = errnoOf(error) ?? 'the answer is not HTTP';
  return new DashError('QUERY_FAILED', `The request to ${text} failed: ${reason}.`, { origin: text, reason });
}
