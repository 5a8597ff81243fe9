import type { RedisServer } from '@msg/testkit/redis';
import type { RealKernel } from './real-kernel.ts';
import { ReplicationTap, type TappedWrite } from './replication-tap.ts';
import { noteEpochs, TappedTruth } from './tapped-truth.ts';

const ASKED_AGAIN_MS = 20;

type Role = 'master' | 'slave';
type Write = ReturnType<TappedTruth['written']>;

/** One server of a set, as its tap sees it. */
interface Follower {
  readonly server: RedisServer;
  readonly tap: ReplicationTap;
  /** As it said when the tap joined. */
  role: Role;
  /** Of the streams that it has. */
  epochs: Map<string, string>;
  /** What it wrote as the master, in its present history. */
  own: { readonly endOffset: number; readonly write: Write }[];
  /** What came since the tap joined, as long as the role is not known. */
  waiting: TappedWrite[] | undefined;
}

/** What a set tells of itself. */
export interface SetEvents {
  /** Whether a master that starts again has lost its data. */
  readonly losesData: boolean;
  /** The role of a server is known since its tap joined. */
  known(server: RedisServer, role: Role): void;
}

/**
 * The truth of a master and its replicas: taps follow all of them, so that it is known what each master wrote, and by the
 * offsets of the replication, what one that was promoted did not have.
 */
export class SetTruth {
  readonly tapped: TappedTruth;
  master: RedisServer;
  readonly #kernel: RealKernel;
  readonly #events: SetEvents;
  readonly #followers: readonly Follower[];
  /** A server was promoted, and the one before does not follow it yet. */
  #isForked = false;
  #isStopped = false;

  /** @param servers the first is the master @param user as whom taps log in */
  constructor(kernel: RealKernel, servers: readonly RedisServer[], user: string, events: SetEvents) {
    this.tapped = new TappedTruth(kernel);
    this.#kernel = kernel;
    this.#events = events;
    this.master = servers[0] as RedisServer; // there are three
    this.#followers = servers.map(server => {
      const follower: Follower = {
        server,
        role: server === this.master ? 'master' : 'slave',
        epochs: new Map(),
        own: [],
        waiting: undefined,
        tap: new ReplicationTap(
          server,
          {
            written: write => this.#written(follower, write),
            joined: how => void this.#joined(follower, how),
            left: () => undefined,
          },
          user,
        ),
      };
      return follower;
    });
  }

  async start(): Promise<void> {
    await Promise.all(this.#followers.map(({ tap }) => tap.start()));
  }

  stop(): void {
    this.#isStopped = true;
    for (const { tap } of this.#followers) tap.stop();
  }

  #written(follower: Follower, write: TappedWrite): void {
    if (follower.waiting !== undefined) follower.waiting.push(write);
    else this.#take(follower, write);
  }

  #take(follower: Follower, tapped: TappedWrite): void {
    noteEpochs(follower.epochs, tapped.args);
    if (follower.server === this.master) {
      follower.own.push({ endOffset: tapped.endOffset, write: this.tapped.written(tapped) });
    } else if (follower.role === 'master') this.tapped.written(tapped, false);
  }

  /** It follows a server again: that may have become something else, which it says itself. */
  async #joined(follower: Follower, how: 'again' | 'anew'): Promise<void> {
    follower.waiting ??= [];
    const said = await this.#asked(follower.server);
    if (said === undefined) return;
    const { role, keptUntil, before } = said;
    const was = follower.role;
    follower.role = role;
    if (how === 'anew') follower.own = [];
    if (role === 'slave' && how === 'anew') follower.epochs = new Map(this.#of(this.master).epochs);
    if (role === 'master' && how === 'anew' && this.#events.losesData) this.#lostAll(follower);
    const waiting = follower.waiting;
    follower.waiting = undefined;
    const isPromoted = role === 'master' && was === 'slave' && follower.server !== this.master;
    if (!isPromoted) for (const write of waiting) this.#take(follower, write);
    else {
      for (const write of waiting.filter(({ endOffset }) => endOffset < keptUntil))
        noteEpochs(follower.epochs, write.args);
      this.#promote(follower, keptUntil, before);
      for (const write of waiting.filter(({ endOffset }) => endOffset >= keptUntil))
        this.#take(follower, write);
    }
    this.#settle();
    this.#events.known(follower.server, role);
  }

  #promote(follower: Follower, keptUntil: number, before: string): void {
    const old = this.#of(this.master);
    // One that followed another history has nothing of the present one.
    const isOfOne = before === old.tap.id;
    const lost = old.own.filter(({ endOffset }) => !isOfOne || endOffset >= keptUntil);
    old.own = [];
    this.master = follower.server;
    this.#isForked = true;
    this.tapped.happened(truth =>
      truth.promoted(
        new Map(follower.epochs),
        lost.map(({ write }) => write),
      ),
    );
  }

  /** No server takes itself for the master any more but the master. */
  #settle(): void {
    const masters = this.#followers.filter(({ role }) => role === 'master');
    if (!this.#isForked || masters.length > 1) return;
    this.#isForked = false;
    this.tapped.happened(truth => truth.settled());
  }

  #lostAll(follower: Follower): void {
    follower.epochs.clear();
    if (follower.server === this.master) this.tapped.happened(truth => truth.wiped());
  }

  #of(server: RedisServer): Follower {
    return this.#followers.find(each => each.server === server) as Follower; // it is one of them
  }

  /** What a server says of its replication; undefined: after the end. */
  async #asked(server: RedisServer): Promise<Said | undefined> {
    for (;;) {
      if (this.#isStopped) return undefined;
      const text = await server.command('INFO', 'replication').catch(() => undefined);
      if (text !== undefined) return saidIn(String(text));
      await new Promise<void>(resolve => this.#kernel.after(ASKED_AGAIN_MS, resolve));
    }
  }
}

interface Said {
  readonly role: Role;
  /** Of the history before its own, it has what ends before this offset. */
  readonly keptUntil: number;
  /** The name of that history. */
  readonly before: string;
}

function saidIn(text: string): Said {
  const lines = text.split('\r\n');
  const value = (name: string): string =>
    lines.find(line => line.startsWith(`${name}:`))?.slice(name.length + 1) ?? '';
  return {
    role: value('role') === 'master' ? 'master' : 'slave',
    keptUntil: Number(value('second_repl_offset')),
    before: value('master_replid2'),
  };
}
