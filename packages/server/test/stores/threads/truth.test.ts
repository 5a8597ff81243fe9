import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { systemClock, systemRandom } from '@msg/foundation/clock';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiKeys } from '#src/auth/api-keys/api-keys.ts';
import { MemoryApiKeyStore } from '#src/auth/api-keys/store/memory.ts';
import { Keyring } from '#src/auth/keys/keyring.ts';
import { silentLogger } from '#src/observability/logger.ts';
import { memoryStores } from '#src/stores/memory.ts';
import { type AttachedStores, MainStores } from '#src/stores/threads/main-stores.ts';
import { type TruthOperations, truthNode } from './truth-node.ts';

const THREADS = 3;
/** Rounds of each kind. */
const ROUNDS = Number(process.env['MSG_TEST_ROUNDS'] ?? 150);
const SEED = Number(process.env['MSG_TEST_SEED'] ?? Date.now() % 2 ** 31);
const FLAGS = ['--conditions=msg-source', '--disable-warning=ExperimentalWarning'];

/** Numbers from 0 to below `end`, the same for a seed. */
function numbers(seed: number): (end: number) => number {
  let state = seed | 0;
  return end => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) | 0;
    return ((state >>> 16) & 0x7fff) % end;
  };
}

/** The operations of a thread, asked from main. */
function operationsOf(worker: Worker): TruthOperations {
  const waiting = new Map<number, { resolve(result: unknown): void; reject(error: Error): void }>();
  let last = 0;
  worker.on('message', ({ id, result, error }) => {
    if (error === undefined) waiting.get(id)?.resolve(result);
    else waiting.get(id)?.reject(new Error(error));
    waiting.delete(id);
  });
  const ask = (name: string, argument: readonly string[]): Promise<unknown> => {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const id = ++last;
    waiting.set(id, { resolve, reject });
    worker.postMessage({ id, name, argument });
    return promise;
  };
  return new Proxy({} as TruthOperations, {
    get: (_, name) => (name === 'then' ? undefined : (...argument: string[]) => ask(String(name), argument)),
  });
}

describe('what one thread answered as done is true on every other one', {
  timeout: 30_000 + 200 * ROUNDS,
}, () => {
  const workers: Worker[] = [];
  const attached: AttachedStores[] = [];
  const errors: unknown[] = [];
  /** Main, then the threads. */
  const nodes: TruthOperations[] = [];
  let main: MainStores;

  beforeAll(async () => {
    const clock = systemClock;
    const logger = { ...silentLogger, error: (fields: unknown) => void errors.push(fields) };
    const context = { clock, random: systemRandom, logger, sinkNames: [] };
    const opened = await memoryStores().open(context);
    const keyring = await Keyring.open({ clock, random: systemRandom });
    const store = new MemoryApiKeyStore();
    const apiKeys = await ApiKeys.open({ declared: [], store, clock, logger });
    main = new MainStores({ stores: opened, keyring, apiKeys }, { logger, revocationStore: 'auto' });
    nodes.push(await truthNode({ stores: main.resources.stores, keyring, apiKeys }));
    for (let number = 1; number <= THREADS; number++) {
      const thread = main.attach(number);
      const worker = new Worker(new URL('./truth-worker.ts', import.meta.url), {
        workerData: { link: thread.link },
        transferList: [...thread.transferList],
        execArgv: FLAGS,
      });
      attached.push(thread);
      workers.push(worker);
      await once(worker, 'message');
      nodes.push(operationsOf(worker));
    }
  }, 60_000);

  afterAll(async () => {
    await main.resources.stores.clusterBus?.close();
    for (const worker of workers) await worker.terminate();
    for (const thread of attached) await thread.detach();
    expect(errors).toEqual([]);
  });

  /** Two different nodes. */
  function pair(number: (end: number) => number): [TruthOperations, TruthOperations] {
    const here = number(nodes.length);
    const there = (here + 1 + number(nodes.length - 1)) % nodes.length;
    return [nodes[here] as TruthOperations, nodes[there] as TruthOperations];
  }

  /** Rounds with two nodes and a name of their own. */
  async function rounds(
    hold: (here: TruthOperations, there: TruthOperations, round: number) => Promise<void>,
  ): Promise<void> {
    const number = numbers(SEED);
    for (let round = 0; round < ROUNDS; round++) await hold(...pair(number), round);
  }

  it(`open, close and delete (seed ${SEED})`, async () => {
    await rounds(async (here, there, round) => {
      const name = `public:truth.c${round}`;
      expect(await there.stateOf(name)).toBeUndefined();
      await here.open(name);
      expect([await there.stateOf(name), await there.stateOf(name)]).toEqual(['open', 'open']);
      await there.close(name);
      expect(await here.stateOf(name)).toBe('closed');
      await here.open(name);
      expect(await there.stateOf(name)).toBe('open');
      await here.delete(name);
      expect(await there.stateOf(name)).toBe('deleted');
    });
  });

  it(`revoke (seed ${SEED})`, async () => {
    await rounds(async (here, there, round) => {
      const jti = `token-${round}`;
      expect([await there.isRevoked(jti), await there.isRevoked(jti)]).toEqual([false, false]);
      await here.revoke(jti);
      expect([await there.isRevoked(jti), await here.isRevoked(jti)]).toEqual([true, true]);
    });
  });

  it(`generate, promote and retire (seed ${SEED})`, async () => {
    await rounds(async (here, there) => {
      const kid = await here.generate();
      expect(await there.keys(kid)).toMatchObject({ isKnown: true });
      await there.promote(kid);
      expect(await here.keys(kid)).toEqual({ active: kid, isKnown: true });
      await here.retire(kid);
      const { active, isKnown } = await there.keys(kid);
      expect([isKnown, active === kid]).toEqual([false, false]);
      expect(await here.keys(active)).toEqual({ active, isKnown: true });
    });
  });

  it(`schemas (seed ${SEED})`, async () => {
    await rounds(async (here, there, round) => {
      const pattern = `truth.s${round % 20}.{id}`;
      const version = await here.saveSchema(pattern);
      expect(await there.versionOf(pattern)).toBe(version);
      expect(await there.saveSchema(pattern)).toBe(version + 1);
      expect(await here.versionOf(pattern)).toBe(version + 1);
    });
  });

  it(`API keys (seed ${SEED})`, async () => {
    await rounds(async (here, there, round) => {
      const text = `key-${round}-with-enough-characters`;
      expect(await there.accepts(text)).toBe(false);
      await here.saveApiKey('truth', text);
      expect(await there.accepts(text)).toBe(true);
      await there.removeApiKey('truth');
      expect(await here.accepts(text)).toBe(false);
    });
  });

  it('a refresh token that comes to all threads at once has one winner', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const won = await Promise.all(nodes.map(node => node.redeem(`refresh-${round}`)));
      expect(won.filter(Boolean)).toHaveLength(1);
    }
  });

  it('a rate limit holds over all threads', async () => {
    const takes = nodes.flatMap(node => Array.from({ length: 60 }, () => node.take('ada')));
    expect((await Promise.all(takes)).filter(Boolean)).toHaveLength(100);
  });
});
