import { RedisCluster, RedisServer } from '@msg/testkit/redis';
import type { RealKernel } from './real-kernel.ts';
import type { Gate, RealPersistence, RealStore } from './real-store.ts';
import { ReplicationTap } from './replication-tap.ts';
import { TappedTruth } from './tapped-truth.ts';

/** Servers without replicas: one, or the masters of a cluster. */
export class Masters implements RealStore {
  readonly kind: 'standalone' | 'cluster';
  readonly address: string;
  readonly tapped: TappedTruth;
  readonly #kernel: RealKernel;
  readonly #servers: readonly RedisServer[];
  readonly #taps: readonly ReplicationTap[];
  readonly #parts: MastersParts;
  /** Told when a tap follows its server again. */
  readonly #joined = new Map<RedisServer, () => void>();
  readonly #down = new Set<RedisServer>();
  #turn = 0;

  private constructor(kernel: RealKernel, parts: MastersParts) {
    this.kind = parts.kind;
    this.address = parts.address;
    this.tapped = new TappedTruth(kernel);
    this.#kernel = kernel;
    this.#parts = parts;
    this.#servers = parts.servers;
    this.#taps = parts.servers.map(
      server =>
        new ReplicationTap(server, {
          written: write => this.tapped.written(write),
          joined: () => this.#joined.get(server)?.(),
          left: () => undefined,
        }),
    );
  }

  static async start(
    kernel: RealKernel,
    kind: 'standalone' | 'cluster',
    { persistence, gate }: { readonly persistence: RealPersistence; readonly gate: Gate },
  ): Promise<Masters> {
    const parts = await startServers(kind, persistence);
    const masters = new Masters(kernel, { ...parts, kind, persistence, gate });
    await Promise.all(masters.#taps.map(tap => tap.start()));
    return masters;
  }

  get ports(): readonly number[] {
    return this.#servers.map(({ port }) => port);
  }

  masterPorts(): readonly number[] {
    return this.ports;
  }

  nextMaster(): RedisServer {
    return this.#servers[this.#turn++ % this.#servers.length] as RedisServer; // there is one
  }

  async kill(afterMs: number): Promise<void> {
    const server = this.nextMaster();
    if (this.#down.has(server)) return;
    this.#down.add(server);
    const { persistence, gate } = this.#parts;
    await server.kill();
    if (persistence === 'no') this.tapped.happened(truth => truth.wiped());
    await new Promise<void>(resolve => this.#kernel.after(afterMs, resolve));
    // Nothing is written before the tap hears it.
    gate(server.port, false);
    const joined = new Promise<void>(resolve => this.#joined.set(server, resolve));
    await server.restart();
    await joined;
    gate(server.port, true);
    this.#down.delete(server);
  }

  async flush(): Promise<void> {
    await Promise.all(this.#servers.map(server => server.command('FLUSHALL')));
  }

  failOver(): Promise<void> {
    return Promise.resolve();
  }

  async stop(): Promise<void> {
    for (const tap of this.#taps) tap.stop();
    await this.#parts.stop();
  }
}

interface StartedServers {
  readonly address: string;
  readonly servers: readonly RedisServer[];
  stop(): Promise<void>;
}

interface MastersParts extends StartedServers {
  readonly kind: 'standalone' | 'cluster';
  readonly persistence: RealPersistence;
  readonly gate: Gate;
}

async function startServers(
  kind: 'standalone' | 'cluster',
  persistence: RealPersistence,
): Promise<StartedServers> {
  // A part of a cluster that loses its data is not followed: see `storeOf`.
  if (kind === 'cluster') {
    const cluster = await RedisCluster.start({ persistent: true });
    return { address: cluster.address, servers: cluster.nodes, stop: () => cluster.stop() };
  }
  const server = await RedisServer.start({ persistent: persistence === 'always' });
  return { address: server.address, servers: [server], stop: () => server.stop() };
}
