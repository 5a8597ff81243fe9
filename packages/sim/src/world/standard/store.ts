import type { Kernel } from '../../kernel/kernel.ts';
import { type FailOver, ReplicatedSet } from '../../redis/replication/replicated-set.ts';
import { type Persistence, RedisServer } from '../../redis/server.ts';
import { LifecycleTruth } from './lifecycle-truth.ts';
import { epochsOf, StreamTruth } from './stream-truth.ts';

const STORE_PORT = 6379;
const STORE = { host: 'redis', port: STORE_PORT };

/** Of a set with Sentinels. */
const SERVERS = ['redis-a', 'redis-b', 'redis-c'].map(host => ({ host, port: STORE_PORT }));
const SENTINELS = ['sentinel-a', 'sentinel-b', 'sentinel-c'].map(host => ({ host, port: 26_379 }));
const MASTER = 'main';

/** What the store of a world is: one server, a master with two replicas and three Sentinels, or the memory of its node. */
export type StoreKind = 'standalone' | 'sentinel' | 'memory';

/** The address of the store as users give it to the service. */
export function storeAddress(kind: StoreKind): string {
  if (kind === 'standalone') return `${STORE.host}:${STORE.port}`;
  return `redis+sentinel://${SENTINELS.map(({ host, port }) => `${host}:${port}`).join(',')}/${MASTER}`;
}

/** The Redis of the world, with the truth of its streams. */
export class Store {
  readonly truth: StreamTruth;
  /** Of a single server; what a fail-over loses is not followed there. */
  readonly lifecycle = new LifecycleTruth();
  readonly #server: RedisServer;
  readonly #set: ReplicatedSet | undefined;

  constructor(kernel: Kernel, kind: StoreKind) {
    const truth = new StreamTruth(kernel);
    this.truth = truth;
    if (kind === 'sentinel') {
      this.#set = new ReplicatedSet(kernel, {
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
      this.#server = this.#set.master;
      return;
    }
    this.#server = new RedisServer(kernel, {
      name: STORE.host,
      ...STORE,
      written: write => {
        truth.written(write);
        this.lifecycle.written(write);
      },
    });
    if (kind !== 'memory') this.#server.startAt(0);
  }

  /** The present master. */
  get server(): RedisServer {
    return this.#set?.master ?? this.#server;
  }

  get host(): string {
    return this.server.place.host;
  }

  /** Kills its process, which starts again with what its disk has. Nothing during a fail-over. */
  kill(afterMs: number, loadingMs: number, persistence: Exclude<Persistence, 'everysec'>): void {
    if (this.#set?.isFailingOver === true) return;
    this.server.restart({ afterMs, loadingMs, persistence });
    if (persistence !== 'no') return;
    this.truth.wiped();
    this.#set?.resyncAll();
  }

  /** An operator empties it. Nothing during a fail-over. */
  flush(): void {
    if (this.#set?.isFailingOver === true) return;
    this.server.operate('FLUSHALL');
  }

  /** Nothing where there are no replicas. */
  failOver(change: FailOver): void {
    this.#set?.failOver(change);
  }
}
