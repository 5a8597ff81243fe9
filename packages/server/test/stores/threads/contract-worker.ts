// Runs the cases of contracts on stores whose other end is on the main thread.
import { type MessagePort, parentPort } from 'node:worker_threads';
import type { ContractCase } from '@msg/engine/testing';
import { systemRandom } from '@msg/foundation/clock';
import { eventually } from '@msg/testkit';
import { silentLogger } from '#src/observability/logger.ts';
import { type StoresLink, threadStores } from '#src/stores/threads/thread-stores.ts';
import { STORE_CASES } from './contract-cases.ts';
import { SettlingClock } from './settling-clock.ts';

/** A case that main asks for. */
export interface CaseRequest {
  readonly what: string;
  readonly name: string;
  /** Of two threads. */
  readonly links: readonly [StoresLink, StoresLink];
  /** Of main's clock. */
  readonly jumps: Float64Array;
}

const main = parentPort as MessagePort;
let advanced: () => void = () => {};

/** Main's clock moves with that of this thread. */
class FollowedClock extends SettlingClock {
  override async advance(ms: number): Promise<void> {
    await this.settle();
    const { promise, resolve } = Promise.withResolvers<void>();
    advanced = resolve;
    main.postMessage({ kind: 'advance', ms });
    await promise;
    await super.advance(ms);
  }
}

async function run({ what, name, links, jumps }: CaseRequest): Promise<void> {
  const clock = new FollowedClock(jumps);
  const context = { clock, random: systemRandom, logger: silentLogger, sinkNames: [] };
  const here = await threadStores(links[0]).open(context);
  const there = await threadStores(links[1]).open(context);
  clock.settle = async () => {
    for (const { redemptions } of [here, there]) await redemptions.isFamilyRevoked('none');
  };
  const found = STORE_CASES.find(one => one.what === what);
  const contract: readonly ContractCase<unknown>[] = found?.contract ?? [];
  const one = contract.find(candidate => candidate.name === name);
  try {
    if (one === undefined) throw new Error(`there is not a case ${what}: ${name}`);
    await one.holds(found?.subject({ here, there, clock, eventually }));
    main.postMessage({ kind: 'held' });
  } catch (error) {
    main.postMessage({ kind: 'failed', text: error instanceof Error ? error.stack : String(error) });
  }
  await here.close?.();
  await there.close?.();
}

main.on('message', (request: CaseRequest | 'advanced') => {
  if (request === 'advanced') advanced();
  else void run(request);
});
