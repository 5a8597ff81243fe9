import { isRecord } from '@msg/foundation/json';
import type { ChatReply } from './index.ts';

/** A value, or what makes it for each request. */
export type Resolvable<T> = T | (() => T | Promise<T>);

/** How the application is asked for an answer. */
export interface ChatEndpoint {
  /** Address that takes the POST. */
  readonly api: string;
  readonly fetch?: typeof globalThis.fetch;
  readonly headers?: Resolvable<Record<string, string> | Headers>;
  /** Members of the request's body. */
  readonly body?: Resolvable<object>;
}

/** What one request adds to the headers and the body. */
export interface RequestAdditions {
  readonly headers?: Record<string, string> | Headers | undefined;
  readonly body?: object | undefined;
}

/** The application did not take the request. */
export class ChatRequestError extends Error {
  override readonly name = 'ChatRequestError';
  /** HTTP status. */
  readonly status: number;

  constructor(status: number, text: string) {
    super(`the chat answered ${status}: ${text}`);
    this.status = status;
  }
}

/** Characters of the application's answer that an error shows. */
const MOST_ERROR_TEXT = 1024;

/** Sends a request. It has no signal: a reader that leaves does not take its question back. @throws ChatRequestError */
export async function postChat(
  endpoint: ChatEndpoint,
  request: object,
  additions: RequestAdditions,
): Promise<ChatReply> {
  const { api, fetch = globalThis.fetch } = endpoint;
  const headers = new Headers(await resolved(endpoint.headers));
  for (const [name, value] of new Headers(additions.headers)) headers.set(name, value);
  headers.set('content-type', 'application/json');
  const body = { ...(await resolved(endpoint.body)), ...additions.body, ...request };
  const response = await fetch(api, { method: 'POST', headers, body: JSON.stringify(body) });
  const text = await response.text();
  if (!response.ok) throw new ChatRequestError(response.status, text.slice(0, MOST_ERROR_TEXT));
  return replyOf(text);
}

async function resolved<T>(value: Resolvable<T> | undefined): Promise<T | undefined> {
  return typeof value === 'function' ? await (value as () => T | Promise<T>)() : value;
}

/** An application may answer with anything; only a channel is of interest. */
function replyOf(text: string): ChatReply {
  try {
    const value: unknown = JSON.parse(text);
    const channel = isRecord(value) ? value['channel'] : undefined;
    return typeof channel === 'string' ? { channel } : {};
  } catch {
    return {};
  }
}
