import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort, type MsgServer, RoundRobinProxy, startMsg } from '@msg/testkit';
import { FaultProxy, type ProxyFault, RedisServer } from '@msg/testkit/redis';
import { TestKey, writeKeyring } from '../../../packages/server/test/support/minting.ts';
import type { Invitation } from './client.ts';
import { until } from './patience.ts';

/** An answer of the RPC. */
type Answer = Readonly<Record<string, unknown>>;

/** How the listeners of a case get in: the life of their access token and of the refresh token behind it, seconds. */
export interface Admission {
  readonly accessSeconds?: number;
  /** `false`: the application has no token callback. */
  readonly refreshSeconds?: number | false;
  readonly tokenOf?: Invitation['tokenOf'];
}

export interface ServiceOptions {
  /** False: everything is forgotten at the end of the process. Default true. */
  readonly stateDirectory?: boolean;
  /** YAML beside the sweep interval. */
  readonly config?: string;
  /** On a Redis server that keeps its data over a restart or loses it, behind a balancer, with room for a second node. */
  readonly cluster?: 'durable' | 'forgetful';
}

/** What a cluster has beside its first node. */
interface Cluster {
  readonly redis: RedisServer;
  readonly balancer: RoundRobinProxy;
  readonly otherPort: number;
}

async function startCluster(kind: 'durable' | 'forgetful', port: number): Promise<Cluster> {
  const redis = await RedisServer.start({ persistent: kind === 'durable' });
  const otherPort = await freePort();
  const balancer = await RoundRobinProxy.start([port, otherPort].map(each => `http://127.0.0.1:${each}`));
  balancer.probe('/readyz');
  return { redis, balancer, otherPort };
}

const execute = promisify(execFile);
const FULL_DISK = '--fsize=0:unlimited';
const ROOM_AGAIN = '--fsize=unlimited:unlimited';

const SWEEP = 'manager: { sweep_interval: 50ms }\n';
const SUBJECT = 'u-1';

/** `msg serve` behind a network that fails as it is told. Its address stays the same over restarts. */
export class ListenedService {
  readonly #folder: string;
  readonly #args: readonly string[];
  readonly #port: number;
  readonly #key: TestKey | undefined;
  readonly #network: FaultProxy;
  readonly #cluster: Cluster | undefined;
  #server: MsgServer | undefined;
  #isDiskFull = false;
  #managementToken = '';

  static async start(options: ServiceOptions = {}): Promise<ListenedService> {
    const { cluster: kind, stateDirectory = kind === undefined, config = '' } = options;
    const folder = await mkdtemp(join(tmpdir(), 'msg-listener-'));
    const port = await freePort();
    const key = stateDirectory ? new TestKey() : undefined;
    const state = join(folder, 'state');
    if (key !== undefined) await writeKeyring(state, key);
    await writeFile(join(folder, 'msg.yaml'), SWEEP + config);
    const cluster = kind === undefined ? undefined : await startCluster(kind, port);
    const args = [
      ...['--config', join(folder, 'msg.yaml')],
      ...(key === undefined ? [] : ['--state-dir', state]),
      ...(cluster === undefined ? [] : ['--redis-addr', cluster.redis.address]),
    ];
    const entry = cluster === undefined ? port : Number(new URL(cluster.balancer.url).port);
    const network = await FaultProxy.start({ host: '127.0.0.1', port: entry });
    const service = new ListenedService(folder, args, port, key, network, cluster);
    await service.restart();
    return service;
  }

  private constructor(
    folder: string,
    args: readonly string[],
    port: number,
    key: TestKey | undefined,
    network: FaultProxy,
    cluster: Cluster | undefined,
  ) {
    this.#folder = folder;
    this.#args = args;
    this.#port = port;
    this.#key = key;
    this.#network = network;
    this.#cluster = cluster;
  }

  /** Where listeners connect: through the network. */
  get url(): string {
    return `http://${this.#network.address}`;
  }

  get #running(): MsgServer {
    if (this.#server === undefined) throw new Error('the server does not run');
    return this.#server;
  }

  /** Calls the management RPC, past the network. @throws Error for a refusal */
  async call(method: string, request: object): Promise<Answer> {
    const { status, answer } = await this.#post(method, request);
    if (status !== 200) throw new Error(`${method} was refused: ${JSON.stringify(answer)}`);
    return answer;
  }

  /** The code with which the RPC refuses; `OK` when it does not; what became of the connection of one without an answer. */
  async refusal(method: string, request: object): Promise<string> {
    try {
      const { status, answer } = await this.#post(method, request);
      return status === 200 ? 'OK' : String((answer['meta'] as Answer)['code']);
    } catch (error) {
      return String(error);
    }
  }

