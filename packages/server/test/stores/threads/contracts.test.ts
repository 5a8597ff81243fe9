import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { eventually } from '@msg/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { STORE_CASES } from './contract-cases.ts';
import type { CaseRequest } from './contract-worker.ts';
import { SettlingClock } from './settling-clock.ts';
import { LINK_SIZES, StoresInOne } from './stores-in-one.ts';

const NAMED = STORE_CASES.flatMap(({ what, contract, subject }) =>
  contract.map(({ name, holds }) => ({ what, name, holds, subject })),
);

describe.each(LINK_SIZES)('stores of threads keep the contracts: %s', (_, sizes) => {
  it.each(NAMED)('both ends in one thread, $what: $name', async ({ holds, subject }) => {
    const clock = new SettlingClock();
    const process = await StoresInOne.open(sizes, clock);
    clock.settle = () => process.settle();
    const [here, there] = [await process.thread(1), await process.thread(2)];
    await holds(subject({ here, there, clock, eventually }));
    await process.stop();
    expect(process.errors).toEqual([]);
    expect(clock.pending).toBe(0);
  });
});

describe.each(LINK_SIZES)('stores of threads keep the contracts across a worker: %s', (_, sizes) => {
  let worker: Worker;
  beforeAll(async () => {
    worker = new Worker(new URL('./contract-worker.ts', import.meta.url), {
      execArgv: ['--conditions=msg-source', '--disable-warning=ExperimentalWarning'],
    });
    await once(worker, 'online');
  });
  afterAll(async () => {
    await worker.terminate();
  });

  it.each(NAMED)('$what: $name', async ({ what, name }) => {
    const clock = new SettlingClock();
    const process = await StoresInOne.open(sizes, clock);
    const [here, there] = [process.main.attach(1), process.main.attach(2)];
    const request: CaseRequest = { what, name, links: [here.link, there.link], jumps: clock.jumps };
    worker.postMessage(request, [...here.transferList, ...there.transferList]);
    for (;;) {
      const [message] = await once(worker, 'message');
      if (message.kind !== 'advance') {
        expect(message).toEqual({ kind: 'held' });
        break;
      }
      await clock.advance(message.ms);
      worker.postMessage('advanced');
    }
    await here.detach();
    await there.detach();
    expect(process.errors).toEqual([]);
    expect(clock.pending).toBe(0);
  });
});
