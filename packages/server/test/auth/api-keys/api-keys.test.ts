import { systemRandom } from '@msg/foundation/clock';
import { ManualClock } from '@msg/foundation/clock/testing';
import { describe, expect, it } from 'vitest';
import { ApiKeys } from '#src/auth/api-keys/api-keys.ts';
import type { ApiKeyOptions } from '#src/auth/api-keys/declared.ts';
import { digestOf } from '#src/auth/api-keys/secret.ts';
import { MemoryApiKeyStore } from '#src/auth/api-keys/store/memory.ts';
import { InvalidTokenError } from '#src/auth/tokens/invalid-token.ts';
import { silentLogger } from '#src/observability/logger.ts';

const KEY = 'a-key-of-a-backend-that-is-long-enough';
const OTHER = 'another-key-of-a-backend-also-long-enough';

function recording() {
  const warnings: string[] = [];
  return { warnings, logger: { ...silentLogger, warn: (_: unknown, text: string) => warnings.push(text) } };
}

function open(declared: readonly ApiKeyOptions[], clock = new ManualClock()) {
  return ApiKeys.open({ declared, clock, logger: silentLogger });
}

const outcome = (keys: ApiKeys, text: string): string => {
  const reading = keys.check(text);
  return reading instanceof InvalidTokenError ? reading.code : reading.subject;
};

describe('the check of a key', () => {
  it('answers the bearer of a key that is declared by text or digest', async () => {
    const keys = await open([
      { name: 'shop', key: KEY },
      { name: 'mail', sha256: digestOf(OTHER) },
    ]);
    expect(outcome(keys, KEY)).toBe('key:shop');
    expect(outcome(keys, OTHER)).toBe('key:mail');
    expect(outcome(keys, `${KEY}x`)).toBe('MSG_AUTH_DENIED');
    expect(outcome(keys, '')).toBe('MSG_AUTH_DENIED');
    expect([...keys.requests.series()]).toEqual([
      { first: 'shop', second: 'ok', count: 1 },
      { first: 'mail', second: 'ok', count: 1 },
      { first: '', second: 'unknown', count: 2 },
    ]);
  });

  it('accepts up to three secrets of one key and says which was used last', async () => {
    const clock = new ManualClock();
    const keys = await open([{ name: 'shop', key: [KEY, OTHER] }], clock);
    expect(outcome(keys, OTHER)).toBe('key:shop');
    expect([...keys.secrets()].map(({ slot, use }) => [slot, use.lastUsedMs])).toEqual([
      [0, 0],
      [1, clock.now()],
    ]);
  });

  it('ends a key at the millisecond that it expires', async () => {
    const clock = new ManualClock();
    const keys = await open([{ name: 'shop', key: KEY, expiresAtMs: clock.now() + 1000 }], clock);
    await clock.advance(999);
    expect(outcome(keys, KEY)).toBe('key:shop');
    await clock.advance(1);
    expect(outcome(keys, KEY)).toBe('MSG_AUTH_EXPIRED');
    expect([...keys.requests.series()].at(-1)).toEqual({ first: 'shop', second: 'expired', count: 1 });
  });

  it('gives a key with grants a bearer with scopes, and its rate', async () => {
    const grants = [{ pattern: 'public:app.**', verbs: ['publish'] as const }];
    const keys = await open([{ name: 'shop', key: KEY, grants, rate: { rate: 5, perMs: 1000 } }]);
    const bearer = keys.check(KEY);
    expect(bearer).toMatchObject({
      claims: { scopes: [{ pat: 'public:app.**', v: ['publish'] }], rl: { rate: 5, per: 1e9 } },
    });
  });
});

