import { MsgError } from '@msg/core';
import type { Clock } from '@msg/foundation/clock';
import { isRecord } from '@msg/foundation/json';
import { isTrustworthy } from '../../../config/issuer-address.ts';

/** Time limit of a request to the identity provider (messaging details, section 9). */
const PROVIDER_TIMEOUT_MS = 10_000;

type Fetch = typeof globalThis.fetch;

/**
 * GETs a JSON object. Redirects are not followed: only the configured address is trusted.
 * @throws Error with the cause
 */
export async function fetchJson(
  fetch: Fetch,
  clock: Clock,
  url: string,
): Promise<Readonly<Record<string, unknown>>> {
  const answer = await fetch(url, {
    headers: { accept: 'application/json' },
    redirect: 'manual',
    signal: clock.deadline(PROVIDER_TIMEOUT_MS),
  });
  if (answer.status !== 200) throw new Error(`${url} answered HTTP ${answer.status}`);
  const document: unknown = await answer.json();
  if (!isRecord(document)) {
    throw new Error(`${url} answered no JSON object`);
  }
  return { ...document };
}

/**
 * Finds the provider's key set by its discovery document.
 * @returns address of the key set
 * @throws MsgError MSG_INVALID_ARGUMENT when the document cannot be fetched, or names another issuer
 */
export async function discoverKeySet(fetch: Fetch, clock: Clock, issuer: string): Promise<string> {
  const url = `${issuer.replace(/\/+$/, '')}/.well-known/openid-configuration`;
  const document = await fetchJson(fetch, clock, url).catch((cause: unknown) => {
    const problem = cause instanceof Error ? cause.message : 'no answer';
    throw new MsgError('MSG_INVALID_ARGUMENT', `auth.oidc.issuer: discovery failed: ${problem}`, { cause });
  });
  const { issuer: named, jwks_uri: keySet } = document;
  if (named !== issuer) {
    const text = `auth.oidc.issuer: ${url} names the issuer ${JSON.stringify(named)}, not ${JSON.stringify(issuer)}`;
    throw new MsgError('MSG_INVALID_ARGUMENT', text);
  }
  if (typeof keySet === 'string' && isTrustworthy(keySet)) return keySet;
  throw new MsgError('MSG_INVALID_ARGUMENT', `auth.oidc.issuer: ${url} names no usable jwks_uri`);
}
