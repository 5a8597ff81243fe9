import type { Seen, Spread } from '../load/rolling-questions.ts';
import type { PinnedProcess } from '../pinned.ts';
import type { RollingNodes } from './nodes.ts';

const LOOK_MS = 100;
const SETTLED_MS = 120_000;
/** Nodes notice a killed one after seven seconds, and compare their clients after that, every four. */
const NOTICED_MS = 30_000;

/** One node that was replaced, and what its clients saw. */
export interface Replacement {
  readonly node: number;
  readonly signal: 'SIGTERM' | 'SIGKILL';
  /** From the signal until the clients were shared by all nodes again. */
  readonly tookMs: number;
  /** The part of the clients at each surviving node when all were back, and at each node at the end. */
  readonly whileAway: readonly number[];
  readonly after: readonly number[];
  /** The most clients of a node over its share, at both moments. */
  readonly excess: number;
  readonly seen: Seen;
  /** Of one core, of each surviving node, from the signal until all clients were back. */
  readonly cpu: readonly number[];
}

interface Terms {
  readonly clients: number;
  readonly rebalanceMs: number;
  /** Clients of a node over its share that count as shared. */
  readonly mostOfShare: number;
}

/** Replaces a node, and waits until every client is back and the nodes share them. */
export async function replaceNode(
  { nodes, load }: { readonly nodes: RollingNodes; readonly load: PinnedProcess },
  { node, signal }: Pick<Replacement, 'node' | 'signal'>,
  { clients, rebalanceMs, mostOfShare }: Terms,
): Promise<Replacement> {
  const surviving = [...nodes.ports.keys()].filter(other => other !== node);
  const start = performance.now();
  const cpuBefore = nodes.cpuUs(surviving);
  await nodes.end(node, signal);
  const allBack = (spread: Spread): boolean => liveOf(spread) === clients;
  const away = await until(load, SETTLED_MS, spread => allBack(spread) && spread.live[node] === 0);
  if (!allBack(away)) throw new Error(`${clients - liveOf(away)} clients did not come back`);
  const elapsedUs = (performance.now() - start) * 1000;
  const cpu = nodes.cpuUs(surviving).map((us, index) => (us - (cpuBefore[index] as number)) / elapsedUs);
  await nodes.start(node);
  const isShared = (spread: Spread) => allBack(spread) && overShare(spread.live) <= mostOfShare;
  // Whether they are is judged by who asked.
  const shared = await until(load, NOTICED_MS + 6 * rebalanceMs, isShared);
  const survivors = surviving.map(other => away.live[other] as number);
  return {
    node,
    signal,
    tookMs: performance.now() - start,
    whileAway: survivors.map(count => count / clients),
    after: shared.live.map(count => count / clients),
    excess: Math.max(overShare(survivors), overShare(shared.live)),
    seen: await load.ask<Seen>({ kind: 'seen' }),
    cpu,
  };
}

const liveOf = ({ live }: Spread): number => live.reduce((sum, count) => sum + count, 0);

/** The most clients of a node, over an equal share. */
function overShare(live: readonly number[]): number {
  return (Math.max(...live) * live.length) / live.reduce((sum, count) => sum + count, 0);
}

/** Looks until it holds, or the time is over; answers the last look. */
async function until(
  load: PinnedProcess,
  withinMs: number,
  holds: (spread: Spread) => boolean,
): Promise<Spread> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const spread = await load.ask<Spread>({ kind: 'spread' });
    if (holds(spread) || performance.now() > deadline) return spread;
    await new Promise(resolve => setTimeout(resolve, LOOK_MS));
  }
}