  async #post(method: string, request: object): Promise<{ status: number; answer: Answer }> {
    const { url } = this.#running;
    const response = await fetch(`${url}/twirp/msg.MsgService/${method}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${this.#managementToken}` },
      body: JSON.stringify(request),
    });
    return { status: response.status, answer: (await response.json()) as Answer };
  }

  /** The node that everybody is connected to is killed, and another one takes its place. */
  async replaceNode(): Promise<void> {
    const { otherPort } = this.#shared;
    const other = await startMsg({ args: this.#args, port: otherPort });
    const killed = this.#running;
    killed.kill('SIGKILL');
    await killed.exited();
    this.#server = other;
    this.#managementToken = other.token;
  }

  /** The shared store is killed and started again. */
  restartStore(): Promise<void> {
    return this.#shared.redis.restart();
  }

  get #shared(): Cluster {
    if (this.#cluster === undefined) throw new Error('a single node has no shared store');
    return this.#cluster;
  }

  /** Goes on with a management token of the key that signs now. */
  async renewManagementToken(): Promise<void> {
    this.#managementToken = String((await this.call('IssueMgmt', {}))['mgmt_token']);
  }

  /** Ends the process, if one runs, and starts it on the same port. */
  async restart(): Promise<void> {
    await this.#server?.stop();
    const through = this.#isDiskFull ? { through: ['prlimit', FULL_DISK] } : {};
    this.#server = await startMsg({ args: this.#args, port: this.#port, ...through });
    this.#managementToken = this.#server.token;
  }

  /** Every connection is reset, and no new one opens while `work` runs. */
  away(work: () => Promise<unknown>): Promise<void> {
    return this.#during('cut', work);
  }

  /** Connections stay open while `work` runs, new ones are accepted, and no byte passes. */
  silent(work: () => Promise<unknown>): Promise<void> {
    return this.#during('blackhole', work);
  }

  async #during(fault: ProxyFault, work: () => Promise<unknown>): Promise<void> {
    this.#network.fault = fault;
    await work();
    this.#network.fault = 'pass';
  }

  /** No write to a file gets through while `work` runs, in the process that runs and in those that are started meanwhile. */
  async onFullDisk(work: () => Promise<unknown>): Promise<void> {
    this.#isDiskFull = true;
    await this.#limit(FULL_DISK);
    await work();
    this.#isDiskFull = false;
    await this.#limit(ROOM_AGAIN);
  }

  async #limit(limit: string): Promise<void> {
    await execute('prlimit', ['--pid', String(this.#running.pid), limit]);
  }

  async state(name: string): Promise<string> {
    const { answer } = await this.#post('GetChannel', { name });
    return String((answer['channel'] as Answer | undefined)?.['state'] ?? 'unknown');
  }

  /** Waits until that many listeners wait for a channel. */
  waiting(count: number): Promise<void> {
    return this.#counts(/^msg_subscribes_waiting (\d+)$/m, count);
  }

  /** Waits until that many refreshes failed inside the service. */
  refreshesFailed(count: number): Promise<void> {
    return this.#counts(/^msg_rpc_requests_total\{method="RefreshToken",status="500"\} (\d+)$/m, count);
  }

  /** Waits until that many refresh tokens were redeemed. */
  refreshed(count: number): Promise<void> {
    return this.#counts(/^msg_refresh_rotations_total\{result="rotated"\} (\d+)$/m, count);
  }

  async #counts(metric: RegExp, count: number): Promise<void> {
    const reached = async (): Promise<boolean> => {
      const text = await (await fetch(`${this.#running.url}/metrics`)).text();
      return Number(metric.exec(text)?.[1]) >= count;
    };
    await until(`${metric} reaches ${count}`, reached);
  }

  /** The invitation of one listener to a private channel, with tokens of its own. */
  async admit(channel: string, admission: Admission = {}): Promise<Invitation> {
    const { accessSeconds, refreshSeconds = 3600, tokenOf = 'connection' } = admission;
    // A pair of its own for each: a refresh token can be redeemed once.
    const pair = await this.call('CreatePrivate', {
      name: `private:shop.pair.${randomBytes(6).toString('hex')}`,
      subject: SUBJECT,
      scopes: [{ pattern: channel, verbs: ['subscribe'] }],
      ttl_seconds: refreshSeconds === false ? 3600 : refreshSeconds,
    });
    const access =
      accessSeconds === undefined
        ? String(pair['access_token'])
        : this.#minted.access(accessSeconds, { sub: SUBJECT, chs: [channel] });
    const refresh = refreshSeconds === false ? {} : { refresh: String(pair['refresh_token']) };
    return { url: this.url, channel, access, ...refresh, tokenOf };
  }

  get #minted(): TestKey {
    if (this.#key === undefined) throw new Error('tokens are minted with the key of a state directory');
    return this.#key;
  }

  /** Id of the key that signed the tokens of the start. */
  get firstKey(): string {
    return this.#minted.kid;
  }

  async stop(): Promise<void> {
    await this.#network.stop();
    await this.#server?.stop();
    await this.#cluster?.balancer.stop();
    await this.#cluster?.redis.stop();
    await rm(this.#folder, { recursive: true, force: true });
  }
}
