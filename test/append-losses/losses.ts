import { join } from 'node:path';
import { eventually, type MsgServer } from '@msg/testkit';
import { RedisSentinels, RedisServer } from '@msg/testkit/redis';
import {
  appendingArguments,
  CHANNEL,
} from '../../packages/server/test/blackbox/cluster/appends/configuration.ts';
import { startNodes } from '../../packages/server/test/support/cluster.ts';
import { temporaryFolder } from '../../packages/server/test/support/folders.ts';
import { startServer } from '../../packages/server/test/support/server.ts';

const PREFIX = 'loss';

/** A service with a store that loses what was written. */
export interface Stage {
  readonly nodes: readonly MsgServer[];
  /** What is there now outlives the loss where the store keeps anything. */
  keep(text: string): Promise<void>;
  /** Resolves when the service can be used again. */
  lose(): Promise<void>;
  stop(): Promise<void>;
}

export interface Loss {
  readonly name: string;
  /** False: nothing outlives it, and the channel gets another epoch. */
  readonly keeps: boolean;
  stage(): Promise<Stage>;
}

async function nodesOn(address: string): Promise<readonly MsgServer[]> {
  return startNodes(2, address, PREFIX, { args: await appendingArguments(await temporaryFolder()) });
}

function onServer(
  keep: (server: RedisServer) => Promise<unknown>,
  lose: (server: RedisServer) => Promise<unknown>,
): () => Promise<Stage> {
  return async () => {
    const server = await RedisServer.start();
    const nodes = await nodesOn(server.address);
    return {
      nodes,
      keep: async () => void (await keep(server)),
      lose: async () => void (await lose(server)),
      async stop() {
        await Promise.all(nodes.map(node => node.stop()));
        await server.stop();
      },
    };
  };
}

/** The replica that becomes the master has not got the last writes: it was cut off before them. */
async function onSentinels(): Promise<Stage> {
  const sentinels = await RedisSentinels.start({ replicas: 1 });
  const { master, replicas } = sentinels;
  const nodes = await nodesOn(sentinels.address);
  const bodyAt = (server: RedisServer | undefined) =>
    server?.command('GET', `${PREFIX}:b:1.append.body.${CHANNEL}`);
  return {
    nodes,
    async keep(text) {
      await eventually('the replica has the text', async () => (await bodyAt(replicas[0])) === text);
      await master.command('ACL', 'SETUSER', 'default', '-psync', '-sync');
      await master.command('CLIENT', 'KILL', 'TYPE', 'replica');
    },
    async lose() {
      await master.kill();
      await sentinels.failedOver(master);
    },
    async stop() {
      await Promise.all(nodes.map(node => node.stop()));
      await sentinels.stop();
    },
  };
}

/** A single node without a store. */
async function inMemory(): Promise<Stage> {
  const folder = await temporaryFolder();
  const args = [...(await appendingArguments(folder)), '--state-dir', join(folder, 'state')];
  let node = await startServer({ args });
  const port = Number(new URL(node.url).port);
  return {
    get nodes() {
      return [node];
    },
    async keep() {},
    async lose() {
      node.kill('SIGKILL');
      await node.exited();
      node = await startServer({ args, port });
    },
    stop: () => node.stop(),
  };
}

const nothing = async (): Promise<void> => {};

/** The two kinds of loss of append streams 6.4: the last writes, and everything. */
export const LOSSES: readonly Loss[] = [
  { name: 'a fail-over loses the last writes', keeps: true, stage: onSentinels },
  {
    name: 'Redis comes back with an older snapshot',
    keeps: true,
    stage: onServer(
      server => server.command('SAVE'),
      server => server.restart(),
    ),
  },
  { name: 'Redis comes back empty', keeps: false, stage: onServer(nothing, server => server.restart()) },
  { name: 'Redis is flushed', keeps: false, stage: onServer(nothing, server => server.command('FLUSHALL')) },
  { name: 'a node without a store restarts', keeps: false, stage: inMemory },
];
