import { systemRandom } from '@msg/foundation/clock';
import { eventually } from '@msg/testkit';
import { describe, expect, it } from 'vitest';
import { ApiKeys } from '#src/auth/api-keys/api-keys.ts';
import { digestOf } from '#src/auth/api-keys/secret.ts';
import { Keyring } from '#src/auth/keys/keyring.ts';
import { TokenSigner } from '#src/auth/tokens/signer.ts';
import { TokenVerifier } from '#src/auth/tokens/verifier.ts';
import { MemoryChannelRegistry } from '#src/channels/registry/memory.ts';
import { silentLogger } from '#src/observability/logger.ts';
import { SchemaRegistry } from '#src/schemas/registry.ts';
import type { ClusterEvents, Stores } from '#src/stores/contract.ts';
import { SettlingClock } from './settling-clock.ts';
import { mainResources, StoresInOne } from './stores-in-one.ts';

const EVENTS: ClusterEvents = {
  onChannelChanged() {},
  onKeyringChanged() {},
  onSchemasChanged() {},
  onReconnected() {},
};

/** A registry that counts. */
class CountedRegistry extends MemoryChannelRegistry {
  touches = 0;

  override touch(name: string, ttlMs?: number) {
    this.touches += 1;
    return super.touch(name, ttlMs);
  }
}

async function rig() {
  const clock = new SettlingClock();
  const resources = await mainResources(clock);
  const registry = new CountedRegistry(clock);
  const keyring = await Keyring.open({ clock, random: systemRandom });
  const process = await StoresInOne.open({}, clock, {
    ...resources,
    keyring,
    stores: { ...resources.stores, registry },
  });
  clock.settle = () => process.settle();
  return { clock, process, registry, keyring, apiKeys: resources.apiKeys as ApiKeys };
}

function required<T>(store: T | undefined): T {
  if (store === undefined) throw new Error('the thread has not this store');
  return store;
}

async function keyringOf({ keyring: store }: Stores, clock: SettlingClock): Promise<Keyring> {
  return Keyring.open({ clock, random: systemRandom, store: required(store) });
}

