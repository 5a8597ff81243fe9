import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRpcClient, type RpcClient } from '@msg/core';
import { type MsgServer, RoundRobinProxy, type ServeOptions, startMsg } from '@msg/testkit';
import { RedisServer } from '@msg/testkit/redis';
import { Centrifuge } from 'centrifuge';

/** Beside other work a start takes several times as long. */
const START_MS = 180_000;

/** Nodes of one service on a real Redis, behind a proxy that hands every request to the next one: `server` is the proxy. */
async function startNodes(count: number, options: ServeOptions): Promise<Started> {
  const store = await RedisServer.start({ persistent: true });
  const args = ['--redis-addr', store.address, ...(options.args ?? [])];
  const nodes: MsgServer[] = [];
  // The first node makes the keys that the others find.
  for (let started = 0; started < count; started++)
    nodes.push(await startMsg({ startMs: START_MS, ...options, args }));
  const [first] = nodes as [MsgServer, ...MsgServer[]];
  const proxy = await RoundRobinProxy.start(nodes.map(({ url }) => url));
  const stop = async (): Promise<void> => {
    await Promise.all(nodes.map(node => node.stop()));
    await proxy.stop();
    await store.stop();
  };
  const websocketUrl = `${proxy.url.replace('http', 'ws')}/connection/websocket`;
  return { server: { ...first, url: proxy.url, websocketUrl, stop }, nodes, cluster: { store, proxy } };
}

interface Started {
  readonly server: MsgServer;
  readonly nodes: readonly MsgServer[];
  /** What several nodes share, and what is before them. */
  readonly cluster?: { readonly store: RedisServer; readonly proxy: RoundRobinProxy };
}

/** A running `msg serve` with something to look at. */
export class Service {
  readonly server: MsgServer;
  /** The processes that share a Redis: two, unless MSG_TEST_CONSOLE_NODES says how many; one is alone, in memory. */
  readonly nodes: readonly MsgServer[];
  readonly cluster: Started['cluster'];
  readonly rpc: RpcClient;
  readonly #clients: Centrifuge[] = [];

  private constructor({ server, nodes, cluster }: Started) {
    this.server = server;
    this.nodes = nodes;
    this.cluster = cluster;
    this.rpc = this.rpcOf(server.token);
  }

  static async start(options: ServeOptions = {}): Promise<Service> {
    const count = Number(process.env['MSG_TEST_CONSOLE_NODES'] ?? 2);
    if (count > 1) return new Service(await startNodes(count, options));
    const server = await startMsg({ startMs: START_MS, ...options });
    return new Service({ server, nodes: [server] });
  }

  /** What the overview says while every node answers. */
  get everyNodeAnswers(): string {
    const { length: count } = this.nodes;
    return count === 1 ? '1 of 1 node answers.' : `${count} of ${count} nodes answer.`;
  }

  /** With a configuration file of that text. */
  static configured(yaml: string, args: readonly string[] = []): Promise<Service> {
    const file = join(mkdtempSync(join(tmpdir(), 'msg-console-')), 'msg.yaml');
    writeFileSync(file, yaml);
    return Service.start({ args: ['--config', file, ...args] });
  }

  /** With a folder that keeps keys and API keys. */
  static kept(): Promise<Service> {
    return Service.start({ args: ['--state-dir', mkdtempSync(join(tmpdir(), 'msg-console-'))] });
  }

  rpcOf(token: string): RpcClient {
    return createRpcClient({ server: this.server.url, token, fetch });
  }

  /** A management token of a role. */
  async tokenOf(role: 'viewer' | 'operator' | 'admin'): Promise<string> {
    const { mgmt_token: token } = await this.rpc.call('IssueMgmt', { subject: `${role}@example.com`, role });
    return token;
  }

  /** Opens a public channel and publishes into it. */
  async fill(name: string, ...texts: readonly string[]): Promise<void> {
    await this.rpc.call('OpenPublic', { name });
    for (const text of texts) await this.rpc.call('Publish', { name, data: new TextEncoder().encode(text) });
  }

  /** Has a sink give up a letter to a path of its destination. */
  async park(sink: string, destination: string, body: object): Promise<void> {
    await this.rpc.call('PublishOrSink', {
      name: 'public:shop.nobody',
      sink,
      recipient: { url: destination },
      message: { subject: 'Your order is on its way', body: JSON.stringify(body), metadata: new Map() },
    });
  }

  /** A stock client that subscribes to channels; it resolves when it listens to those that it may. */
  connect(token: string, ...channels: readonly string[]): Promise<Centrifuge> {
    return this.connectTo(this.server, token, ...channels);
  }

  /** The same, to one of the nodes. */
  async connectTo(
    { websocketUrl }: Pick<MsgServer, 'websocketUrl'>,
    token: string,
    ...channels: readonly string[]
  ): Promise<Centrifuge> {
    const client = new Centrifuge(websocketUrl, { token, websocket: WebSocket });
    this.#clients.push(client);
    client.connect();
    await client.ready(60_000);
    for (const channel of channels) client.newSubscription(channel).subscribe();
    return client;
  }

  /** A metric without labels, summed over the nodes; 0 where no node has it. */
  async metric(name: string): Promise<number> {
    const values = await Promise.all(this.nodes.map(node => this.metricOf(node, name)));
    return values.reduce((sum, value) => sum + value, 0);
  }

  /** The same of one node. */
  async metricOf({ url }: Pick<MsgServer, 'url'>, name: string): Promise<number> {
    const text = await (await fetch(`${url}/metrics`)).text();
    return Number(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'm').exec(text)?.[1] ?? 0);
  }

  /** An access token of a user for channels of a pattern. */
  async accessOf(subject: string, pattern = 'private:shop.**'): Promise<string> {
    const scopes = [{ pattern, verbs: ['subscribe', 'publish'], deny: false }];
    return (await this.rpc.call('IssueAccess', { subject, scopes })).access_token;
  }

  async stop(): Promise<void> {
    for (const client of this.#clients) client.disconnect();
    await this.server.stop();
  }
}
