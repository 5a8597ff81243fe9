import { lookup } from 'node:dns/promises';
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { Readable } from 'node:stream';
import { MsgError } from '@msg/core';
import { unlessAborted } from '../cancellation.ts';
import type { SinkFetch } from '../http/http-post.ts';
import { isPublicAddress } from './public-address.ts';

/** Resolves the IP addresses of a host. Rejects for a host without an address. */
export type ResolveHost = (host: string) => Promise<readonly string[]>;

export interface PublicFetchOptions {
  /** Default: as the operating system resolves names. */
  readonly resolve?: ResolveHost;
  /** Whether connections to an address are allowed. Default: {@link isPublicAddress}. */
  readonly isAllowed?: (address: string) => boolean;
}

async function resolveBySystem(host: string): Promise<readonly string[]> {
  const entries = await lookup(host, { all: true });
  return entries.map(({ address }) => address);
}

/** A lookup that returns the checked addresses. */
function checkedLookup(addresses: readonly string[]): LookupFunction {
  const entries = addresses.map(address => ({ address, family: isIP(address) }));
  return (_host, { all }, callback) => {
    const [first] = entries;
    if (all === true) callback(null, entries);
    else callback(null, first?.address ?? '', first?.family);
  };
}

/**
 * A `fetch` for callers' URLs: it resolves the host once, refuses it unless all of its addresses are allowed, and
 * connects to the checked addresses. It reuses no connection, follows no redirect and uses no proxy. The `fetch` throws
 * MsgError MSG_INVALID_ARGUMENT for a host with an address that is not allowed.
 */
export function publicFetch({
  resolve = resolveBySystem,
  isAllowed = isPublicAddress,
}: PublicFetchOptions = {}): SinkFetch {
  return async (url, init) => {
    const target = new URL(url);
    const host = target.hostname.replace(/^\[|\]$/g, '');
    const { signal } = init;
    const addresses =
      isIP(host) === 0 ? await unlessAborted(resolve(host), signal, () => signal.reason) : [host];
    if (addresses.length === 0)
      throw Object.assign(new Error('the host has no address'), { code: 'ENOTFOUND' });
    if (!addresses.every(address => isAllowed(address))) {
      throw new MsgError(
        'MSG_INVALID_ARGUMENT',
        "the recipient's url must lead to public addresses only; allowed_origins of the sink or --private-sink-urls allow others",
      );
    }
    return post(target, addresses, init);
  };
}

function post(
  url: URL,
  addresses: readonly string[],
  { method, headers, body, signal }: Parameters<SinkFetch>[1],
): ReturnType<SinkFetch> {
  return new Promise((resolve, reject) => {
    const open = url.protocol === 'https:' ? requestHttps : requestHttp;
    const request = open(url, {
      method,
      headers: Object.fromEntries(headers),
      agent: false,
      lookup: checkedLookup(addresses),
      signal,
    });
    request.on('error', reject);
    request.on('response', response => {
      // The body of a `node:stream` is bytes; its type says `any`.
      const bytes = Readable.toWeb(response) as ReadableStream<Uint8Array>;
      resolve({ status: response.statusCode ?? 0, body: bytes });
    });
    request.end(body);
  });
}
