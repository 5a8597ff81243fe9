import { parseArgs } from 'node:util';
import { RedisServer } from '@msg/testkit/redis';
import { SeededRandom } from '../../test/hostile/random.ts';
import { numericOptions } from './comparison.ts';
import type { Balancing } from './load/balancer.ts';
import type { Completed } from './load/rolling-questions.ts';
import { LOAD_CORE, PinnedProcess } from './pinned.ts';
import { RollingNodes } from './rolling/nodes.ts';
import { NumberedPublisher } from './rolling/publisher.ts';
import { type Replacement, replaceNode } from './rolling/replacement.ts';
import { requireFiles } from './storm.ts';

const NODES = 3;
const LOAD = new URL('./load/rolling.ts', import.meta.url);
const DEFAULTS = {
  clients: 10_000,
  channels: 100,
  'publish-ms': 10,
  'drain-ms': 10_000,
  'rebalance-ms': 10_000,
  restarts: NODES,
  kills: NODES,
  seed: 1,
};
/** What a node may have above its share of the clients. */
const MOST_OF_SHARE = 1.1;

type Options = Record<keyof typeof DEFAULTS, number>;

/**
 * Every node of a cluster is replaced while its clients listen and numbers are published: first in order, with a drain
 * window, then killed. Fails when a client is told `recovered: false`, misses a number or gets one twice, and when a node
 * has more than its share of the clients and a tenth.
 */
export async function run(args: string[]): Promise<void> {
  const { balancing, rest } = balancingOf(args);
  const options = numericOptions(rest, DEFAULTS);
  requireFiles(options.clients);
  const redis = await RedisServer.start();
  const started: { stop(): Promise<void> }[] = [redis];
  try {
    const { 'drain-ms': drainMs, 'rebalance-ms': rebalanceMs } = options;
    const nodes = await RollingNodes.start(NODES, { redisAddress: redis.address, drainMs, rebalanceMs });
    started.push(nodes);
    const load = await PinnedProcess.start(LOAD, LOAD_CORE);
    started.push(load);
    const replacements = await replaceAll({ nodes, load, balancing }, options);
    const faults = replacements.flatMap(faultsOf);
    for (const fault of faults) console.error(fault);
    if (faults.length > 0) process.exitCode = 1;
    else console.log(`every publication reached every client once, over ${replacements.length} replacements`);
  } finally {
    for (const part of started.reverse()) await part.stop();
  }
}

function balancingOf(args: string[]): { balancing: Balancing; rest: string[] } {
  const at = args.indexOf('--balance');
  if (at < 0) return { balancing: 'fewest', rest: args };
  const { values } = parseArgs({ args: args.slice(at, at + 2), options: { balance: { type: 'string' } } });
  const { balance } = values;
  if (balance !== 'turns' && balance !== 'fewest') throw new Error('--balance must be turns or fewest');
  return { balancing: balance, rest: args.toSpliced(at, 2) };
}

interface Scene {
  readonly nodes: RollingNodes;
  readonly load: PinnedProcess;
  readonly balancing: Balancing;
}

async function replaceAll(scene: Scene, options: Options): Promise<readonly Replacement[]> {
  const { nodes, load, balancing } = scene;
  const { clients, channels, seed } = options;
  const publisher = new NumberedPublisher(nodes.urls, nodes.token, channels);
  await publisher.open();
  await load.ask({ kind: 'open', ports: nodes.ports, balancing, count: clients, channels, seed });
  console.log(
    `rolling: ${clients} clients of ${NODES} nodes in ${channels} channels, a publication every ` +
      `${options['publish-ms']} ms, connections given ${balancing === 'turns' ? 'in turns' : 'to the fewest'}; seed ${seed}`,
  );
  publisher.start(options['publish-ms']);
  const random = new SeededRandom(seed);
  const order = (count: number): number[] => random.shuffled([...nodes.ports.keys()]).slice(0, count);
  const replacements: Replacement[] = [];
  const steps = [
    ...order(options.restarts).map(node => ({ node, signal: 'SIGTERM' as const })),
    ...order(options.kills).map(node => ({ node, signal: 'SIGKILL' as const })),
  ];
  for (const step of steps) {
    const replacement = await replaceNode(scene, step, {
      clients,
      rebalanceMs: options['rebalance-ms'],
      mostOfShare: MOST_OF_SHARE,
    });
    print(replacement);
    replacements.push(replacement);
  }
  await publisher.stop();
  const { lacking } = await load.ask<Completed>({ kind: 'complete', last: publisher.last });
  await load.ask({ kind: 'stop' });
  const published = publisher.last.reduce((sum, count) => sum + count, 0);
  console.log(
    `  ${published} publications, ${publisher.repeated} calls repeated; lacking at the end ${lacking}`,
  );
  if (lacking > 0) throw new Error(`clients lack ${lacking} publications`);
  return replacements;
}

function print({ node, signal, tookMs, whileAway, after, seen, cpu }: Replacement): void {
  const percent = (parts: readonly number[]) => parts.map(part => `${(part * 100).toFixed(0)} %`).join(', ');
  const end = signal === 'SIGKILL' ? 'killed' : 'restarted';
  console.log(`  node ${node} ${end}, ${(tookMs / 1000).toFixed(1)} s until the clients were shared again`);
  console.log(
    `    recovered: false ${seen.unrecovered}, missing ${seen.missing}, doubled ${seen.doubled}; ` +
      `came back ${seen.back}, at most ${seen.mostPerSecond} per second, refused on the way ${seen.refused}`,
  );
  console.log(
    `    longest gap at a client ${seen.awayMs.longest.toFixed(0)} ms (median ${seen.awayMs.median.toFixed(0)}), ` +
      `latest publication after ${seen.latestMs.toFixed(0)} ms`,
  );
  console.log(
    `    CPU of the surviving nodes ${percent(cpu)} of a core; share of the clients ${percent(whileAway)} while it was ` +
      `away, ${percent(after)} afterwards`,
  );
}

function faultsOf({ node, signal, seen, excess }: Replacement): string[] {
  const { unrecovered, missing, doubled } = seen;
  const faults: string[] = [];
  if (unrecovered + missing + doubled > 0)
    faults.push(
      `node ${node}, ${signal}: recovered: false ${unrecovered}, missing ${missing}, doubled ${doubled}`,
    );
  if (excess > MOST_OF_SHARE)
    faults.push(`node ${node}, ${signal}: a node had ${excess.toFixed(2)} times its share of the clients`);
  return faults;
}