describe('declared keys', () => {
  it.each([
    [[{ name: 'Shop', key: KEY }], 'apiKeys[0].name must be 1 to 64'],
    [[{ name: 'shop' }], 'apiKeys[0] must have exactly one of sha256 and key'],
    [[{ name: 'shop', key: KEY, sha256: digestOf(OTHER) }], 'exactly one of sha256 and key'],
    [[{ name: 'shop', key: ['a', 'b', 'c', 'd'] }], 'at most 3 secrets'],
    [[{ name: 'shop', key: 'with space' }], 'apiKeys[0].key must be 1 to 256'],
    [[{ name: 'shop', key: 'eyJhbGciOiJIUzI1NiJ9.e30.c2ln' }], 'not a signed token'],
    [[{ name: 'shop', sha256: 'abc' }], 'apiKeys[0].sha256 must be 64'],
    [[{ name: 'shop', key: KEY, grants: [{ pattern: 'x', verbs: ['publish'] }] }], 'grants[0].pattern'],
    [[{ name: 'shop', key: KEY, grants: [{ pattern: 'public:a', verbs: [] }] }], 'grants[0].verbs'],
    [[{ name: 'shop', key: KEY, role: 'chef' }], 'apiKeys[0].role must be one of viewer, operator, admin'],
    [[{ name: 'shop', key: KEY, rate: { rate: 0, perMs: 0 } }], 'apiKeys[0].rate must have a rate'],
    [[{ name: 'shop', key: KEY, expiresAtMs: Number.NaN }], 'apiKeys[0].expiresAtMs'],
    [
      [
        { name: 'shop', key: KEY },
        { name: 'shop', key: OTHER },
      ],
      'apiKeys[1].name "shop" is already used',
    ],
    [
      [
        { name: 'shop', key: KEY },
        { name: 'mail', key: KEY },
      ],
      'already used by "shop"',
    ],
  ])('are refused when they are wrong: %j', async (declared, problem) => {
    const error = await open(declared as readonly ApiKeyOptions[]).catch((cause: unknown) => cause);
    expect(error).toMatchObject({ code: 'MSG_INVALID_ARGUMENT', message: expect.stringContaining(problem) });
    expect(String(error)).not.toContain(KEY);
  });

  it('warn about a key of fewer than 24 characters unless that is allowed', async () => {
    const { logger, warnings } = recording();
    const declared = [
      { name: 'a', key: 'x'.repeat(23) },
      { name: 'b', key: 'y'.repeat(24) },
      { name: 'c', key: 'z', allowWeak: true },
    ];
    await ApiKeys.open({ declared, clock: new ManualClock(), logger });
    expect(warnings).toEqual(['weak api key "a"']);
  });

  it('are replaced by what the reader answers; what is wrong leaves the old ones', async () => {
    const { logger, warnings } = recording();
    let declared: readonly ApiKeyOptions[] = [{ name: 'shop', key: [KEY, OTHER] }];
    const keys = await ApiKeys.open({
      declared: [{ name: 'shop', key: KEY }],
      reread: () => declared,
      clock: new ManualClock(),
      logger,
    });
    await keys.reload();
    expect([outcome(keys, KEY), outcome(keys, OTHER)]).toEqual(['key:shop', 'key:shop']);
    declared = [{ name: 'shop', key: 'with space' }];
    await keys.reload();
    expect(outcome(keys, KEY)).toBe('key:shop');
    expect(warnings).toEqual(['api keys could not be reloaded, the old ones stay']);
    declared = [{ name: 'shop', key: OTHER }];
    await keys.reload();
    expect([outcome(keys, KEY), outcome(keys, OTHER)]).toEqual(['MSG_AUTH_DENIED', 'key:shop']);
  });
});

describe('stored keys', () => {
  const stored = (name: string, text: string) => ({
    name,
    revision: Buffer.from(systemRandom.bytes(6)).toString('hex'),
    createdAtMs: 0,
    role: 'admin' as const,
    grants: [],
    secrets: [{ id: '', sha256: digestOf(text) }],
  });

  it('of another process are known, and revoked, within 5 s', async () => {
    const clock = new ManualClock();
    const store = new MemoryApiKeyStore();
    const keys = await ApiKeys.open({ declared: [], store, clock, logger: silentLogger });
    keys.start();
    const key = stored('shop', KEY);
    await store.replace('shop', undefined, key);
    await clock.advance(5000);
    expect(outcome(keys, KEY)).toBe('key:shop');
    await store.replace('shop', key.revision, undefined);
    await clock.advance(5000);
    expect(outcome(keys, KEY)).toBe('MSG_AUTH_DENIED');
    await keys.stop();
  });

  it('stay while the store fails, which is logged once', async () => {
    const clock = new ManualClock();
    const store = new MemoryApiKeyStore();
    await store.replace('shop', undefined, stored('shop', KEY));
    const { logger, warnings } = recording();
    const keys = await ApiKeys.open({ declared: [], store, clock, logger });
    keys.start();
    store.load = () => Promise.reject(new Error('gone'));
    await clock.advance(10_000);
    expect(outcome(keys, KEY)).toBe('key:shop');
    expect(warnings).toEqual(['the stored api keys could not be read']);
    await keys.stop();
  });

  it('give way to a declared key of the same name', async () => {
    const store = new MemoryApiKeyStore();
    await store.replace('shop', undefined, stored('shop', KEY));
    const declared = [{ name: 'shop', key: OTHER }];
    const keys = await ApiKeys.open({ declared, store, clock: new ManualClock(), logger: silentLogger });
    expect([outcome(keys, KEY), outcome(keys, OTHER)]).toEqual(['MSG_AUTH_DENIED', 'key:shop']);
  });
});
