// Two msg nodes on one Redis, behind a proxy that hands every request to the next node. See README.md.
import { type MsgServer, RoundRobinProxy, startMsg } from '@msg/testkit';
import { RedisCluster, RedisSentinels, RedisServer } from '@msg/testkit/redis';

interface Store {
  readonly address: string;
  stop(): Promise<void>;
}

const STORES: Readonly<Record<string, () => Promise<Store>>> = {
  standalone: () => RedisServer.start(),
  sentinel: () => RedisSentinels.start({ replicas: 2 }),
  cluster: () => RedisCluster.start(),
};

const kind = process.argv[2] ?? 'standalone';
const start = STORES[kind];
if (start === undefined) {
  console.error(`unknown store ${kind}; known: ${Object.keys(STORES).join(', ')}`);
  process.exit(1);
}

const running: { stop(): Promise<void> }[] = [];

async function stopAll(): Promise<void> {
  // What was started last goes first: the nodes say goodbye to their clients while the store is still there.
  for (const part of running.splice(0).reverse()) await part.stop();
}

function keep<T extends { stop(): Promise<void> }>(part: T): T {
  running.push(part);
  return part;
}

try {
  const store = keep(await start());
  const startNode = (): Promise<MsgServer> =>
    startMsg({ args: ['--redis-addr', store.address], startMs: 60_000 });
  const nodes = (await Promise.all([startNode(), startNode()])).map(keep);
  const proxy = keep(
    await RoundRobinProxy.start(
      nodes.map(node => node.url),
      Number(process.env['PORT'] ?? 8000),
    ),
  );
  console.log(`store  ${store.address}`);
  for (const node of nodes) console.log(`node   ${node.url}`);
  console.log(`proxy  ${proxy.url}`);
  console.log(
    `\nexport MSG_SERVER=${proxy.url}\nexport MSG_TOKEN=${nodes[0]?.token}\n\nready; Ctrl-C ends it`,
  );
  await new Promise(resolve => {
    process.once('SIGINT', resolve);
    process.once('SIGTERM', resolve);
  });
} catch (error) {
  console.error(
    `the cluster cannot start: ${error instanceof Error ? error.message : error}; PORT=8001 takes another port`,
  );
  process.exitCode = 1;
} finally {
  await stopAll();
}
