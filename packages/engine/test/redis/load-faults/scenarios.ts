import { FaultProxy, RedisCluster, RedisSentinels, RedisServer } from '@msg/testkit/redis';
import type { Prng } from '../../model/prng.ts';
import { CHANNELS } from './channels.ts';
import type { NodeProcess } from './node-process.ts';

/** A store with a fault in waiting. */
export interface Stage {
  /** Where the publisher, and the two nodes of the followers, find the store. */
  readonly publisher: string;
  readonly nodes: readonly [string, string];
  /** Of sharded PUB/SUB; default 0, off. */
  readonly partitions?: number;
  /** Breaks something, waits a random while and mends it. */
  strike(nodes: readonly NodeProcess[], random: Prng): Promise<void>;
  stop(): Promise<void>;
}

export interface Scenario {
  readonly name: string;
  /**
   * `whole`: the store loses nothing and the window is wide enough, so every subscriber gets everything.
   * `told`: the fault loses publications for somebody, who must hear of it. `either`: depends on the moment.
   */
  readonly outcome: 'whole' | 'told' | 'either';
  /** Publications that a stream keeps; default 10 000. */
  readonly window?: number;
  stage(): Promise<Stage>;
}

/** Longer than a node takes to notice: silence counts as loss after 5 s. */
const LONG_OUTAGE = [6000, 7000] as const;
const OUTAGE = [1000, 2500] as const;
const PARTITIONS = 8;

function pause(random: Prng, [least, most]: readonly [number, number]): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, random.between(least, most)));
}

/** Both nodes on one server, which the fault hits. */
function onServer(
  strike: (server: RedisServer, nodes: readonly NodeProcess[], random: Prng) => Promise<void>,
  persistent = false,
): () => Promise<Stage> {
  return async () => {
    const server = await RedisServer.start({ persistent });
    const { address } = server;
    return {
      publisher: address,
      nodes: [address, address],
      strike: (nodes, random) => strike(server, nodes, random),
      stop: () => server.stop(),
    };
  };
}

/** The first node reaches the server through a proxy, which the fault hits. */
function behindProxy(strike: (proxy: FaultProxy, random: Prng) => Promise<void>): () => Promise<Stage> {
  return async () => {
    const server = await RedisServer.start();
    const proxy = await FaultProxy.start(server);
    return {
      publisher: server.address,
      nodes: [proxy.address, server.address],
      strike: (_nodes, random) => strike(proxy, random),
      stop: async () => {
        await proxy.stop();
        await server.stop();
      },
    };
  };
}

async function restarted(server: RedisServer, _nodes: readonly NodeProcess[], random: Prng): Promise<void> {
  await server.kill();
  await pause(random, OUTAGE);
  await server.restart();
}

async function onSentinels(): Promise<Stage> {
  const sentinels = await RedisSentinels.start();
  const { address } = sentinels;
  return {
    publisher: address,
    nodes: [address, address],
    strike: async () => {
      const old = await sentinels.currentMaster();
      await old.kill();
      await sentinels.failedOver(old);
    },
    stop: () => sentinels.stop(),
  };
}

/** Slots move live: those of the names that `pick` draws. */
function onCluster(pick: (random: Prng) => string, partitions = 0): () => Promise<Stage> {
  return async () => {
    const cluster = await RedisCluster.start();
    const { address } = cluster;
    return {
      publisher: address,
      nodes: [address, address],
      partitions,
      strike: async (_nodes, random) => {
        for (let moves = 0; moves < 5; moves++) {
          const slot = await cluster.slotOf(pick(random));
          const owner = await cluster.ownerOf(slot);
          await cluster.moveSlot(slot, (owner + 1) % cluster.nodes.length);
        }
      },
      stop: () => cluster.stop(),
    };
  };
}

async function throughProxy(proxy: FaultProxy, fault: FaultProxy['fault'], wait: Promise<void>) {
  proxy.fault = fault;
  await wait;
  proxy.fault = 'pass';
}

/** Everything that goes wrong between nodes and their store (client protocol 16.8). */
export const SCENARIOS: readonly Scenario[] = [
  {
    name: 'a node dies',
    outcome: 'whole',
    stage: onServer(async (_server, nodes) => void (await nodes[0]?.kill())),
  },
  {
    name: 'a node is paused',
    outcome: 'whole',
    stage: onServer(async (_server, nodes, random) => {
      nodes[0]?.signal('SIGSTOP');
      await pause(random, LONG_OUTAGE);
      nodes[0]?.signal('SIGCONT');
    }),
  },
  { name: 'Redis dies and keeps its data', outcome: 'whole', stage: onServer(restarted, true) },
  { name: 'Redis dies and loses its data', outcome: 'told', stage: onServer(restarted) },
  {
    name: 'Redis is paused',
    outcome: 'whole',
    stage: onServer(async (server, _nodes, random) => {
      server.pause();
      await pause(random, LONG_OUTAGE);
      server.resume();
    }),
  },
  {
    name: 'Redis is flushed',
    outcome: 'told',
    stage: onServer(async server => void (await server.command('FLUSHALL'))),
  },
  { name: 'Sentinels replace the master', outcome: 'either', stage: onSentinels },
  {
    name: 'slots of a cluster move',
    outcome: 'whole',
    stage: onCluster(random => random.pick(CHANNELS)),
  },
  {
    name: 'slots of a cluster with sharded PUB/SUB move',
    outcome: 'whole',
    stage: onCluster(random => `{${random.below(PARTITIONS)}}`, PARTITIONS),
  },
  {
    name: 'PUB/SUB falls silent',
    outcome: 'whole',
    stage: behindProxy(async (proxy, random) => {
      proxy.silenceSubscriptions();
      await pause(random, LONG_OUTAGE);
    }),
  },
  {
    name: 'the way to Redis is a black hole',
    outcome: 'whole',
    stage: behindProxy((proxy, random) => throughProxy(proxy, 'blackhole', pause(random, LONG_OUTAGE))),
  },
  {
    name: 'the way to Redis is slow',
    outcome: 'whole',
    stage: behindProxy((proxy, random) =>
      throughProxy(proxy, { delayMs: random.between(100, 900) }, pause(random, OUTAGE)),
    ),
  },
  {
    name: 'a node is cut off for longer than the window',
    outcome: 'told',
    window: 20,
    stage: behindProxy((proxy, random) => throughProxy(proxy, 'cut', pause(random, LONG_OUTAGE))),
  },
];
