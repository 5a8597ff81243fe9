import { lookup } from 'node:dns';
import { Agent, request } from 'node:https';
import type { LookupFunction } from 'node:net';
import { Readable } from 'node:stream';
import { defined } from '@msg/foundation/json';
import { privateEndpoint } from './recipient.ts';

/** Connections to one push service. */
export const MAX_CONNECTIONS = 50;
const MAX_IDLE_CONNECTIONS = 10;
/** An idle connection ends after this time. */
const IDLE_MS = 30_000;

/** The answer of a push service. */
export interface PushAnswer {
  readonly status: number;
  readonly body: ReadableStream<Uint8Array> | null;
  /** The header `Retry-After`. */
  readonly retryAfter: string | undefined;
}

/** Posts to push services: as the standard `fetch`, with the header `Retry-After` in the answer. */
export type PushFetch = (
  url: string,
  init: {
    readonly method: 'POST';
    readonly headers: Headers;
    readonly body: Uint8Array;
    readonly redirect: 'manual';
    readonly signal: AbortSignal;
  },
) => Promise<PushAnswer>;

export interface PushFetchOptions {
  /** Whether connections to an address are allowed. */
  readonly isAllowed: (address: string) => boolean;
  /** Certificates in PEM that are trusted instead of those of the runtime. */
  readonly ca?: string;
}

/** Resolves a host at each new connection, and refuses it unless all of its addresses are allowed. */
function checkedLookup(isAllowed: PushFetchOptions['isAllowed']): LookupFunction {
  return (host, options, callback) => {
    lookup(host, { all: true }, (error, addresses) => {
      const [first] = addresses ?? [];
      if (error !== null) callback(error, '');
      else if (!addresses.every(({ address }) => isAllowed(address))) callback(privateEndpoint(), '');
      else if (options.all === true) callback(null, addresses);
      else callback(null, first?.address ?? '', first?.family);
    });
  };
}

/**
 * A `fetch` for push services. It connects only to allowed addresses, reuses connections, follows no redirect and uses no
 * proxy. It throws MsgError MSG_INVALID_ARGUMENT for a host with an address that is not allowed.
 */
export function pushFetch({ isAllowed, ca }: PushFetchOptions): PushFetch {
  const agent = new Agent({
    keepAlive: true,
    maxSockets: MAX_CONNECTIONS,
    maxFreeSockets: MAX_IDLE_CONNECTIONS,
    timeout: IDLE_MS,
    lookup: checkedLookup(isAllowed),
    ...defined({ ca }),
  });
  return (url, { method, headers, body, signal }) =>
    new Promise((resolve, reject) => {
      const post = request(url, { method, headers: Object.fromEntries(headers), agent, signal });
      post.on('error', reject);
      post.on('response', response => {
        // The body of a `node:stream` is bytes; its type says `any`.
        const bytes = Readable.toWeb(response) as ReadableStream<Uint8Array>;
        resolve({
          status: response.statusCode ?? 0,
          body: bytes,
          retryAfter: response.headers['retry-after'],
        });
      });
      post.end(body);
    });
}
