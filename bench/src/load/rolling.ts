// A load process: clients of several nodes, which go to another one when theirs sends them away or dies.
import { SeededRandom } from '../../../test/hostile/random.ts';
import { channelName } from '../channels.ts';
import { serveQuestions } from '../pinned.ts';
import { Balancer } from './balancer.ts';
import { RollingClient } from './rolling-client.ts';
import { RollingCounts } from './rolling-counts.ts';
import type { Completed, RollingQuestion, Spread } from './rolling-questions.ts';

const OPENED_AT_ONCE = 64;
const COMPLETE_MS = 60_000;
const FRACTIONS = 2 ** 30;

const counts = new RollingCounts();
let clients: RollingClient[] = [];
let balancer: Balancer | undefined;

async function open({ ports, balancing, count, channels, seed }: Extract<RollingQuestion, { kind: 'open' }>) {
  const random = new SeededRandom(seed);
  const parts = {
    balancer: new Balancer(ports, balancing),
    counts,
    fraction: () => random.below(FRACTIONS) / FRACTIONS,
  };
  balancer = parts.balancer;
  const openNext = async (): Promise<void> => {
    while (clients.length < count) {
      const client = new RollingClient(channelName(clients.length % channels), parts);
      clients.push(client);
      await client.ready;
    }
  };
  await Promise.all(Array.from({ length: OPENED_AT_ONCE }, openNext));
  counts.take();
  return {};
}

function spread(): Spread {
  const live = (balancer?.ports ?? []).map(() => 0);
  for (const { node } of clients) if (node !== undefined) live[node] = (live[node] as number) + 1;
  return { live, ready: balancer?.ready ?? 0 };
}

/** Waits until every client has the last number of its channel. */
async function complete(last: readonly number[]): Promise<Completed> {
  const lackingNow = (): number =>
    clients.reduce((sum, client, index) => {
      const wanted = last[index % last.length] as number;
      return sum + Math.max(0, wanted - (client.last ?? 0));
    }, 0);
  const deadline = performance.now() + COMPLETE_MS;
  while (lackingNow() > 0 && performance.now() < deadline) {
    await new Promise(resolve => setTimeout(resolve, 20));
  }
  return { lacking: lackingNow() };
}

serveQuestions<RollingQuestion>(async question => {
  switch (question.kind) {
    case 'open':
      return open(question);
    case 'spread':
      return spread();
    case 'seen':
      return counts.take();
    case 'complete':
      return complete(question.last);
    case 'stop':
      balancer?.stop();
      for (const client of clients) client.stop();
      clients = [];
      return {};
  }
});
