import { eventually } from '../eventually.ts';
import { freePort } from '../ports.ts';
import { RedisServer, type RedisServerOptions } from './server.ts';

const SLOTS = 16_384;
const MASTERS = 3;
const AGREEMENT_MS = 60_000;

/** A Redis Cluster of three masters that share the slots evenly. */
export class RedisCluster {
  readonly nodes: readonly RedisServer[];
  /** The cluster's name of each node, in the order of `nodes`. */
  readonly #ids: readonly string[];
  readonly #options: RedisServerOptions;
  readonly #replicas: RedisServer[] = [];

  private constructor(nodes: readonly RedisServer[], ids: readonly string[], options: RedisServerOptions) {
    this.nodes = nodes;
    this.#ids = ids;
    this.#options = options;
  }

  /** `options` are those of every server. */
  static async start(options: RedisServerOptions = {}): Promise<RedisCluster> {
    const nodes: RedisServer[] = [];
    try {
      const busPorts: number[] = [];
      for (let index = 0; index < MASTERS; index++) {
        const bus = await freePort();
        busPorts.push(bus);
        nodes.push(await RedisServer.start(clustered(options, bus)));
      }
      await join(nodes, busPorts);
      const ids = await Promise.all(nodes.map(node => node.command('CLUSTER', 'MYID')));
      return new RedisCluster(nodes, ids as string[], options);
    } catch (error) {
      await Promise.all(nodes.map(node => node.stop()));
      throw error;
    }
  }

  /** `redis+cluster://host:port,host:port,host:port` */
  get address(): string {
    return `redis+cluster://${this.nodes.map(node => node.address).join(',')}`;
  }

