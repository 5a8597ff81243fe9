import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRpcClient } from '@msg/core';
import { connectPostgres, migrate } from '@msg/postgres';
import { eventually, freePort } from '@msg/testkit';
import { PostgresServer } from '@msg/testkit/postgres';
import { FaultProxy, RedisServer } from '@msg/testkit/redis';
import { type Actor, NodeActor, ProgramActor, ServerActor } from './actors.ts';
import { CHANNELS, kindOf } from './channels.ts';
import { type Listeners, listenInGo, listenInJavaScript } from './listeners.ts';
import type { Line, Victim } from './strikes.ts';

const NODES = 2;
const WORKERS = 2;
const WRITERS = 8;
/** More than a writer publishes before it is killed, and than all of them publish in a run. */
const NUMBERS_OF_A_START = 100_000;

/** More than a run publishes: a listener that was away recovers all of it. */
const CONFIG = `channels:
  rules: [{ pattern: 'public:shop.**', history_size: 200000, history_ttl: 2h }]
  open: [{ pattern: 'public:shop.**', ttl: never }]
`;

const TABLES = [
  'GRANT USAGE ON SCHEMA msg TO app',
  'GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA msg TO app',
  `CREATE TABLE orders (id bigint GENERATED ALWAYS AS IDENTITY, n bigint PRIMARY KEY, channel text NOT NULL,
    session bigint NOT NULL, position bigint, begun_at timestamptz NOT NULL DEFAULT transaction_timestamp())`,
  'CREATE TABLE counters (channel text PRIMARY KEY, n bigint NOT NULL DEFAULT 0) WITH (fillfactor = 10)',
  ...CHANNELS.filter(channel => kindOf(channel) === 'counted').map(
    channel => `INSERT INTO counters (channel) VALUES ('${channel}')`,
  ),
  'GRANT ALL ON orders, counters TO app',
];

/** How many transactions ended how, as far as their writers lived to tell. */
export type Ends = Record<'c' | 'r' | 'u', number>;

/** Database, store, nodes, workers, writers and listeners, with a proxy on each line that can be struck. */
export interface Stage {
  readonly postgres: PostgresServer;
  readonly actors: Readonly<Record<Victim, readonly Actor[]>>;
  readonly lines: Readonly<Record<Line, readonly FaultProxy[]>>;
  readonly listeners: readonly Listeners[];
  readonly ends: Readonly<Ends>;
  /** Lets the writers end what they have begun. */
  finishWriters(): Promise<void>;
  readonly stop: () => Promise<void>;
}

