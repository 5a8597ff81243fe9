import { MsgError, type Role } from '@msg/core';
import { isVerb, readPattern } from '@msg/core/internal';
import { defined } from '@msg/foundation/json';
import type { RateLimit } from '../../rate-limits/limit.ts';
import { requireRole } from '../tokens/management.ts';
import { type ApiKeyGrant, type ApiKeyRecord, type ApiKeySecret, DEFAULT_ROLE } from './record.ts';
import { digestOf, isDigest, isKeyName, isKeyText, isWeakKey, KEY_PREFIX, MAX_SECRETS } from './secret.ts';

/** A key that the embedder, or the configuration file, declares: the durable credential of a backend. */
export interface ApiKeyOptions {
  /** 1–64 of `a-z0-9-`, unique; calls with the key have the subject `key:<name>`. */
  readonly name: string;
  /** SHA-256 of the key, 64 hexadecimal digits: one, or up to three while it is rotated. Either this or `key`. */
  readonly sha256?: string | readonly string[];
  /** The key itself: 1–256 printable ASCII characters without spaces; one, or up to three. */
  readonly key?: string | readonly string[];
  /** The methods that calls with the key may use; default `admin`: all. */
  readonly role?: Role;
  /** The rights of the key; default: those of a full management bearer. */
  readonly grants?: readonly ApiKeyGrant[];
  /** End of the key, Unix milliseconds; default: never. */
  readonly expiresAtMs?: number;
  /** Publishes of the key in a window; it tightens the rate limit `publish`. Default: no limit of the key. */
  readonly rate?: Pick<RateLimit, 'rate' | 'perMs'>;
  /** No warning about a key of fewer than 24 characters. */
  readonly allowWeak?: boolean;
}

/** The declared keys, and the names of those that are too short to be safe. */
export interface DeclaredApiKeys {
  readonly records: readonly ApiKeyRecord[];
  readonly weak: readonly string[];
}

function invalid(place: string, problem: string): MsgError {
  return new MsgError('MSG_INVALID_ARGUMENT', `${place} ${problem}`);
}

function listOf(value: string | readonly string[] | undefined): readonly string[] {
  if (value === undefined) return [];
  return typeof value === 'string' ? [value] : value;
}

/** The id in the text of a generated key. */
function idIn(text: string): string {
  return text.startsWith(KEY_PREFIX) ? (text.split('_')[1] ?? '') : '';
}

function secretsOf({ sha256, key }: ApiKeyOptions, place: string): readonly ApiKeySecret[] {
  const digests = listOf(sha256);
  const texts = listOf(key);
  if ((digests.length === 0) === (texts.length === 0))
    throw invalid(place, 'must have exactly one of sha256 and key');
  if (digests.length + texts.length > MAX_SECRETS)
    throw invalid(place, `must have at most ${MAX_SECRETS} secrets`);
  if (!digests.every(isDigest))
    throw invalid(`${place}.sha256`, 'must be 64 hexadecimal digits in small letters');
  if (!texts.every(isKeyText))
    throw invalid(
      `${place}.key`,
      'must be 1 to 256 printable ASCII characters without spaces, not a signed token',
    );
  return [
    ...digests.map(digest => ({ id: '', sha256: digest })),
    ...texts.map(text => ({ id: idIn(text), sha256: digestOf(text) })),
  ];
}

/** @throws MsgError MSG_INVALID_ARGUMENT naming the member, for grants of the configuration and of calls alike. */
export function requireGrants(grants: readonly ApiKeyGrant[], place: string): void {
  for (const [index, { pattern, verbs }] of grants.entries()) {
    if (readPattern(pattern) === undefined)
      throw invalid(`${place}[${index}].pattern`, 'must be a scope pattern such as public:app.**');
    if (verbs.length === 0 || !verbs.every(isVerb))
      throw invalid(`${place}[${index}].verbs`, 'must hold at least one of subscribe, publish, manage');
  }
}

/** @throws MsgError MSG_INVALID_ARGUMENT */
export function requireKeyName(name: string, place: string): void {
  if (!isKeyName(name)) throw invalid(place, 'must be 1 to 64 of a-z, 0-9 and "-"');
}

function readOptions(options: ApiKeyOptions, place: string): ApiKeyRecord {
  const { name, role = DEFAULT_ROLE, grants = [], expiresAtMs, rate } = options;
  requireKeyName(name, `${place}.name`);
  requireRole(role, `${place}.role`);
  requireGrants(grants, `${place}.grants`);
  if (expiresAtMs !== undefined && !Number.isFinite(expiresAtMs))
    throw invalid(`${place}.expiresAtMs`, 'must be a number of milliseconds');
  if (rate !== undefined && !(rate.rate > 0 && rate.perMs > 0))
    throw invalid(`${place}.rate`, 'must have a rate and a window above 0');
  return { name, role, grants, secrets: secretsOf(options, place), ...defined({ expiresAtMs, rate }) };
}

/**
 * Reads declared keys.
 * @throws MsgError MSG_INVALID_ARGUMENT naming the member; never a secret.
 */
export function readDeclared(declared: readonly ApiKeyOptions[]): DeclaredApiKeys {
  const records = declared.map((options, index) => readOptions(options, `apiKeys[${index}]`));
  const names = new Set<string>();
  const digests = new Map<string, string>();
  for (const [index, { name, secrets }] of records.entries()) {
    if (names.has(name)) throw invalid(`apiKeys[${index}].name`, `"${name}" is already used`);
    names.add(name);
    for (const { sha256 } of secrets) {
      const owner = digests.get(sha256);
      if (owner !== undefined)
        throw invalid(`apiKeys[${index}]`, `has a secret that is already used by "${owner}"`);
      digests.set(sha256, name);
    }
  }
  const weak = declared.filter(({ key, allowWeak }) => allowWeak !== true && listOf(key).some(isWeakKey));
  return { records, weak: weak.map(({ name }) => name) };
}
