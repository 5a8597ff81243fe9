import {
  choice,
  type FileMap,
  type FileValue,
  type SettingType,
  scalarType,
  secret,
  setting,
  toggle,
} from '@msg/command-line';
import {
  type Entry,
  entryList,
  fileError,
  oneOf,
  readScalar,
  requireList,
  requireMap,
} from '@msg/command-line/internal';
import { formatTimestamp, ROLES } from '@msg/core/internal';
import { optional, required } from '@msg/foundation/shape';
import { isDigest, isKeyName, isKeyText, MAX_SECRETS } from '../auth/api-keys/secret.ts';
import { formatRate, parseRate, type RateSetting } from './rate.ts';
import { pattern, verbs } from './setting-types.ts';

const name = scalarType<string>({
  placeholder: 'name',
  parse: value => (isKeyName(value) ? value : undefined),
  format: value => value,
  expected: '1 to 64 of a-z, 0-9 and "-"',
});

const digest = scalarType<string>({
  placeholder: 'digest',
  parse: value => (isDigest(value) ? value : undefined),
  format: value => value,
  expected: 'a SHA-256 digest, 64 hexadecimal digits in small letters',
});

const keyText: SettingType<string> = {
  ...secret,
  parse: value => (isKeyText(value) ? value : undefined),
  expected: '1 to 256 printable ASCII characters without spaces, not a signed token',
};

/** One text, or a list of up to three. */
function upToThree(type: SettingType<string>): SettingType<readonly string[]> {
  const schema = type.schema ?? {};
  return {
    placeholder: `${type.placeholder}|list`,
    parse: () => undefined,
    read(value) {
      if (value.kind !== 'list') return [readScalar(type, value)];
      if (value.items.length === 0 || value.items.length > MAX_SECRETS)
        throw fileError(value, `must hold 1 to ${MAX_SECRETS} texts`);
      return value.items.map(item => readScalar(type, item));
    },
    format: () => '',
    show: values => values.map(value => type.show(value)),
    expected: type.expected,
    schema: oneOf(schema, { type: 'array', items: schema, minItems: 1, maxItems: MAX_SECRETS }),
  };
}

/** A point in time; the value is Unix milliseconds. */
const timestamp = scalarType<number>({
  placeholder: 'time',
  parse(value) {
    const isRfc3339 = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/.test(value);
    const ms = Date.parse(value);
    return isRfc3339 && !Number.isNaN(ms) ? ms : undefined;
  },
  format: formatTimestamp,
  expected: 'an RFC 3339 time such as 2027-01-31T00:00:00Z',
});

const rate = scalarType<RateSetting>({
  placeholder: 'n/window',
  parse(value) {
    const parsed = parseRate(value);
    return parsed !== undefined && parsed.rate > 0 ? parsed : undefined;
  },
  format: formatRate,
  expected: 'a rate above 0 such as 100/s or 600/m',
});

const GRANT = {
  pattern: required(pattern, 'the channels the key may use'),
  verbs: required(verbs, 'at least one of subscribe, publish, manage'),
} as const;

const KEY = {
  name: required(name, '1 to 64 of `a-z0-9-`, unique; calls with the key are those of `key:<name>`'),
  sha256: optional(
    upToThree(digest),
    'SHA-256 of the key, hexadecimal; one, or up to three while it is rotated; either this or `key`',
  ),
  key: optional(upToThree(keyText), 'the key itself, out of an environment variable; one, or up to three'),
  role: optional(
    choice(...ROLES),
    'the methods that calls with the key may use: `viewer`, `operator` or `admin`, the default',
  ),
  grants: optional(entryList(GRANT), 'what the key may do, by pattern; default: everything'),
  expires: optional(timestamp, 'when the key ends, an RFC 3339 time; default: never'),
  rate: optional(rate, 'publishes of the key, as N/window; tightens `rate_limits.publish`'),
  allow_weak: optional(toggle, 'no warning about a key of fewer than 24 characters'),
} as const;

const entries = entryList(KEY);

/** One entry of `auth.api_keys[]`. */
export type ApiKeyEntry = Entry<typeof KEY>;

/** @throws UsageError for a key without secret, or with secrets of both kinds. */
function requireSecret(map: FileMap, { sha256, key }: ApiKeyEntry): void {
  if (sha256 === undefined && key === undefined)
    throw fileError({ ...map, key: `${map.key}.sha256` }, 'is required, or key in its place');
  if (sha256 !== undefined && key !== undefined)
    throw fileError({ ...map, key: `${map.key}.key` }, 'is not allowed beside sha256');
}

/** The entries, with the rules that hold between them. */
const apiKeys: typeof entries = {
  ...entries,
  read(value: FileValue, around) {
    const keys = entries.read(value, around);
    const maps = requireList(value).items.map(requireMap);
    const names = new Set<string>();
    for (const [index, map] of maps.entries()) {
      const key = keys[index];
      if (key === undefined) continue;
      requireSecret(map, key);
      if (names.has(key.name))
        throw fileError(map.entries.get('name') ?? map, `"${key.name}" is already used by another key`);
      names.add(key.name);
    }
    return keys;
  },
};

/** Keys of backends (the application developer's side, section 1). */
export const API_KEY_SETTINGS = {
  apiKeys: setting(
    'auth.api_keys',
    apiKeys,
    [],
    'keys of backends that the RPC accepts; reread by SIGHUP and ReloadKeys',
  ),
} as const;
