import type { LinkSizes } from '@msg/engine/threads';
import { systemRandom } from '@msg/foundation/clock';
import { ManualClock } from '@msg/foundation/clock/testing';
import { ApiKeys } from '#src/auth/api-keys/api-keys.ts';
import { MemoryApiKeyStore } from '#src/auth/api-keys/store/memory.ts';
import { KeySet } from '#src/auth/keys/key-set.ts';
import { LiveKeySet } from '#src/auth/keys/live-key-set.ts';
import { MemoryDeadLetterQueue } from '#src/notify/dead-letters/memory.ts';
import { silentLogger } from '#src/observability/logger.ts';
import type { Stores } from '#src/stores/contract.ts';
import { memoryStores } from '#src/stores/memory.ts';
import { MainStores, type SharedResources } from '#src/stores/threads/main-stores.ts';
import { threadStores } from '#src/stores/threads/thread-stores.ts';
import { LETTERS } from './contract-cases.ts';

/** Sizes of links that the suites run with: in the small ones records wrap and wait all the time. */
export const LINK_SIZES: readonly (readonly [name: string, sizes: LinkSizes])[] = [
  ['rings of 4 KiB', { upBytes: 4096, downBytes: 4096 }],
  ['rings of the default size', {}],
];

/** A keyring without keys, as no service has it: contracts begin with an empty store. */
function emptyKeyring(): SharedResources['keyring'] {
  return { live: new LiveKeySet(new KeySet([]), undefined), backend: 'ephemeral', location: '' };
}

/** Opens the stores of a process on memory, as main has them. */
export async function mainResources(clock: ManualClock): Promise<SharedResources> {
  const stores = await memoryStores().open({
    clock,
    random: systemRandom,
    logger: silentLogger,
    sinkNames: [],
  });
  const deadLetters = new MemoryDeadLetterQueue(systemRandom, LETTERS);
  const store = new MemoryApiKeyStore();
  const apiKeys = await ApiKeys.open({ declared: [], store, clock, logger: silentLogger });
  return { stores: { ...stores, deadLetters }, keyring: emptyKeyring(), apiKeys };
}

/** One process in one thread: main's stores, and the ends of some threads, under one clock. */
export class StoresInOne {
  readonly main: MainStores;
  readonly errors: unknown[] = [];
  readonly #clock: ManualClock;
  readonly #threads: Stores[] = [];
  readonly #open: (() => Promise<void>)[] = [];

  private constructor(clock: ManualClock, resources: SharedResources, sizes: LinkSizes) {
    this.#clock = clock;
    const logger = { ...silentLogger, error: (fields: unknown) => void this.errors.push(fields) };
    this.main = new MainStores(resources, { clock, logger, revocationStore: 'auto' }, sizes);
  }

  static async open(
    sizes: LinkSizes = {},
    clock = new ManualClock(),
    resources?: SharedResources,
  ): Promise<StoresInOne> {
    return new StoresInOne(clock, resources ?? (await mainResources(clock)), sizes);
  }

  /** The stores of a new thread. */
  async thread(number: number): Promise<Stores> {
    const attached = this.main.attach(number);
    const onError = (error: unknown): void => void this.errors.push(error);
    const backend = threadStores(attached.link, { onError, onBroken: onError });
    const context = { clock: this.#clock, random: systemRandom, logger: silentLogger, sinkNames: [] };
    const stores = await backend.open(context);
    this.#threads.push(stores);
    this.#open.push(async () => {
      await stores.close?.();
      await attached.detach();
    });
    return stores;
  }

  /** Waits until main has read what the threads have written, which takes no time of the clock. */
  async settle(): Promise<void> {
    for (const { redemptions } of this.#threads) await redemptions.isFamilyRevoked('none');
  }

  /** The thread has died: main serves it no longer. */
  async detach(number: number): Promise<void> {
    await this.#open[number - 1]?.();
    this.#threads.splice(number - 1, 1);
  }

  async stop(): Promise<void> {
    for (const close of this.#open.splice(0)) await close();
  }
}
