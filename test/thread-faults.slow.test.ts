// Stock clients in Go and Python hear every publication once while threads of the service end and stall.
import { createRpcClient } from '@msg/core';
import { eventually } from '@msg/testkit';
import { expect, test } from 'vitest';
import { type Fault, startFaultyServer } from '../packages/server/test/support/threads.ts';
import { CLIENTS } from './support/listener/clients.ts';

const CHANNELS = Array.from({ length: 4 }, (_, n) => `public:faults.c${n}`);
/** What happens to which thread; publications go on meanwhile. */
const FAULTS: readonly (readonly [thread: number, fault: Fault])[] = [
  [1, 'throw'],
  [2, 'exit'],
  [1, 'stall'],
  [2, 'throw'],
];
const ROUNDS_PER_FAULT = 15;
const WAIT_MS = 120_000;
const clients = CLIENTS.filter(({ name }) => /^centrifuge-(?:go|python) /.test(name));

test.for(clients)(
  '$name loses nothing and recovers when threads end and stall',
  {
    timeout: 300_000,
  },
  async (client, { skip }) => {
    if (client.missing() !== undefined) return skip(client.missing());
    await client.prepare();
    const server = await startFaultyServer({ args: ['--threads', '2', '--access-log', 'off'] });
    const rpc = createRpcClient<AbortSignal>({ server: server.url, token: server.token, fetch });
    for (const name of CHANNELS) await rpc.call('OpenPublic', { name });
    const listeners = CHANNELS.map(channel =>
      client.listen({ url: server.url, channel, tokenOf: 'connection' }),
    );
    let sent = 0;
    /** One number into each channel; again, with its key, while the thread that takes it ends. */
    const publish = async (): Promise<void> => {
      const n = ++sent;
      const data = new TextEncoder().encode(JSON.stringify({ n }));
      const taken = (name: string): Promise<boolean> =>
        rpc.call('Publish', { name, data, idempotency_key: `n${n}` }).then(
          () => true,
          () => false,
        );
      await Promise.all(CHANNELS.map(name => eventually('the publish is taken', () => taken(name), WAIT_MS)));
    };
    try {
      for (const name of CHANNELS)
        await eventually(
          'it listens',
          async () => (await rpc.call('Presence', { name })).subscribers === 1,
          WAIT_MS,
        );
      await publish();
      for (const [thread, fault] of FAULTS) {
        await server.fail(thread, fault);
        for (let round = 0; round < ROUNDS_PER_FAULT; round++) await publish();
        await eventually(
          'all have all',
          () => listeners.every(({ numbers }) => numbers.length >= sent),
          WAIT_MS,
        );
      }
      const numbers = Array.from({ length: sent }, (_, index) => index + 1);
      for (const listener of listeners) expect(listener.numbers).toEqual(numbers);
      const recoveries = listeners.flatMap(listener => listener.recoveries ?? []);
      expect(recoveries.length).toBeGreaterThanOrEqual(CHANNELS.length);
      expect(new Set(recoveries)).toEqual(new Set([true]));
    } finally {
      for (const listener of listeners) listener.stop();
      await server.stop();
    }
  },
);
