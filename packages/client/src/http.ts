import { MsgError } from '@msg/core';
import { type Answer, type Fetch, globals } from './surroundings.ts';

/** The base address of the service as http(s), without a slash at its end. */
export function httpBase(endpoint: string): string {
  return endpoint
    .replace(/^ws/i, 'http')
    .replace(/[?#].*$/, '')
    .replace(/\/+$/, '');
}

/** What one answer said. */
export interface Exchange {
  readonly status: number;
  /** The JSON body; `undefined` when it is none. */
  readonly body: unknown;
}

/** The `fetch` of the surroundings. */
export const defaultFetch: Fetch = (url, init) => globals.fetch(url, init);

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Sends one request. @throws MsgError MSG_BROKER_NOT_READY when there is no answer in time. */
export async function exchange(
  fetch: Fetch,
  url: string,
  timeoutMs: number,
  request?: object,
): Promise<Exchange> {
  const signal = globals.AbortSignal.timeout(timeoutMs);
  try {
    const answer: Answer =
      request === undefined
        ? await fetch(url, { method: 'GET', headers: { accept: 'application/json' }, signal })
        : await fetch(url, {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify(request),
            signal,
          });
    return { status: answer.status, body: parse(await answer.text()) };
  } catch (cause) {
    throw new MsgError('MSG_BROKER_NOT_READY', `no answer from ${url}`, { cause });
  }
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
