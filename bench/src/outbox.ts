import { numericOptions } from './comparison.ts';
import { printBacklog, printDrain } from './outbox/drain.ts';
import { printLatency } from './outbox/latency.ts';
import { openScene, type Scene } from './outbox/scene.ts';
import { printTransactions } from './outbox/transactions.ts';

const DEFAULTS = { pairs: 5, rows: 16_000, transactions: 4_000, latencies: 50, backlog: 1_000_000 };

type Options = Record<keyof typeof DEFAULTS, number>;

/** In the order of a run. */
const PARTS: Readonly<Record<string, (scene: Scene, options: Options) => Promise<void>>> = {
  drain: (scene, { pairs, rows }) => printDrain(scene, pairs, rows),
  transactions: (scene, { pairs, transactions }) => printTransactions(scene, pairs, transactions),
  latency: (scene, { pairs, latencies }) => printLatency(scene, pairs, latencies),
  backlog: (scene, { backlog }) => printBacklog(scene, backlog),
};

/** The PostgreSQL outbox beside doing without it: transactions, drain, latency, and a backlog; or the parts that are named. */
export async function run(args: string[]): Promise<void> {
  const numbers = args.filter(arg => !Object.hasOwn(PARTS, arg));
  const options = numericOptions(numbers, DEFAULTS);
  const parts = Object.keys(PARTS).filter(part => numbers.length === args.length || args.includes(part));
  const scene = await openScene();
  try {
    for (const part of parts) await PARTS[part]?.(scene, options);
  } finally {
    await scene.stop();
  }
}