/** Everything runs and every listener listens; nothing was published yet. */
export async function openStage(seed: number): Promise<Stage> {
  const closing: (() => Promise<unknown>)[] = [];
  const stop = async (): Promise<void> => {
    for (const close of closing.splice(0).reverse()) await close();
  };
  try {
    return { ...(await build(seed, closing)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

type Closing = (() => Promise<unknown>)[];

async function build(seed: number, closing: Closing): Promise<Omit<Stage, 'stop'>> {
  const postgres = await PostgresServer.start({ settings: { track_commit_timestamp: 'on' } });
  closing.push(() => postgres.stop());
  const redis = await RedisServer.start({ persistent: true });
  closing.push(() => redis.stop());
  const url = (user: string, port: number) =>
    `postgres://${user}:${postgres.password}@127.0.0.1:${port}/shop`;
  await prepare(postgres, url('admin', postgres.port));

  const proxies = (target: number, count: number) => proxiesTo(target, count, closing);
  const lines = {
    'writer-postgres': await proxies(postgres.port, WRITERS),
    'worker-postgres': await proxies(postgres.port, WORKERS),
    'node-postgres': await proxies(postgres.port, NODES),
    'node-redis': await proxies(redis.port, NODES),
  };
  const nodes = await startNodes(lines, port => url('admin', port), closing);
  const toNodes = await Promise.all(nodes.map(node => proxies(Number(new URL(node.url).port), 1)));
  const listeners = await listen(nodes, closing);

  const ends: Ends = { c: 0, r: 0, u: 0 };
  const writers = lines['writer-postgres'].map((proxy, index) => {
    const order = (starts: number) => ({
      url: url('app', proxy.port),
      seed: seed * 1_000 + starts * WRITERS + index,
      firstNumber: (starts * WRITERS + index) * NUMBERS_OF_A_START,
    });
    const told = (line: string): void => void ends[line as keyof Ends]++;
    return new ProgramActor('./writer-program.ts', starts => [JSON.stringify(order(starts))], told);
  });
  const workers = lines['worker-postgres'].map((proxy, index) => {
    const service = `http://${toNodes[index % NODES]?.[0]?.address}`;
    const args = () => [url('admin', proxy.port), service, nodes[index % NODES]?.token ?? ''];
    return new ProgramActor('./worker-program.ts', args, () => undefined);
  });
  for (const actor of [...workers, ...writers]) closing.push(() => actor.stop());
  await Promise.all([...workers, ...writers].map(actor => actor.restart()));
  return {
    postgres,
    actors: {
      writer: writers,
      worker: workers,
      node: nodes,
      postgres: [new ServerActor(postgres)],
      redis: [new ServerActor(redis)],
    },
    lines: { ...lines, 'worker-node': toNodes.flat() },
    listeners,
    ends,
    async finishWriters() {
      await Promise.all(writers.map(writer => writer.finish()));
    },
  };
}

async function prepare(postgres: PostgresServer, url: string): Promise<void> {
  const sql = await connectPostgres({ url });
  await migrate(sql);
  await sql.end({ timeout: 1 });
  postgres.addRole('app', TABLES);
}

async function proxiesTo(port: number, count: number, closing: Closing): Promise<readonly FaultProxy[]> {
  const target = { host: '127.0.0.1', port };
  const proxies = await Promise.all(Array.from({ length: count }, () => FaultProxy.start(target)));
  for (const proxy of proxies) closing.push(() => proxy.stop());
  return proxies;
}

async function startNodes(
  lines: Pick<Stage['lines'], 'node-postgres' | 'node-redis'>,
  urlOf: (port: number) => string,
  closing: Closing,
): Promise<readonly NodeActor[]> {
  const folder = mkdtempSync(join(tmpdir(), 'msg-outbox-kill-'));
  closing.push(async () => rmSync(folder, { recursive: true, force: true }));
  const config = join(folder, 'msg.yaml');
  writeFileSync(config, CONFIG);
  const nodes: NodeActor[] = [];
  for (const [index, redis] of lines['node-redis'].entries()) {
    const args = ['--config', config, '--redis-addr', redis.address];
    const url = urlOf(lines['node-postgres'][index]?.port ?? 0);
    const node = new NodeActor(await freePort(), args, { MSG_OUTBOX_POSTGRES_URL: url });
    closing.push(() => node.stop());
    await node.restart();
    nodes.push(node);
  }
  return nodes;
}

/** A JavaScript client at each node, a Go client at the last. */
async function listen(nodes: readonly NodeActor[], closing: Closing): Promise<readonly Listeners[]> {
  const [first] = nodes;
  const rpc = createRpcClient({ server: first?.url ?? '', token: first?.token ?? '', fetch });
  for (const name of CHANNELS) await rpc.call('OpenPublic', { name });
  const inJavaScript = nodes.map((node, index) =>
    listenInJavaScript(`JavaScript at node ${index + 1}`, node.url),
  );
  const inGo = listenInGo(`Go at node ${nodes.length}`, nodes.at(-1)?.url ?? '');
  const listeners = await Promise.all([...inJavaScript, inGo]);
  for (const each of listeners) closing.push(() => each.stop());
  await eventually('all listen', async () => {
    for (const name of CHANNELS) {
      const { subscribers } = await rpc.call('Presence', { name });
      if (subscribers < listeners.length) return false;
    }
    return true;
  });
  return listeners;
}
