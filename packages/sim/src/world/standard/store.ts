import type { RedisOptions } from '@msg/server';
import type { Kernel } from '../../kernel/kernel.ts';
import type { Stream } from '../../kernel/stream.ts';
import { Cluster } from '../../redis/cluster/cluster.ts';
import type { Place } from '../../redis/place.ts';
import { type FailOver, ReplicatedSet } from '../../redis/replication/replicated-set.ts';
import { type Persistence, RedisServer } from '../../redis/server.ts';
import type { Write } from '../../redis/state.ts';
import { LifecycleTruth } from './lifecycle-truth.ts';
import { epochsOf, StreamTruth } from './stream-truth.ts';

const STORE_PORT = 6379;
const STORE = { host: 'redis', port: STORE_PORT };

/** Of a set with Sentinels. */
const SERVERS = placesOf('redis');
const SENTINELS = ['sentinel-a', 'sentinel-b', 'sentinel-c'].map(host => ({ host, port: 26_379 }));
const MASTER = 'main';
/** A cluster knows its members by their addresses. */
const CLUSTER = ['10.0.1.1', '10.0.1.2', '10.0.1.3'].map(host => ({ host, port: STORE_PORT }));
const SHARDS = placesOf('shard').slice(0, 2);
/** Of sharded PUB/SUB: some for each master. */
const PARTITIONS = 6;
/** On a cluster, names of keys of the service and of a channel have a tag, and with partitions one before the channel. */
const TAG = /\{\d+\}\.|[{}]/g;

/**
 * What the store of a world is: one server; a master with two replicas and three Sentinels; a cluster of three masters with
 * plain or sharded PUB/SUB; two servers that streams are spread over; the memory of the node.
 */
export type StoreKind = 'standalone' | 'sentinel' | 'cluster' | 'sharded' | 'shards' | 'memory';

function placesOf(name: string): readonly Place[] {
  return ['a', 'b', 'c'].map(letter => ({ host: `${name}-${letter}`, port: STORE_PORT }));
}

function joined(places: readonly Place[]): string {
  return places.map(({ host, port }) => `${host}:${port}`).join(',');
}

/** The store as users give it to the service. */
export function storeOptions(kind: StoreKind): RedisOptions {
  if (kind === 'sentinel') return { address: `redis+sentinel://${joined(SENTINELS)}/${MASTER}` };
  if (kind === 'cluster') return { address: `redis+cluster://${joined(CLUSTER)}` };
  if (kind === 'sharded')
    return { address: `redis+cluster://${joined(CLUSTER)}`, shardedPubSubPartitions: PARTITIONS };
  if (kind === 'standalone' || kind === 'memory') return { address: joined([STORE]) };
  const [first, ...others] = SHARDS.map(place => joined([place]));
  return { address: first ?? '', shards: others };
}

/** The Redis of the world, with the truth of its streams. */
export class Store {
  readonly truth: StreamTruth;
  /** What a fail-over loses is not followed. */
  readonly lifecycle = new LifecycleTruth();
  readonly #kernel: Kernel;
  readonly #set: ReplicatedSet | undefined;
  readonly #cluster: Cluster | undefined;
  /** Without replicas: all that have keys. */
  readonly #servers: readonly RedisServer[];

  constructor(kernel: Kernel, kind: StoreKind) {
    this.#kernel = kernel;
    this.truth = new StreamTruth(kernel);
    this.#set = kind === 'sentinel' ? this.#newSet() : undefined;
    const isCluster = kind === 'cluster' || kind === 'sharded';
    const written = (write: Write): void => this.#written(write);
    this.#cluster = isCluster ? new Cluster(kernel, { places: CLUSTER, written }) : undefined;
    const single = kind === 'standalone' || kind === 'memory' ? [STORE] : [];
    const places = kind === 'shards' ? SHARDS : single;
    const started = places.map(place => new RedisServer(kernel, { ...place, name: place.host, written }));
    if (kind !== 'memory') for (const server of started) server.startAt(0);
    this.#servers = this.#cluster?.masters ?? started;
  }

  /** A server that takes writes: where there are several, a drawn one. */
  pick(draw: Stream): RedisServer {
    const [first, ...others] = this.#servers;
    if (first === undefined) return (this.#set as ReplicatedSet).master; // without servers there is a set
    return others.length === 0 ? first : draw.pick(this.#servers);
  }

  /** Slots of a cluster that have moved. */
  get moved(): number {
    return this.#cluster?.moved ?? 0;
  }

  /**
   * Kills a process, which starts again with what its disk has; all of them where it has nothing, since what a part of a
   * store loses is not followed. Nothing during a fail-over.
   */
  kill(draw: Stream, persistence: Exclude<Persistence, 'everysec'>): void {
    const change = { afterMs: draw.between(10, 15_000), loadingMs: draw.pick([0, 0, 3000]), persistence };
    if (this.#set?.isFailingOver === true) return;
    const killed = persistence === 'no' && this.#servers.length > 1 ? this.#servers : [this.pick(draw)];
    for (const server of killed)
      if (this.#cluster === undefined) server.restart(change);
      else this.#cluster.restart(server, change);
    if (persistence !== 'no') return;
    this.truth.wiped();
    this.#set?.resyncAll();
  }

  /** An operator empties it. Nothing during a fail-over. */
  flush(): void {
    if (this.#set?.isFailingOver === true) return;
    const [first, ...others] = this.#servers;
    if (first === undefined || others.length === 0) {
      (first ?? this.#set?.master)?.operate('FLUSHALL');
      return;
    }
    for (const server of this.#servers) server.clear();
    this.truth.wiped();
  }

  /** Nothing where there are no replicas. */
  failOver(change: FailOver): void {
    this.#set?.failOver(change);
  }

  /** Nothing where there is no cluster. */
  moveSlot(draw: Stream): void {
    this.#cluster?.moveSlot(draw);
  }

  #written(write: Write): void {
    const [command = '', key = '', ...rest] = write.args;
    const untagged =
      this.#cluster === undefined ? write : { ...write, args: [command, key.replace(TAG, ''), ...rest] };
    this.truth.written(untagged);
    this.lifecycle.written(untagged);
  }

  #newSet(): ReplicatedSet {
    const { truth } = this;
    return new ReplicatedSet(this.#kernel, {
      servers: SERVERS,
      sentinels: SENTINELS,
      name: MASTER,
      written: (write, isKept) => truth.written(write, isKept),
      promoted: ({ state }, lost, isEmpty) => {
        truth.promoted(epochsOf(state), isEmpty ? [] : lost);
        if (isEmpty) truth.wiped();
      },
      settled: () => truth.settled(),
    });
  }
}
