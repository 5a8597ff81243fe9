import { MsgError, type RpcRequest, type RpcResponse } from '@msg/core';
import { formatTimestamp, isVerb } from '@msg/core/internal';
import { requireCoveredScopes } from '../auth/access/covered-scopes.ts';
import type { Principal } from '../auth/access/principal.ts';
import type { ApiKeySummary, ApiKeys } from '../auth/api-keys/api-keys.ts';
import type { ApiKeyChanges, CreatedApiKey } from '../auth/api-keys/changes.ts';
import { type ApiKeyGrant, isKeyBearer } from '../auth/api-keys/record.ts';
import type { RpcHandlers } from './call.ts';

type ApiKeyMethods = 'CreateApiKey' | 'ListApiKeys' | 'RotateApiKey' | 'RevokeApiKey';
type Summary = RpcResponse<'ListApiKeys'>['keys'][number];

export interface ApiKeyHandlerParts {
  readonly apiKeys: ApiKeys;
  readonly apiKeyChanges: ApiKeyChanges;
}

/** Handlers of the API key group. */
export function apiKeyHandlers({
  apiKeys,
  apiKeyChanges,
}: ApiKeyHandlerParts): Pick<RpcHandlers, ApiKeyMethods> {
  return {
    CreateApiKey({ name, role, grants, ttl_seconds }, { principal }) {
      const read = grants.map(readGrant);
      requireNotWider(principal, read);
      return apiKeyChanges.create({ name, role, grants: read, ttlMs: ttl_seconds * 1000 });
    },
    ListApiKeys: () => ({ keys: apiKeys.list().map(summaryOf) }),
    RotateApiKey({ name, overlap_seconds }, { principal }): Promise<CreatedApiKey> {
      const key = apiKeys.records.find(record => record.name === name);
      if (key !== undefined) requireNotWider(principal, key.grants);
      return apiKeyChanges.rotate(name, overlap_seconds === null ? undefined : overlap_seconds * 1000);
    },
    async RevokeApiKey({ name }) {
      await apiKeyChanges.revoke(name);
      return {};
    },
  };
}

/** @throws MsgError MSG_INVALID_ARGUMENT for a verb that does not exist. */
function readGrant(
  { pattern, verbs }: RpcRequest<'CreateApiKey'>['grants'][number],
  index: number,
): ApiKeyGrant {
  if (verbs.every(isVerb)) return { pattern, verbs };
  const text = `grants[${index}].verbs must hold at least one of subscribe, publish, manage`;
  throw new MsgError('MSG_INVALID_ARGUMENT', text);
}

/** @throws MsgError MSG_AUTH_DENIED for more rights than the caller has, and for a caller whose key has grants */
function requireNotWider(principal: Principal, grants: readonly ApiKeyGrant[]): void {
  if (principal.kind === 'anonymous' || principal.token.claims.scopes === undefined) return;
  if (isKeyBearer(principal.token))
    throw new MsgError('MSG_AUTH_DENIED', 'making an API key is not allowed for a key with grants');
  if (grants.length === 0)
    throw new MsgError(
      'MSG_AUTH_DENIED',
      'an API key without grants is not allowed for a bearer with scopes',
    );
  requireCoveredScopes(
    principal,
    grants.map(({ pattern, verbs }) => ({ pattern, verbs, deny: false })),
  );
}

function summaryOf({ name, role, declared, grants, expiresAtMs, secrets }: ApiKeySummary): Summary {
  return {
    name,
    role,
    declared,
    grants,
    expires_at: timeText(expiresAtMs),
    secrets: secrets.map(({ id, expiresAtMs: end, lastUsedMs }, slot) => ({
      slot,
      id,
      expires_at: timeText(end),
      last_used_at: timeText(lastUsedMs),
    })),
  };
}

function timeText(ms: number | undefined): string {
  return ms === undefined ? '' : formatTimestamp(ms);
}
