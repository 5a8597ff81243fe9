import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { RedisServer } from '@msg/testkit/redis';
import { measureInTurns } from '../comparison.ts';
import { CONNECT_DEFAULTS, connectAndDrop } from '../connect.ts';
import { deliveryPlan } from '../fanout.ts';
import { latencyPlan, latencySample } from '../latency.ts';
import { bytesPerConnection, CONNECTIONS } from '../memory.ts';
import { LOAD_CORE, PinnedProcess } from '../pinned.ts';
import { publishRequest, RPC_LOAD, requestFor } from '../rpc.ts';
import { SCENARIOS } from '../scenarios.ts';
import { connectToService } from '../served-connect.ts';
import { CHANNEL, MSG_PROGRAM, startMsgRpc } from '../servers/msg-rpc.ts';
import { Side } from '../side.ts';
import { clusteredStorm, requireFiles, STORM_DEFAULTS } from '../storm.ts';
import type { Comparison } from './main.ts';
import { ratioLine } from './ratio.ts';
import { subject } from './subjects.ts';
import type { Tree } from './tree.ts';

const SUBSCRIBERS = new URL('../load/client.ts', import.meta.url);

/** A server program of a checkout. The names of these files and the questions they answer stay as they are. */
function server({ root }: Tree, name: 'engine' | 'clustered'): URL {
  return pathToFileURL(join(root, 'bench/src/servers', `${name}.ts`));
}

/** A server of a checkout and a load for it, for one sample: what is luck of one process is so once. */
async function withEngine<Sample>(tree: Tree, use: (side: Side) => Promise<Sample>): Promise<Sample> {
  const side = await Side.start(server(tree, 'engine'), { args: ['--pings=off'] });
  try {
    return await use(side);
  } finally {
    await side.stop();
  }
}

export const fanout: Comparison = async (now, before, { pairs, sliceMs, only }) => {
  for (const scenario of SCENARIOS.filter(({ name }) => name.includes(only))) {
    const { subscribers, channels, encoding, payload } = scenario;
    const subscribing = { encoding, channels, delta: payload === 'similar' };
    const sample = (tree: Tree) =>
      withEngine(tree, async side => {
        await side.open({ count: subscribers, subscribing });
        await side.publish(deliveryPlan(scenario, sliceMs / 2)); // until the code is compiled
        return side.publish(deliveryPlan(scenario, sliceMs));
      });
    const measured = await measureInTurns(
      pairs,
      () => sample(now),
      () => sample(before),
    );
    const cost = { name: 'server CPU per delivery, µs', digits: 3 };
    const line = ratioLine(measured, { ...cost, of: ({ cpuUs, deliveries }) => cpuUs / deliveries });
    console.log(`  ${scenario.name}, ${line}`);
  }
};

export const memory: Comparison = async (now, before, { pairs }) => {
  const sample = (tree: Tree) => bytesPerConnection(server(tree, 'engine'), CONNECTIONS);
  const measured = await measureInTurns(
    pairs,
    () => sample(now),
    () => sample(before),
  );
  const cost = { name: 'RSS per idle subscribed connection, KB', digits: 2 };
  console.log(`  ${ratioLine(measured, { ...cost, of: bytes => bytes / 1024 })}`);
};

export const connect: Comparison = async (now, before, { pairs }) => {
  const sample = (tree: Tree) =>
    withEngine(tree, async side => {
      await connectAndDrop(side); // until the code is compiled
      return connectAndDrop(side);
    });
  const measured = await measureInTurns(
    pairs,
    () => sample(now),
    () => sample(before),
  );
  const cost = { name: 'engine, server CPU per connection, µs', digits: 1 };
  console.log(`  ${ratioLine(measured, { ...cost, of: ({ cpuUs, connections }) => cpuUs / connections })}`);
  const { connections, concurrency } = CONNECT_DEFAULTS;
  const toService = ({ root }: Tree) => connectToService(connections, concurrency, join(root, MSG_PROGRAM));
  const served = await measureInTurns(
    pairs,
    () => toService(now),
    () => toService(before),
  );
  const service = { name: 'msg serve, server CPU per connection, µs', digits: 1 };
  console.log(`  ${ratioLine(served, { ...service, of: us => us })}`);
};

