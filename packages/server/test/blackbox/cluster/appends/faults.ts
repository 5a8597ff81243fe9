import { setTimeout as pause } from 'node:timers/promises';
import { FaultProxy, RedisCluster, RedisSentinels, RedisServer } from '@msg/testkit/redis';
import type { ClusterNode } from '../../../support/cluster.ts';

/** Two nodes on a store, of which something breaks. */
export interface Stage {
  readonly address: string;
  strike(nodes: readonly ClusterNode[], channel: string): Promise<void>;
  stop(): Promise<void>;
}

export interface Fault {
  readonly name: string;
  stage(): Promise<Stage>;
}

/** So long something is broken, milliseconds. */
const OUTAGE_MS = 2500;

function onServer(
  strike: (server: RedisServer, nodes: readonly ClusterNode[]) => Promise<void>,
  persistent = false,
): () => Promise<Stage> {
  return async () => {
    const server = await RedisServer.start({ persistent });
    return {
      address: server.address,
      strike: nodes => strike(server, nodes),
      stop: () => server.stop(),
    };
  };
}

async function restart(server: RedisServer): Promise<void> {
  await server.kill();
  await pause(OUTAGE_MS);
  await server.restart();
}

async function kill(node: ClusterNode | undefined): Promise<void> {
  node?.kill('SIGKILL');
  await node?.exited();
}

async function behindProxy(): Promise<Stage> {
  const server = await RedisServer.start();
  const proxy = await FaultProxy.start(server);
  return {
    address: proxy.address,
    strike: async () => {
      proxy.fault = 'blackhole';
      await pause(OUTAGE_MS);
      proxy.fault = 'pass';
    },
    stop: async () => {
      await proxy.stop();
      await server.stop();
    },
  };
}

async function onSentinels(): Promise<Stage> {
  const sentinels = await RedisSentinels.start();
  return {
    address: sentinels.address,
    strike: async () => {
      const old = await sentinels.currentMaster();
      await old.kill();
      await sentinels.failedOver(old);
    },
    stop: () => sentinels.stop(),
  };
}

async function onCluster(): Promise<Stage> {
  const cluster = await RedisCluster.start();
  return {
    address: cluster.address,
    strike: async (_nodes, channel) => {
      const slot = await cluster.slotOf(`{${channel}}`);
      const owner = await cluster.ownerOf(slot);
      await cluster.moveSlot(slot, (owner + 1) % cluster.nodes.length);
    },
    stop: () => cluster.stop(),
  };
}

/** Everything that breaks while a message grows (append streams 15.4). */
export const FAULTS: readonly Fault[] = [
  { name: 'the node that takes the requests is killed', stage: onServer((_, [first]) => kill(first)) },
  { name: 'the node of the readers is killed', stage: onServer((_, [, second]) => kill(second)) },
  {
    name: 'the node that takes the requests is paused',
    stage: onServer(async (_, [first]) => {
      first?.kill('SIGSTOP');
      await pause(OUTAGE_MS);
      first?.kill('SIGCONT');
    }),
  },
  { name: 'Redis is killed and keeps its data', stage: onServer(restart, true) },
  { name: 'Redis is killed and loses its data', stage: onServer(restart) },
  {
    name: 'Redis is paused',
    stage: onServer(async server => {
      server.pause();
      await pause(OUTAGE_MS);
      server.resume();
    }),
  },
  { name: 'Redis is flushed', stage: onServer(async server => void (await server.command('FLUSHALL'))) },
  { name: 'the way to Redis is a black hole', stage: behindProxy },
  { name: 'Sentinels replace the master', stage: onSentinels },
  { name: 'the slot of the channel moves', stage: onCluster },
];
