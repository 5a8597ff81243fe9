import { RedisStore } from '@msg/redis';
import type { Kernel } from '../kernel/kernel.ts';
import { networkOf } from '../net/network.ts';
import { RedisServer } from '../redis/server.ts';
import type { PreparedWorld } from './contract.ts';

const HOST = 'redis';
const PORT = 6379;
const END_MS = 30_000;
const EVERY_MS = 100;

/** The client library of the store against the simulated server, for its test: calls, messages, a cut, and a restart. */
export function storeClientWorld(kernel: Kernel): PreparedWorld {
  const server = new RedisServer(kernel, {
    name: 'redis',
    host: HOST,
    port: PORT,
  });
  server.startAt(0);
  const counts = { answers: 0, failures: 0, messages: 0, restored: 0, last: 0 };
  const actor = kernel.actor('caller');
  kernel.at(100, actor, 'start', () => void call(counts));
  kernel.at(8000, kernel.actor('faults'), 'cut', () => networkOf(kernel).cutBetween(actor, HOST));
  kernel.at(12_000, kernel.actor('faults'), 'silence', () => networkOf(kernel).silenceBetween(actor, HOST));
  kernel.at(22_000, kernel.actor('faults'), 'kill', () =>
    server.restart({ afterMs: 1000, persistence: 'always' }),
  );
  return { endMs: END_MS, drawn: {}, counts: () => counts, violations: () => [] };
}

/** Counts and publishes all the time. */
async function call(counts: Record<'answers' | 'failures' | 'messages' | 'restored' | 'last', number>) {
  const store = new RedisStore({ address: `${HOST}:${PORT}` });
  await store.open();
  const subscriptions = store.subscriptions('probe', {
    message: () => counts.messages++,
    restored: () => counts.restored++,
  });
  await subscriptions.start();
  await subscriptions.subscribe('news');
  setInterval(() => {
    store.call('INCR', 'counter').then(
      answer => {
        counts.answers++;
        counts.last = Number(answer);
      },
      () => counts.failures++,
    );
    store.publish('news', 'text').catch(() => counts.failures++);
  }, EVERY_MS);
}
