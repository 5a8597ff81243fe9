import type { RealtimeNode } from '@msg/engine';
import type { RedisStore } from '@msg/redis';
import { RedisServer } from '@msg/testkit/redis';
import { measureInTurns, numericOptions } from './comparison.ts';
import { LOAD_CORE, PinnedProcess } from './pinned.ts';
import { printQuantity } from './report.ts';
import { publishRequest, RPC_LOAD, requestFor } from './rpc.ts';
import { startMsgRpc } from './servers/msg-rpc.ts';
import { spread } from './statistics.ts';
import { clusteredNode, PAYLOAD, publishAcross, STREAM } from './subjects/redis.ts';
import { benchmark, callOf } from './subjects/redis-benchmark.ts';

const DEFAULTS = { pairs: 7, publications: 40_000, channels: 50, waiting: 256, samples: 2000 };
/** The part at `msg serve`. */
const SERVED = { connections: 16, ms: 2000 };

interface Sample {
  readonly perSecond: number;
  /** CPU of a publication: of this process, or of the store that `redis-benchmark` asked. */
  readonly cpuUs: number;
}

/**
 * A node on Redis: publications a second through one store against `redis-benchmark` with the same script, keys and
 * arguments over pipelined connections; what one costs the node; how long it takes to the subscriber of another node.
 */
export async function run(args: string[]): Promise<void> {
  const options = numericOptions(args, DEFAULTS);
  const redis = await RedisServer.start();
  const stores: RedisStore[] = [];
  const nodes: RealtimeNode[] = [];
  try {
    for (let count = 0; count < 2; count++) {
      const { node, store } = await clusteredNode(redis.address);
      stores.push(store);
      nodes.push(node);
    }
    const [near, far] = nodes as [RealtimeNode, RealtimeNode];
    const call = await callOf(near, stores[0] as RedisStore);
    const measured = await measureInTurns(
      options.pairs,
      () => publish(near, options),
      () => benchmark(redis, call, options.publications),
    );
    console.log(
      `redis: publications of 256 bytes into ${options.channels} channels, streams of ${STREAM.size}`,
    );
    printQuantity(measured, 'redis-benchmark', {
      name: 'publications per second',
      of: sample => sample.perSecond,
      digits: 0,
      wanted: '≥ 0.5',
    });
    const cpu = measured.map(({ engine }) => engine.cpuUs);
    console.log(`  node CPU per clustered publication, µs: ${spread(cpu, 1)}`);
    await latency(near, far, options.samples);
    await served(redis, options.pairs);
  } finally {
    for (const node of nodes) await node.shutdown();
    for (const store of stores) store.close();
    await redis.stop();
  }
}

/** The Publish RPC of a `msg serve` with default settings on the store, over 16 connections. */
async function served({ address }: RedisServer, rounds: number): Promise<void> {
  const { server, token } = await startMsgRpc([], { args: ['--redis-addr', address] });
  const load = await PinnedProcess.start(RPC_LOAD, LOAD_CORE);
  const request = publishRequest(token).toString('base64');
  const connecting = {
    kind: 'connect',
    port: server.port,
    connections: SERVED.connections,
    request,
  } as const;
  const samples = [];
  try {
    for (let round = -1; round < rounds; round++) {
      const sample = await requestFor(SERVED.ms, server, load, connecting);
      if (round >= 0) samples.push(sample); // the first compiles the code
    }
  } finally {
    await Promise.all([load.stop(), server.stop()]);
  }
  const cpu = samples.map(({ cpuUs, answered }) => cpuUs / answered);
  const rate = samples.map(({ answered, wallMs }) => (answered / wallMs) * 1000);
  console.log(
    `  msg serve with default settings, Publish over ${SERVED.connections} connections: server CPU µs ` +
      `${spread(cpu, 1)}, publications per second ${spread(rate, 0)}`,
  );
}

/** Keeps a number of publishes under way until all are done. */
async function publish(
  node: RealtimeNode,
  { publications, channels, waiting }: Record<'publications' | 'channels' | 'waiting', number>,
): Promise<Sample> {
  let next = 0;
  const cpu = process.cpuUsage();
  const start = performance.now();
  const lane = async (): Promise<void> => {
    while (next < publications) await node.publish(`bench.${next++ % channels}`, PAYLOAD);
  };
  await Promise.all(Array.from({ length: waiting }, lane));
  const { user, system } = process.cpuUsage(cpu);
  const seconds = (performance.now() - start) / 1000;
  return { perSecond: publications / seconds, cpuUs: (user + system) / publications };
}

/** From the publish on one node to the subscriber of another, one publication at a time. */
async function latency(near: RealtimeNode, far: RealtimeNode, samples: number): Promise<void> {
  const publishOne = await publishAcross(near, far);
  const took: number[] = [];
  for (let count = 0; count < samples; count++) {
    const start = performance.now();
    await publishOne();
    took.push(performance.now() - start);
  }
  const sorted = took.toSorted((a, b) => a - b);
  const quantile = (part: number) => (sorted[Math.floor(part * (sorted.length - 1))] ?? 0).toFixed(2);
  console.log(
    `  to the subscriber of another node, ms: p50 ${quantile(0.5)}, p99 ${quantile(0.99)} over ${samples}`,
  );
}
