import { eventually } from '@msg/testkit';
import { RedisCluster, RedisServer } from '@msg/testkit/redis';
import { META } from '../world/standard/stream-truth.ts';
import { machineUs, type RealKernel } from './real-kernel.ts';
import type { RealStore, StoreParts } from './real-store.ts';
import { ReplicationTap, type TappedWrite } from './replication-tap.ts';
import { noteEpochs, TappedTruth } from './tapped-truth.ts';
import { tellUntold } from './untold.ts';

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
  /** Of the streams that each server has, by what follows the beginning of their keys. */
  readonly #epochs = new Map<RedisServer, Map<string, string>>();
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
          written: write => this.#written(server, write),
          joined: () => this.#joined.get(server)?.(),
          left: () => undefined,
        }),
    );
  }

  static async start(
    kernel: RealKernel,
    kind: 'standalone' | 'cluster',
    parts: StoreParts,
  ): Promise<Masters> {
    const servers = await startServers(kind, parts.persistence);
    const masters = new Masters(kernel, { ...servers, ...parts, kind });
    await Promise.all(masters.#taps.map(tap => tap.start()));
    return masters;
  }

  get ports(): readonly number[] {
    return this.#servers.map(({ port }) => port);
  }

  masters(): readonly RedisServer[] {
    return this.#servers;
  }

  nextMaster(): RedisServer {
    return this.#servers[this.#turn++ % this.#servers.length] as RedisServer; // there is one
  }

  #written(server: RedisServer, write: TappedWrite): void {
    this.tapped.written(write);
    const held = this.#epochs.get(server) ?? new Map<string, string>();
    this.#epochs.set(server, held);
    noteEpochs(held, write.args);
    if (write.args[0]?.toUpperCase() !== 'FLUSHALL') return;
    // The others of a cluster keep their streams.
    for (const [other, epochs] of this.#epochs)
      for (const [key, epoch] of other === server ? [] : epochs)
        this.tapped.written({ ...write, args: ['HSET', META + key, 'e', epoch] });
  }

  async kill(afterMs: number): Promise<void> {
    const server = this.nextMaster();
    if (this.#down.has(server)) return;
    this.#down.add(server);
    const { persistence, gate } = this.#parts;
    const killedUs = machineUs();
    await server.kill();
    // What it had sent before is read.
    await eventually(
      'its tap has left',
      () => this.#taps[this.#servers.indexOf(server)]?.isFollowing !== true,
    );
    tellUntold(this.tapped, server, killedUs);
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
    if (this.#down.size > 0) return;
    await Promise.all(this.#servers.map(server => server.command('FLUSHALL').catch(() => undefined)));
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

interface MastersParts extends StartedServers, StoreParts {
  readonly kind: 'standalone' | 'cluster';
}

async function startServers(
  kind: 'standalone' | 'cluster',
  persistence: StoreParts['persistence'],
): Promise<StartedServers> {
  // A part of a cluster that loses its data is not followed: see `storeOf`.
  if (kind === 'cluster') {
    const cluster = await RedisCluster.start({ persistent: true });
    return { address: cluster.address, servers: cluster.nodes, stop: () => cluster.stop() };
  }
  const server = await RedisServer.start({ persistent: persistence === 'always' });
  return { address: server.address, servers: [server], stop: () => server.stop() };
}
