import { systemClock, systemRandom } from '@msg/foundation/clock';
import { Msg, type StoreBackend, type Stores } from '@msg/server';
import { describe, expect, it } from 'vitest';
import { silentLogger } from '#src/observability/logger.ts';
import { memoryStores } from '#src/stores/memory.ts';
import { embed } from '../support/embedded.ts';

const CONTEXT = { clock: systemClock, random: systemRandom, logger: silentLogger, sinkNames: [] };

/** A backend that answers what memory does, changed, and notes when it is closed. */
function backend(change: (stores: Stores) => unknown = stores => stores) {
  const ends: string[] = [];
  const stores: StoreBackend = {
    async open(context) {
      const memory = await memoryStores().open(context);
      const answer: Stores = { ...memory, close: () => void ends.push('stores') };
      return change(answer) as Stores; // wrong answers are what is tested
    },
  };
  return { stores, ends };
}

const MEMBERS = ['registry', 'limiter', 'redemptions', 'revocations', 'deadLetters', 'schemas'] as const;

describe('a store backend of the embedder', () => {
  it('keeps what the service keeps, and is closed with it', async () => {
    const memory = await memoryStores().open(CONTEXT);
    const { stores, ends } = backend(answer => ({ ...answer, registry: memory.registry }));
    const { msg, stop } = await embed({ stores });
    await msg.channels.openPublic('public:app.news');
    expect(memory.registry.peek('public:app.news')).toMatchObject({ state: 'open' });
    expect(msg.manifest().payload.dlq_backend).toBe('custom');
    await stop();
    expect(ends).toEqual(['stores']);
  });

  it('is told clock, random, logger, node and sinks', async () => {
    let told: unknown;
    const stores: StoreBackend = {
      open: context => {
        told = context;
        return memoryStores().open(context);
      },
    };
    const sink = { name: 'ops', send: async () => {} };
    const msg = await Msg.create({ stores, nodeId: 'a', sinks: [sink], clock: systemClock });
    expect(told).toMatchObject({ clock: systemClock, nodeId: 'a', sinkNames: ['ops'] });
    await msg.close();
  });

  it.each(MEMBERS)('without %s is refused by name, and closed', async member => {
    const { stores, ends } = backend(({ [member]: _missing, ...others }) => others);
    await expect(Msg.create({ stores })).rejects.toMatchObject({
      code: 'MSG_INVALID_ARGUMENT',
      message: `stores.${member} is required`,
    });
    expect(ends).toEqual(['stores']);
  });

  it.each([
    [
      'a member of another type',
      (all: Stores) => ({ ...all, limiter: 7 }),
      'stores.limiter must be an object; got 7',
    ],
    [
      'a member without a method',
      (all: Stores) => ({ ...all, schemas: {} }),
      'stores.schemas.load must be a function',
    ],
    [
      'a keyring without a method',
      (all: Stores) => ({ ...all, keyring: {} }),
      'stores.keyring.load must be a function',
    ],
    [
      'a close that is not a function',
      (all: Stores) => ({ ...all, close: 1 }),
      'stores.close must be a function',
    ],
    ['nothing', () => undefined, 'stores.open must answer the stores; got undefined'],
  ])('that answers %s is refused by name', async (_, change, message) => {
    await expect(Msg.create(backend(change))).rejects.toMatchObject({
      code: 'MSG_INVALID_ARGUMENT',
      message,
    });
  });

  it('closes bus and stores when its answer is refused', async () => {
    const ends: string[] = [];
    const clusterBus = { start: async () => {}, health: {}, close: async () => void ends.push('bus') };
    const { stores } = backend(all => ({
      ...all,
      limiter: undefined,
      clusterBus,
      close: () => void ends.push('stores'),
    }));
    await expect(Msg.create({ stores })).rejects.toThrow('stores.limiter is required');
    expect(ends).toEqual(['bus', 'stores']);
  });

  it('that rejects at open is a coded error, and an error with a code stays', async () => {
    const down: StoreBackend = { open: () => Promise.reject(new Error('disk is full')) };
    await expect(Msg.create({ stores: down })).rejects.toMatchObject({
      code: 'MSG_BROKER_INTERNAL',
      message: 'stores.open failed: disk is full',
    });
    const { stores } = backend();
    await expect(Msg.create({ stores, redis: { address: 'localhost:1' } })).rejects.toMatchObject({
      code: 'MSG_INVALID_ARGUMENT',
      message: expect.stringContaining('stores is not allowed with redis'),
    });
  });

  it('is closed when a later step of the start fails', async () => {
    const { stores, ends } = backend(all => ({
      ...all,
      keyring: {
        backend: 'external',
        location: 'x',
        load: () => Promise.reject(new Error('unreadable')),
        probe: async () => undefined,
        save: async () => '',
      },
    }));
    await expect(Msg.create({ stores })).rejects.toThrow();
    expect(ends).toEqual(['stores']);
  });

  it('that is not a backend is refused', async () => {
    await expect(Msg.create({ stores: {} as StoreBackend })).rejects.toThrow(
      'stores.open must be a function',
    );
  });
});