export const latency: Comparison = async (now, before, { pairs, sliceMs }) => {
  const subscribers = 1000;
  const warm = async (side: Side) => {
    const subscribing = { encoding: 'json', channels: 1, delta: false } as const;
    await side.open({ count: subscribers, subscribing, stamped: true });
    const measured = await side.publish(latencyPlan(sliceMs));
    await side.ask({ kind: 'latencies' });
    return measured;
  };
  const { cpuUs, deliveries } = await withEngine(before, warm);
  // Twice the time that a publication takes the old side: half a core of load, at the same rate for both.
  const everyMs = (2 * cpuUs) / (deliveries / subscribers) / 1000;
  const sample = (tree: Tree) =>
    withEngine(tree, async side => {
      await warm(side);
      return latencySample(side, { ...latencyPlan(sliceMs), everyMs, restMs: 0 });
    });
  const measured = await measureInTurns(
    pairs,
    () => sample(now),
    () => sample(before),
  );
  for (const quantile of ['p50', 'p99'] as const) {
    const cost = { name: `publish to receive, ${quantile}, ms`, digits: 2 };
    console.log(`  ${ratioLine(measured, { ...cost, of: sample => sample[quantile] / 1000 })}`);
  }
};

export const rpc: Comparison = async (now, before, { pairs, sliceMs }) => {
  // The CPU of another process is counted in hundredths of a second: a round may not be short.
  const roundMs = Math.max(2000, sliceMs);
  const sample = async ({ root }: Tree) => {
    const { server: msg, token } = await startMsgRpc([], { program: join(root, MSG_PROGRAM) });
    const load = await PinnedProcess.start(RPC_LOAD, LOAD_CORE);
    const request = publishRequest(token).toString('base64');
    const connecting = { kind: 'connect', port: msg.port, connections: 16, request } as const;
    try {
      await requestFor(roundMs / 2, msg, load, connecting); // until the code is compiled
      return await requestFor(roundMs, msg, load, connecting);
    } finally {
      await Promise.all([load.stop(), msg.stop()]);
    }
  };
  const measured = await measureInTurns(
    pairs,
    () => sample(now),
    () => sample(before),
  );
  const cost = { name: 'Publish, server CPU per request, µs', digits: 1 };
  console.log(`  ${ratioLine(measured, { ...cost, of: ({ cpuUs, answered }) => cpuUs / answered })}`);
};

/** `msg serve` on a store, called by a backend, with one subscriber of the channel: its CPU per Publish. */
export const publish: Comparison = async (now, before, extent) => {
  await subject('clustered', { redis: true })(now, before, extent);
  const redis = await RedisServer.start();
  const roundMs = Math.max(2000, extent.sliceMs);
  const sample = async ({ root }: Tree, connections: number) => {
    const args = ['--redis-addr', redis.address];
    const { server: msg, token } = await startMsgRpc([], { program: join(root, MSG_PROGRAM), args });
    const load = await PinnedProcess.start(RPC_LOAD, LOAD_CORE);
    const subscriber = await PinnedProcess.start(SUBSCRIBERS, LOAD_CORE);
    const request = publishRequest(token).toString('base64');
    const connecting = { kind: 'connect', port: msg.port, connections, request } as const;
    const subscribing = { encoding: 'json', channels: 1, channel: CHANNEL, delta: false } as const;
    const opening = { kind: 'open', port: msg.port, count: 1, concurrency: 1, subscribing, stamped: false };
    try {
      await subscriber.ask(opening);
      await requestFor(roundMs / 2, msg, load, connecting); // until the code is compiled
      return await requestFor(roundMs, msg, load, connecting);
    } finally {
      await Promise.all([load.stop(), subscriber.stop()]);
      await msg.stop();
    }
  };
  try {
    for (const [name, connections] of [
      ['one at a time', 1],
      ['ten at once', 10],
    ] as const) {
      if (!`msg serve, ${name}`.includes(extent.only)) continue;
      const measured = await measureInTurns(
        extent.pairs,
        () => sample(now, connections),
        () => sample(before, connections),
      );
      const cost = { name: `msg serve, ${name}, server CPU per Publish, µs`, digits: 1 };
      console.log(`  ${ratioLine(measured, { ...cost, of: ({ cpuUs, answered }) => cpuUs / answered })}`);
    }
  } finally {
    await redis.stop();
  }
};

export const storm: Comparison = async (now, before, { pairs }) => {
  requireFiles(STORM_DEFAULTS.clients);
  const redis = await RedisServer.start();
  let rounds = 0;
  const sample = (tree: Tree) =>
    clusteredStorm(
      { module: server(tree, 'clustered'), args: [redis.address, `storm-${rounds++}`] },
      STORM_DEFAULTS,
    );
  try {
    const measured = await measureInTurns(
      pairs,
      () => sample(now),
      () => sample(before),
    );
    const cost = { name: 'server CPU per client that comes back, µs', digits: 1 };
    const { clients } = STORM_DEFAULTS;
    console.log(`  ${ratioLine(measured, { ...cost, of: ({ cpuMs }) => (cpuMs * 1000) / clients })}`);
    const last = { name: 'until all are back, ms', digits: 0 };
    console.log(`  ${ratioLine(measured, { ...last, of: ({ lastMs }) => lastMs })}`);
  } finally {
    await redis.stop();
  }
};
