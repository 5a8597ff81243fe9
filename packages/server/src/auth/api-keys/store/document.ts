import { MsgError } from '@msg/core';
import { isRole, isVerb, ROLES, readPattern } from '@msg/core/internal';
import { defined, isRecord } from '@msg/foundation/json';
import type { ApiKeyGrant, ApiKeySecret } from '../record.ts';
import { isDigest, isKeyName, MAX_SECRETS } from '../secret.ts';
import type { StoredApiKey } from './contract.ts';

/** Stored keys that are invalid: MSG_INVALID_ARGUMENT. The message names location and member and quotes no content. */
export class ApiKeyFormatError extends MsgError {
  constructor(location: string, problem: string) {
    super('MSG_INVALID_ARGUMENT', `api keys ${location}: ${problem}`);
  }
}

/** The JSON of a key. `revision` is the first member, where the Redis script reads it. */
export function writeApiKey({ revision, name, ...key }: StoredApiKey): object {
  return defined({
    revision,
    name,
    role: key.role,
    created_at_ms: key.createdAtMs,
    expires_at_ms: key.expiresAtMs,
    grants: key.grants,
    secrets: key.secrets.map(({ id, sha256, expiresAtMs }) =>
      defined({ id, sha256, expires_at_ms: expiresAtMs }),
    ),
  });
}

type Fail = (problem: string) => never;

function optionalTime(value: unknown, name: string, fail: Fail): { expiresAtMs?: number } {
  if (value === undefined) return {};
  if (typeof value !== 'number' || !Number.isFinite(value)) return fail(`${name} must be a number`);
  return { expiresAtMs: value };
}

function readGrant(value: unknown, fail: Fail): ApiKeyGrant {
  if (!isRecord(value)) return fail('grants must hold objects');
  const { pattern, verbs } = value;
  if (typeof pattern !== 'string' || readPattern(pattern) === undefined)
    return fail('grants[].pattern must be a scope pattern');
  if (!Array.isArray(verbs) || verbs.length === 0 || !verbs.every(isVerb))
    return fail('grants[].verbs must hold verbs');
  return { pattern, verbs };
}

function readSecret(value: unknown, fail: Fail): ApiKeySecret {
  if (!isRecord(value)) return fail('secrets must hold objects');
  const { id, sha256, expires_at_ms: end } = value;
  if (typeof id !== 'string') return fail('secrets[].id must be a string');
  if (typeof sha256 !== 'string' || !isDigest(sha256))
    return fail('secrets[].sha256 must be 64 hexadecimal digits');
  return { id, sha256, ...optionalTime(end, 'secrets[].expires_at_ms', fail) };
}

/** Reads the JSON of a key; unknown members are ignored. @throws ApiKeyFormatError */
export function readApiKey(value: unknown, location: string): StoredApiKey {
  let place = '';
  const fail: Fail = problem => {
    throw new ApiKeyFormatError(location, place === '' ? problem : `key ${place}: ${problem}`);
  };
  if (!isRecord(value)) return fail('every key must be an object');
  const { revision, name, role, created_at_ms: createdAtMs, expires_at_ms: end, grants, secrets } = value;
  if (typeof name !== 'string' || !isKeyName(name)) return fail('name must be 1-64 of a-z, 0-9 and "-"');
  place = name;
  if (typeof revision !== 'string' || revision === '') return fail('revision is missing');
  if (!isRole(role)) return fail(`role must be one of ${ROLES.join(', ')}`);
  if (typeof createdAtMs !== 'number') return fail('created_at_ms must be a number');
  if (!Array.isArray(grants)) return fail('grants must be an array');
  if (!Array.isArray(secrets) || secrets.length === 0 || secrets.length > MAX_SECRETS)
    return fail(`secrets must hold 1 to ${MAX_SECRETS} entries`);
  return {
    revision,
    name,
    createdAtMs,
    role,
    ...optionalTime(end, 'expires_at_ms', fail),
    grants: grants.map(grant => readGrant(grant, fail)),
    secrets: secrets.map(secret => readSecret(secret, fail)),
  };
}

/** Parses a stored text. @throws ApiKeyFormatError */
export function parseStored(text: string, location: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ApiKeyFormatError(location, 'not JSON');
  }
}
