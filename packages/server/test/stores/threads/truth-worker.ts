// A thread whose part of a service carries out what main asks for.
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { systemClock, systemRandom } from '@msg/foundation/clock';
import { ApiKeys } from '#src/auth/api-keys/api-keys.ts';
import { Keyring } from '#src/auth/keys/keyring.ts';
import { silentLogger } from '#src/observability/logger.ts';
import { threadStores } from '#src/stores/threads/thread-stores.ts';
import { type TruthOperations, truthNode } from './truth-node.ts';

/** An operation that main asks for. */
export interface TruthQuestion {
  readonly id: number;
  readonly name: keyof TruthOperations;
  readonly argument: readonly string[];
}

const main = parentPort as MessagePort;
const clock = systemClock;
const context = { clock, random: systemRandom, logger: silentLogger, sinkNames: [] };
const stores = await threadStores(workerData.link).open(context);
const { keyring: store, apiKeys: keys } = stores;
if (store === undefined || keys === undefined) throw new Error('the thread has neither keyring nor API keys');
const keyring = await Keyring.open({ clock, random: systemRandom, store });
const apiKeys = await ApiKeys.open({ declared: [], store: keys, clock, logger: silentLogger });
const node = await truthNode({ stores, keyring, apiKeys });
main.on('message', async ({ id, name, argument }: TruthQuestion) => {
  const operation = node[name] as (...argument: readonly string[]) => Promise<unknown>;
  try {
    main.postMessage({ id, result: await operation(...argument) });
  } catch (error) {
    main.postMessage({ id, error: String(error) });
  }
});
main.postMessage({ id: 0 });
