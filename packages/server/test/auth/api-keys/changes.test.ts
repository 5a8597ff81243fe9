import { systemRandom } from '@msg/foundation/clock';
import { ManualClock } from '@msg/foundation/clock/testing';
import { describe, expect, it } from 'vitest';
import { ApiKeys } from '#src/auth/api-keys/api-keys.ts';
import { ApiKeyChanges } from '#src/auth/api-keys/changes.ts';
import { MemoryApiKeyStore } from '#src/auth/api-keys/store/memory.ts';
import { InvalidTokenError } from '#src/auth/tokens/invalid-token.ts';
import { silentLogger } from '#src/observability/logger.ts';

async function rig(store: MemoryApiKeyStore | undefined = new MemoryApiKeyStore()) {
  const clock = new ManualClock();
  const declared = [{ name: 'declared', key: 'a-key-that-the-configuration-has' }];
  const keys = await ApiKeys.open({ declared, clock, logger: silentLogger, ...(store && { store }) });
  const changes = new ApiKeyChanges({ keys, clock, random: systemRandom });
  const outcome = (text: string): string => {
    const reading = keys.check(text);
    return reading instanceof InvalidTokenError ? reading.code : reading.subject;
  };
  const create = (name = 'shop', ttlMs = 0) => changes.create({ name, role: '', grants: [], ttlMs });
  return { clock, keys, changes, create, outcome, store };
}

describe('a created key', () => {
  it('has the generated form, counts at once, and is stored as its digest', async () => {
    const { create, outcome, store } = await rig();
    const { key, id, name } = await create();
    expect(key).toMatch(/^msgk_[a-z2-7]{8}_[\w-]{43}$/);
    expect([name, key.split('_')[1]]).toEqual(['shop', id]);
    expect(outcome(key)).toBe('key:shop');
    expect(JSON.stringify(await store?.load())).not.toContain(key.slice(14));
  });

  it('ends with its lifetime, and when it is revoked', async () => {
    const { clock, changes, create, outcome } = await rig();
    const short = await create('short', 1000);
    const long = await create('long');
    await clock.advance(1000);
    expect([outcome(short.key), outcome(long.key)]).toEqual(['MSG_AUTH_EXPIRED', 'key:long']);
    await changes.revoke('long');
    expect(outcome(long.key)).toBe('MSG_AUTH_DENIED');
  });

  it('rotates: the secrets before it end after the overlap, at most three count at a time', async () => {
    const { clock, changes, create, outcome } = await rig();
    const first = await create();
    const second = await changes.rotate('shop', 1000);
    const third = await changes.rotate('shop', 5000);
    expect([first, second, third].map(({ key }) => outcome(key))).toEqual([
      'key:shop',
      'key:shop',
      'key:shop',
    ]);
    await expect(changes.rotate('shop', 5000)).rejects.toThrow('has 3 secrets that still count');
    await clock.advance(1000);
    expect([first, second, third].map(({ key }) => outcome(key))).toEqual([
      'MSG_AUTH_EXPIRED',
      'key:shop',
      'key:shop',
    ]);
    const last = await changes.rotate('shop', 0);
    expect([second, third, last].map(({ key }) => outcome(key))).toEqual([
      'MSG_AUTH_DENIED',
      'MSG_AUTH_DENIED',
      'key:shop',
    ]);
  });

  it.each<[string, (parts: Awaited<ReturnType<typeof rig>>) => Promise<unknown>, string]>([
    ['a declared name', ({ create }) => create('declared'), 'declared in the configuration'],
    [
      'a declared name, revoked',
      ({ changes }) => changes.revoke('declared'),
      'declared in the configuration',
    ],
    ['a name twice', async ({ create }) => [await create(), await create()], 'is already used'],
    ['a bad name', ({ create }) => create('Shop'), 'name must be 1 to 64'],
    ['no such key', ({ changes }) => changes.rotate('none', 0), 'does not exist'],
    ['a negative lifetime', ({ create }) => create('shop', -1000), 'ttl_seconds must be 0 or more; got -1'],
    [
      'a role that does not exist',
      ({ changes }) => changes.create({ name: 'a', role: 'chef', grants: [], ttlMs: 0 }),
      'role must be one of viewer, operator, admin',
    ],
    [
      'a bad grant',
      ({ changes }) =>
        changes.create({ name: 'a', role: '', grants: [{ pattern: 'x', verbs: ['publish'] }], ttlMs: 0 }),
      'grants[0].pattern',
    ],
  ])('is refused: %s', async (_title, act, problem) => {
    await expect(act(await rig())).rejects.toMatchObject({
      code: 'MSG_INVALID_ARGUMENT',
      message: expect.stringContaining(problem),
    });
  });

  it('needs a place that outlives the process', async () => {
    const clock = new ManualClock();
    const keys = await ApiKeys.open({ declared: [], clock, logger: silentLogger });
    const changes = new ApiKeyChanges({ keys, clock, random: systemRandom });
    const created = changes.create({ name: 'shop', role: '', grants: [], ttlMs: 0 });
    await expect(created).rejects.toThrow(/auth\.state_dir or redis\.addr.*auth\.api_keys/);
  });
});
