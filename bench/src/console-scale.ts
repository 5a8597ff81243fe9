import { createRpcClient, type RpcClient } from '@msg/core';
import { Browser } from '@msg/testkit';
import { RedisServer } from '@msg/testkit/redis';
import { channelName } from './channels.ts';
import { numericOptions } from './comparison.ts';
import { walkChannels } from './console-journey.ts';
import { signIn } from './console-sign-in.ts';
import { measureTail, requireAtMost } from './console-tail.ts';
import { LOAD_CORE, PinnedProcess } from './pinned.ts';
import { startMsgRpc } from './servers/msg-rpc.ts';

const DEFAULTS = { channels: 100_000, connections: 50_000, users: 10_000, seconds: 600, nodes: 3 };
const LOAD = new URL('./load/client.ts', import.meta.url);
/** Calls that are under way at the same time while channels are opened and tokens issued. */
const AT_ONCE = 100;
/** Tokens last longer than a run. */
const LASTING_SECONDS = 3600;
/** Channels that the connections are subscribed to. */
const FOLLOWED = 100;
const PAGES = [
  ['channels', 'ListChannels'],
  ['channels?sort=subscribers&order=down', 'ListChannels'],
  ['channels?counts=on&size=200', 'ListChannels'],
  ['connections?sort=queue_bytes&order=down', 'ListConnections'],
  ['connections?size=200', 'ListConnections'],
  ['users', 'ListUsers'],
  ['users?size=200', 'ListUsers'],
  ['', 'ListNodes'],
] as const;
const MAX = { elements: 1500, bytes: 64_000 };

type Node = Awaited<ReturnType<typeof startMsgRpc>>;

/** A service of one node, or of several that share a Redis: a process has no more sockets than it may open files. */
class Scaled {
  readonly token: string;
  /** The first node. */
  readonly url: string;
  readonly rpc: RpcClient;
  readonly #nodes: readonly Node[];
  readonly #store: RedisServer | undefined;
  readonly #loads: PinnedProcess[] = [];

  private constructor(nodes: readonly [Node, ...Node[]], store: RedisServer | undefined) {
    const [{ server, token }] = nodes;
    this.token = token;
    this.url = `http://127.0.0.1:${server.port}`;
    this.rpc = createRpcClient({ server: this.url, token, fetch });
    this.#nodes = nodes;
    this.#store = store;
  }

  static async start(count: number): Promise<Scaled> {
    const store = count > 1 ? await RedisServer.start() : undefined;
    const args = ['--console', 'on', ...(store === undefined ? [] : ['--redis-addr', store.address])];
    // The first node makes the keys that the others find.
    const nodes: [Node, ...Node[]] = [await startMsgRpc([], { args })];
    while (nodes.length < count) nodes.push(await startMsgRpc([], { args }));
    return new Scaled(nodes, store);
  }

  /** Opens so many connections of so many users in all, each with a subscription, and keeps them. */
  async connect(count: number, users: number): Promise<void> {
    const scopes = [{ pattern: 'public:bench.**', verbs: ['subscribe'], deny: false }];
    const tokens = await eachOf(users, async index => {
      const issued = await this.rpc.call('IssueAccess', {
        subject: `customer-${index}`,
        scopes,
        ttl_seconds: LASTING_SECONDS,
        refresh: false,
      });
      return issued.access_token;
    });
    const subscribing = { encoding: 'json', channels: FOLLOWED, delta: false, tokens } as const;
    for (let index = 0; index < FOLLOWED; index++)
      await this.rpc.call('OpenPublic', { name: channelName(index), ttl_seconds: 86_400 });
    const each = Math.ceil(count / this.#nodes.length);
    await Promise.all(
      this.#nodes.map(async ({ server: { port } }, index) => {
        const load = await PinnedProcess.start(LOAD, LOAD_CORE);
        this.#loads.push(load);
        const share = Math.min(each, count - index * each);
        await load.ask({ kind: 'open', port, count: share, concurrency: 32, subscribing, stamped: false });
      }),
    );
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#loads, ...this.#nodes.map(({ server }) => server)].map(part => part.stop()));
    await this.#store?.stop();
  }
}

/** The pages of a console with so many channels and connections, and a long tail at full rate, in a browser. */
export async function run(args: string[]): Promise<void> {
  const { channels, connections, users, seconds, nodes } = numericOptions(args, DEFAULTS);
  const service = await Scaled.start(nodes);
  const browser = await Browser.start();
  const { url, rpc, token } = service;
  try {
    await openChannels(rpc, channels);
    await service.connect(connections, users);
    const page = await browser.page();
    await signIn(page, url, token);
    console.log(
      `pages of ${channels} channels and ${connections} connections of ${users} users on ${nodes} nodes`,
    );
    for (const [path, method] of PAGES) await measurePage(browser, `${url}/console/${path}`, method);
    await walkChannels(page, `${url}/console`, channels);
    console.log(`  ${channels} channels: searched, filtered, sorted, paged, shared, and back`);
    const listed = await rpc.call('ListUsers', { limit: 1 });
    if (listed.total < users) throw new Error(`${listed.total} of ${users} users are there`);
    const { total } = await rpc.call('ListConnections', { limit: 1 });
    // The page's own feed is a connection, too.
    if (total < connections) throw new Error(`${total} of ${connections} connections are there`);
    await measureTail(page, `${url}/console`, rpc, seconds);
  } finally {
    await browser.stop();
    await service.stop();
  }
}

async function openChannels(rpc: RpcClient, count: number): Promise<void> {
  await eachOf(count, at =>
    rpc.call('OpenPublic', { name: `public:bench.scale.c${at}`, ttl_seconds: 86_400 }),
  );
}

/** What the work makes of the numbers from 0, some at a time. */
async function eachOf<Result>(
  count: number,
  work: (at: number) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  while (results.length < count) {
    const [from, length] = [results.length, Math.min(AT_ONCE, count - results.length)];
    results.push(...(await Promise.all(Array.from({ length }, (_, index) => work(from + index)))));
  }
  return results;
}

/** Elements of a page once its rows are there, and bytes of the answer that they came in. */
async function measurePage(browser: Browser, address: string, method: string): Promise<void> {
  // A tab of its own: no answer to another page comes in between.
  const page = await browser.page();
  const answer = page.waitForResponse(response => response.url().endsWith(`/${method}`));
  await page.goto(address);
  const bytes = (await (await answer).body()).length;
  await page.locator('#content tbody tr').first().waitFor();
  const elements = Number(await page.evaluate('document.querySelectorAll("*").length'));
  await page.close();
  const path = new URL(address);
  console.log(`  ${path.pathname}${path.search}: ${elements} elements, ${bytes} bytes of rows`);
  requireAtMost('elements', elements, MAX.elements);
  requireAtMost('bytes of rows', bytes, MAX.bytes);
}
