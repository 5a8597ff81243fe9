import type { Kernel } from '../../kernel/kernel.ts';
import type { Place } from '../place.ts';
import { RedisServer } from '../server.ts';
import type { Write } from '../state.ts';
import { ReplicationLink } from './link.ts';
import { Sentinel } from './sentinel.ts';

/** What becomes of a master that another one replaces. */
export type OldMaster = 'dead' | 'cut off' | 'frozen' | 'demoted';

/** A fail-over. Its times follow each other. */
export interface FailOver {
  /** Writes reach no replica for so long before its end: they are lost. */
  readonly heldMs: number;
  readonly old: OldMaster;
  /** Until the Sentinels promote a replica. */
  readonly detectedMs: number;
  /** How long each Sentinel goes on naming the old master. */
  readonly announcedMs: readonly number[];
  /** Until the old master is there again, or reached again. */
  readonly backMs: number;
  /** It takes itself for the master for so long after that. */
  readonly staleMs: number;
  /** The promoted replica has no data. */
  readonly isEmpty: boolean;
  /** Connections to the old master stay when it is demoted. */
  readonly keepsConnections: boolean;
}

/** What a set tells of itself. */
interface SetEvents {
  /** A client wrote something. `isKept`: at the master; otherwise at one that was replaced, which loses it. */
  written(write: Write, isKept: boolean): void;
  /** A replica was promoted without these writes. */
  promoted(master: RedisServer, lost: readonly Write[], isEmpty: boolean): void;
  /** No server takes itself for the master any more but the master. */
  settled(): void;
}

export interface SetOptions extends SetEvents {
  readonly servers: readonly Place[];
  readonly sentinels: readonly Place[];
  /** The master's name at the Sentinels. */
  readonly name: string;
}

/** A master, its replicas, and the Sentinels that watch them. */
export class ReplicatedSet {
  master: RedisServer;
  readonly #kernel: Kernel;
  readonly #options: SetOptions;
  readonly #servers: readonly RedisServer[];
  readonly #sentinels: readonly Sentinel[];
  #links: readonly ReplicationLink[] = [];
  /** A fail-over has begun, and not all follow the new master. */
  isFailingOver = false;

  /** Its first server is the master. */
  constructor(kernel: Kernel, options: SetOptions) {
    this.#kernel = kernel;
    this.#options = options;
    const keepsMore = kernel.stream('redis').between(0, 100);
    this.#servers = options.servers.map(place => this.#newServer(place, keepsMore));
    this.master = this.#servers[0] as RedisServer; // a set has one
    const replicas = options.servers.slice(1);
    this.#sentinels = options.sentinels.map(
      place =>
        new Sentinel(kernel, place, {
          name: options.name,
          master: this.master.place,
          replicas,
          others: options.sentinels.filter(other => other !== place),
        }),
    );
    this.resync(this.#servers);
    for (const each of [...this.#servers, ...this.#sentinels]) each.startAt(0);
  }

  /** Plays a fail-over; nothing while another one is played. */
  failOver(change: FailOver): void {
    if (this.isFailingOver) return;
    this.isFailingOver = true;
    const old = this.master;
    if (change.heldMs > 0) for (const link of this.#links) link.hold();
    this.#later(change.heldMs, 'master ends', () => {
      if (change.old !== 'demoted') for (const link of this.#links) link.hold();
      if (change.old === 'dead') old.kill();
      if (change.old === 'frozen') this.#kernel.pause(old.actor);
      this.#later(change.detectedMs, 'promotion', () => this.#promote(old, change));
    });
  }

  /** These servers take the data of the master, and follow it from then on. */
  resync(servers: readonly RedisServer[]): void {
    const followers = servers.filter(server => server !== this.master);
    for (const link of this.#links) if (followers.includes(link.replica)) link.close();
    for (const server of followers) {
      server.copyFrom(this.master);
      server.state.master = this.master.place;
    }
    const remaining = this.#links.filter(({ replica }) => !followers.includes(replica));
    this.#links = [...remaining, ...followers.map(server => new ReplicationLink(this.#kernel, server))];
    this.master.state.replicas = this.#links.length;
  }

  /** The master lost its data: all follow it. */
  resyncAll(): void {
    this.resync(this.#servers);
  }

  #promote(old: RedisServer, change: FailOver): void {
    const [best, ...others] = this.#links.toSorted((a, b) => a.lack.length - b.lack.length);
    if (best === undefined) return;
    for (const link of this.#links) link.close();
    this.#links = [];
    this.master = best.replica;
    this.master.state.master = undefined;
    if (change.isEmpty) this.master.clear();
    this.#options.promoted(this.master, best.lack, change.isEmpty);
    this.resync(others.map(({ replica }) => replica));
    const replicas = this.#servers.filter(server => server !== this.master).map(({ place }) => place);
    for (const [i, sentinel] of this.#sentinels.entries())
      sentinel.learnsAt(this.#nowMs + (change.announcedMs[i] ?? 0), this.master.place, replicas);
    if (change.old === 'demoted') this.#demote(old, change);
    else this.#later(change.backMs, 'old master is back', () => this.#back(old, change));
  }

  #back(old: RedisServer, change: FailOver): void {
    if (change.old === 'dead') old.restart({ afterMs: 0, persistence: 'always' });
    if (change.old === 'frozen') this.#kernel.resume(old.actor);
    this.#later(change.staleMs, 'demotion', () => this.#demote(old, change));
  }

  #demote(old: RedisServer, { keepsConnections }: FailOver): void {
    this.resync([old]);
    if (!keepsConnections)
      for (const type of ['normal', 'pubsub']) old.operate('CLIENT', 'KILL', 'TYPE', type);
    this.isFailingOver = false;
    this.#options.settled();
  }

  #newServer({ host, port }: Place, keepsMore: number): RedisServer {
    const server = new RedisServer(this.#kernel, {
      name: host,
      host,
      port,
      keepsMore,
      written: write => this.#options.written(write, server === this.master),
      propagated: write => {
        if (server !== this.master) return;
        for (const link of this.#links) link.add(write);
        if (write.args[0]?.toUpperCase() === 'FLUSHALL') for (const link of this.#links) link.finish();
      },
      turnEnded: () => {
        if (server === this.master) for (const link of this.#links) link.turnEnded();
      },
    });
    return server;
  }

  #later(ms: number, kind: string, run: () => void): void {
    this.#kernel.at(this.#nowMs + ms, this.#kernel.actor('sentinels'), kind, run);
  }

  get #nowMs(): number {
    return this.#kernel.nowUs / 1000;
  }
}