describe('the stores of a thread', () => {
  it('gives each of many questions at one time its own answer', async () => {
    const { process, clock } = await rig();
    const { registry, limiter, revocations } = await process.thread(1);
    const numbers = Array.from({ length: 200 }, (_, number) => number);
    await Promise.all(numbers.map(number => registry.openPublic(`public:many.c${number}`, 1000 + number)));
    await Promise.all(numbers.map(number => revocations.revokeUser(`u${number}`, 5000 + number, 60_000)));
    const answers = await Promise.all(
      numbers.map(async number => {
        const limits = [{ rate: number + 1, perMs: 60_000, burst: 0 }];
        const [record, touched, { userCutoff }, { accepted }] = await Promise.all([
          registry.get(`public:many.c${number}`),
          registry.touch(`public:many.c${number}`),
          revocations.lookup('', `u${number}`),
          limiter.take('publish', `u${number}`, limits, 500),
        ]);
        return [record?.ttlMs, touched?.ttlMs, userCutoff, accepted];
      }),
    );
    expect(answers).toEqual(numbers.map(n => [1000 + n, 1000 + n, 5000 + n, n + 1]));
    await process.stop();
    expect(clock.pending).toBe(0);
  });

  it('sends the activity of a busy channel once in 50 ms, and its last', async () => {
    const { process, clock, registry: counted } = await rig();
    const { registry } = await process.thread(1);
    await registry.openPublic('public:busy', 60_000);
    for (let ms = 0; ms < 100; ms += 10) {
      for (let note = 0; note < 100; note++) registry.noteActivity?.('public:busy');
      await clock.advance(10);
    }
    await clock.advance(100);
    expect(counted.touches).toBe(3);
    await process.stop();
    expect([clock.pending, process.errors]).toEqual([0, []]);
  });

  it('has its activity counted by a sweep of main that comes before it was sent', async () => {
    const { process, clock } = await rig();
    const { registry, clusterBus } = await process.thread(1);
    await required(clusterBus).start(EVENTS);
    await registry.openPublic('public:swept', 20);
    registry.noteActivity?.('public:swept');
    await clock.advance(15);
    registry.noteActivity?.('public:swept');
    await clock.advance(15);
    const { registry: ofMain } = process.main.resources.stores;
    expect(await ofMain.sweep()).toEqual([]);
    await clock.advance(20);
    expect(await ofMain.sweep()).toMatchObject([{ name: 'public:swept', state: 'closed' }]);
    await eventually('the news', () => registry.peek('public:swept')?.state === 'closed');
    await process.stop();
  });

  it('gives back what it held when it ends', async () => {
    const { process } = await rig();
    const [here, there] = [await process.thread(1), await process.thread(2)];
    const message = { subject: '', body: 'b', metadata: {} };
    const letter = { sink: 's', channel: '', recipient: null, lastError: '', attempts: 1, parkedAt: 1 };
    const id = await here.deadLetters.push({ ...letter, message });
    expect((await here.deadLetters.claim(id))?.letter.id).toBe(id);
    expect(await there.deadLetters.claim(id)).toBeUndefined();
    await process.detach(1);
    expect((await there.deadLetters.claim(id))?.letter.id).toBe(id);
    await process.stop();
  });

  it('refuses an old keyring, old schemas and old API keys until it has the new ones', async () => {
    const { process, clock, keyring: ofMain, apiKeys } = await rig();
    // It does not listen: as a thread in a long turn, it follows no news.
    const stores = await process.thread(1);
    const store = required(stores.apiKeys);
    const keys = await ApiKeys.open({ declared: [], store, clock, logger: silentLogger });
    const keyring = await keyringOf(stores, clock);
    const schemas = new SchemaRegistry(stores.schemas, clock);
    await schemas.refresh();
    const verifier = new TokenVerifier({ keyring, clock, random: systemRandom });
    const claims = {
      sub: 'ada',
      typ: 'access',
      iat: clock.now() / 1000,
      exp: clock.now() / 1000 + 60,
    } as const;
    const { token } = new TokenSigner(ofMain, systemRandom).sign(claims);
    expect(verifier.verify('access', token).subject).toBe('ada');
    const secrets = [{ id: '', sha256: digestOf('a key of 24 characters ..') }];
    const key = { name: 'a', role: 'admin', grants: [], secrets, createdAtMs: 1, revision: 'r' } as const;

    await ofMain.generate();
    await new SchemaRegistry(process.main.resources.stores.schemas, clock).register({
      pattern: 'a.{id}',
      version: 0,
      aspects: {},
    });
    await apiKeys.store?.replace('a', undefined, key);
    await apiKeys.refresh();

    const notReady = expect.objectContaining({ code: 'MSG_BROKER_NOT_READY', retryAfterMs: 1000 });
    expect(() => verifier.verify('access', token)).toThrow(notReady);
    expect(() => new TokenSigner(keyring, systemRandom).sign(claims)).toThrow(notReady);
    expect(() => schemas.find('public:a.1')).toThrow(notReady);
    expect(() => keys.check('a key of 24 characters ..')).toThrow(notReady);
    await Promise.all([keyring.reload(), schemas.refresh(), keys.refresh()]);
    expect(verifier.verify('access', token).subject).toBe('ada');
    expect(keyring.keySet.keys).toHaveLength(2);
    expect(schemas.get('a.{id}').version).toBe(1);
    expect(keys.check('a key of 24 characters ..')).toMatchObject({ subject: 'key:a' });
    await process.stop();
  });

  it('knows the keys that main declares, and creates none where main cannot', async () => {
    const clock = new SettlingClock();
    const declared = [{ name: 'backend', key: 'a-long-key-of-the-backend' }];
    const apiKeys = await ApiKeys.open({ declared, clock, logger: silentLogger });
    const process = await StoresInOne.open({}, clock, { ...(await mainResources(clock)), apiKeys });
    const { apiKeys: store } = await process.thread(1);
    const keys = await ApiKeys.open({ declared: [], store: required(store), clock, logger: silentLogger });
    expect(keys.check('a-long-key-of-the-backend')).toMatchObject({ subject: 'key:backend' });
    expect([keys.isDeclared('backend'), keys.store]).toEqual([true, undefined]);
    await process.stop();
  });
});