  /** The slot of a key, as the servers compute it. */
  async slotOf(key: string): Promise<number> {
    return Number(await this.#node(0).command('CLUSTER', 'KEYSLOT', key));
  }

  /** The index in `nodes` of the master that owns a slot: who says so of itself, for others may lag behind. */
  async ownerOf(slot: number): Promise<number> {
    const views = await Promise.all(this.nodes.map(node => node.command('CLUSTER', 'SLOTS')));
    return views.findIndex((view, index) => {
      const ranges = view as [number, number, [string, number, string]][];
      const range = ranges.find(([first, last]) => first <= slot && slot <= last);
      return range?.[2][2] === this.#ids[index];
    });
  }

  /**
   * Moves a slot and its keys to another master, live, the way `redis-cli --cluster reshard` does; resolves when every
   * node knows it. A master that is given a slot before it knows of the last move claims it with an epoch too small.
   */
  async moveSlot(slot: number, to: number): Promise<void> {
    const from = await this.ownerOf(slot);
    if (from === to) return;
    const [source, target] = [this.#node(from), this.#node(to)];
    await target.command('CLUSTER', 'SETSLOT', slot, 'IMPORTING', this.#id(from));
    await source.command('CLUSTER', 'SETSLOT', slot, 'MIGRATING', this.#id(to));
    await moveKeys(source, target, slot);
    for (const node of [target, source, ...this.nodes.filter(other => other !== target && other !== source)])
      await node.command('CLUSTER', 'SETSLOT', slot, 'NODE', this.#id(to));
    await this.agreed();
  }

  /** Resolves when every node sees the same masters, with the same epochs and slots. */
  async agreed(): Promise<void> {
    await eventually('all nodes know where the slots are', () => this.#agrees(), AGREEMENT_MS);
  }

  /** The cluster's name of each node, in the order of `nodes`. */
  get ids(): readonly string[] {
    return this.#ids;
  }

  /** Gives a master a replica that takes its place when it is gone; resolves when it is in step. */
  async addReplica(of: number): Promise<RedisServer> {
    const master = this.#node(of);
    const replica = await RedisServer.start(clustered(this.#options, await freePort()));
    this.#replicas.push(replica);
    await replica.command('CLUSTER', 'MEET', master.host, master.port, await busPortOf(master));
    const knows = async () => String(await replica.command('CLUSTER', 'NODES')).includes(this.#id(of));
    await eventually('the replica knows its master', knows, AGREEMENT_MS);
    await replica.command('CLUSTER', 'REPLICATE', this.#id(of));
    const inStep = async () =>
      String(await replica.command('INFO', 'replication')).includes('master_link_status:up');
    await eventually('the replica is in step', inStep, AGREEMENT_MS);
    for (const node of this.nodes)
      await eventually('every master knows the replica', () => knowsReplica(node, replica), AGREEMENT_MS);
    // One that does not know yet what its master serves never stands for election.
    const knowsSlots = async () => (await mastersSeenBy(replica)) === (await mastersSeenBy(master));
    await eventually('the replica knows who serves what', knowsSlots, AGREEMENT_MS);
    return replica;
  }

  /** Ends every node at once. */
  async kill(): Promise<void> {
    await Promise.all(this.nodes.map(node => node.kill()));
  }

  /** Starts every node again, and waits until they have found each other. */
  async restart(): Promise<void> {
    await Promise.all(this.nodes.map(node => node.restart()));
    for (const node of this.nodes)
      await eventually(
        'the cluster is complete again',
        () => isComplete(node, this.nodes.length),
        AGREEMENT_MS,
      );
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#replicas, ...this.nodes].map(node => node.stop()));
  }

  async #agrees(): Promise<boolean> {
    const views = await Promise.all(this.nodes.map(mastersSeenBy));
    return views.every(view => view === views[0]);
  }

  #node(index: number): RedisServer {
    const node = this.nodes[index];
    if (node === undefined) throw new Error(`the cluster has no node ${index}`);
    return node;
  }

  #id(index: number): string {
    return this.#ids[index] as string;
  }
}

function clustered(options: RedisServerOptions, busPort: number): RedisServerOptions {
  return {
    ...options,
    config: [
      ['cluster-enabled', 'yes'],
      ['cluster-config-file', 'nodes.conf'],
      ['cluster-node-timeout', '5000'],
      ['cluster-port', String(busPort)],
      ['repl-diskless-sync-delay', '0'],
      ...(options.config ?? []),
    ],
  };
}

async function busPortOf(node: RedisServer): Promise<number> {
  const [, port] = (await node.command('CONFIG', 'GET', 'cluster-port')) as string[];
  return Number(port);
}

/** The masters with their epochs and slots, as a node sees them. */
async function mastersSeenBy(node: RedisServer): Promise<string> {
  const lines = String(await node.command('CLUSTER', 'NODES')).split('\n');
  const masters = lines
    .map(line => line.split(' '))
    .filter(([, , flags]) => flags?.includes('master'))
    .map(([id, , , , , , epoch, , ...slots]) => [id, epoch, ...slots.filter(isRange)].join(' '));
  return masters.toSorted().join('\n');
}

/** Not a slot on its way, as `[1-<-id]`. */
function isRange(slots: string): boolean {
  return !slots.startsWith('[');
}

async function knowsReplica(node: RedisServer, replica: RedisServer): Promise<boolean> {
  const lines = String(await node.command('CLUSTER', 'NODES')).split('\n');
  return lines.some(line => line.includes(`:${replica.port}@`) && line.includes('slave'));
}

/** Gives each node its slots and makes all of them known to each other. */
async function join(nodes: readonly RedisServer[], busPorts: readonly number[]): Promise<void> {
  const share = Math.ceil(SLOTS / nodes.length);
  for (const [index, node] of nodes.entries()) {
    await node.command('CLUSTER', 'SET-CONFIG-EPOCH', index + 1);
    const last = Math.min(SLOTS, (index + 1) * share) - 1;
    await node.command('CLUSTER', 'ADDSLOTSRANGE', index * share, last);
  }
  const [first, ...others] = nodes;
  if (first === undefined) return;
  for (const node of others)
    await node.command('CLUSTER', 'MEET', first.host, first.port, busPorts[0] as number);
  for (const node of nodes)
    await eventually('the cluster is complete', () => isComplete(node, nodes.length), AGREEMENT_MS);
}

async function isComplete(node: RedisServer, size: number): Promise<boolean> {
  const info = String(await node.command('CLUSTER', 'INFO'));
  return info.includes('cluster_state:ok') && info.includes(`cluster_size:${size}`);
}

async function moveKeys(source: RedisServer, target: RedisServer, slot: number): Promise<void> {
  for (;;) {
    const keys = (await source.command('CLUSTER', 'GETKEYSINSLOT', slot, 100)) as string[];
    if (keys.length === 0) return;
    await source.command('MIGRATE', target.host, target.port, '', 0, 5000, 'REPLACE', 'KEYS', ...keys);
  }
}
