import { MsgError } from '@msg/core';
import { isRecord } from '@msg/foundation/json';
import { type Fetch, type FetchResponse, platform } from './platform.ts';

/** One HTTP answer. */
export interface JsonResponse {
  readonly status: number;
  /** The JSON object in its body; empty when the body is not a JSON object. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** The global `fetch`. */
export const defaultFetch: Fetch = (url, init) => platform.fetch(url, init);

function parse(text: string): JsonResponse['body'] {
  try {
    const value: unknown = JSON.parse(text);
    if (isRecord(value)) return value;
  } catch {
    // as any other body that is not an object
  }
  return {};
}

/** Sends one request. @throws MsgError MSG_BROKER_NOT_READY without an answer in time */
export async function requestJson(
  fetch: Fetch,
  url: string,
  timeoutMs: number,
  request?: object,
): Promise<JsonResponse> {
  const signal = platform.AbortSignal.timeout(timeoutMs);
  try {
    const answer: FetchResponse = await fetch(url, {
      method: request === undefined ? 'GET' : 'POST',
      headers: { [request === undefined ? 'accept' : 'content-type']: 'application/json' },
      body: JSON.stringify(request),
      signal,
    });
    return { status: answer.status, body: parse(await answer.text()) };
  } catch (cause) {
    throw new MsgError('MSG_BROKER_NOT_READY', `no answer from ${url}`, { cause });
  }
}

/** Fetches a JSON object. @throws MsgError MSG_BROKER_NOT_READY without an answer, and for another status than 2xx. */
export async function fetchRecord(
  fetch: Fetch,
  url: string,
  timeoutMs: number,
): Promise<JsonResponse['body']> {
  const { status, body } = await requestJson(fetch, url, timeoutMs);
  if (status < 200 || status > 299) {
    throw new MsgError('MSG_BROKER_NOT_READY', `${url} answered HTTP ${status}`);
  }
  return body;
}
