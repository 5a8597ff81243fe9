import type { Kernel } from '../../kernel/kernel.ts';
import type { Stream } from '../../kernel/stream.ts';
import type { Place } from '../place.ts';
import type { Bytes } from '../reply.ts';
import { RedisServer, type Restart } from '../server.ts';
import type { Write } from '../state.ts';
import { beginMigration, deliver, keysInSlot, learnOwner } from './migration.ts';
import { slotOf } from './slots.ts';
import { ClusterView } from './view.ts';

/** The longest way of a message to another master: most are shorter. */
const LONGEST_LAG_US = 20_000;
/** A master that is gone for so long is missed by the others. */
const MISSED_MS = 5000;
/** Until the others believe that it is back. */
const LONGEST_REJOIN_MS = 2000;
/** Keys that an operator moves at once, and the pause between two moves. */
const MOST_KEYS = 20;
const LONGEST_PAUSE_MS = 200;
/** The last master learns so much later who serves a slot that has moved. */
const LONGEST_NEWS_MS = 1000;
/** Who could not be reached is told again. */
const AGAIN_MS = 500;

interface ClusterOptions {
  readonly places: readonly Place[];
  /** Told of each write of a client that succeeded. */
  readonly written: (write: Write) => void;
}

/** A slot on its way. */
interface Move {
  readonly slot: number;
  readonly from: RedisServer;
  readonly to: RedisServer;
  readonly draw: Stream;
}

/** A cluster of masters without replicas: they share the slots, and pass messages on to each other. */
export class Cluster {
  readonly masters: readonly RedisServer[];
  readonly #kernel: Kernel;
  readonly #views: readonly ClusterView[];
  /** When the last message from one master arrives at another one. */
  readonly #arrivesUs = new Map<string, number>();
  /** Masters that the others miss. */
  #missed = 0;
  #isMoving = false;
  /** Slots that have moved to another master. */
  moved = 0;

  constructor(kernel: Kernel, { places, written }: ClusterOptions) {
    this.#kernel = kernel;
    const draw = kernel.stream('cluster');
    const members = places.map(place => ({ id: Buffer.from(draw.bytes(20)).toString('hex'), place }));
    this.#views = members.map((_, at) => new ClusterView(members, at));
    const keepsMore = kernel.stream('redis').between(0, 100);
    this.masters = places.map(
      (place, at): RedisServer =>
        new RedisServer(kernel, {
          ...place,
          name: place.host,
          keepsMore,
          cluster: this.#views[at] as ClusterView, // one for each place
          written,
          propagated: ({ args }) => this.#passOn(place, args),
        }),
    );
    for (const master of this.masters) master.startAt(0);
  }

  /** A master dies and starts again; while the others miss it, no key is served. */
  restart(master: RedisServer, change: Restart): void {
    const rejoinMs = master.actor.stream('rejoin').between(0, LONGEST_REJOIN_MS);
    master.restart(change);
    if (change.afterMs <= MISSED_MS) return;
    this.#later(MISSED_MS, 'master is missed', () => this.#miss(1));
    this.#later(change.afterMs + rejoinMs, 'master is back', () => this.#miss(-1));
  }

  /** An operator moves a slot that has keys from one master to another; nothing while another one moves. */
  moveSlot(draw: Stream): void {
    const from = draw.pick(this.masters);
    const to = draw.pick(this.masters.filter(master => master !== from));
    const keys = from.state.database(0)?.names() ?? [];
    if (this.#isMoving || keys.length === 0) return;
    this.#isMoving = true;
    const slot = slotOf(draw.pick(keys));
    beginMigration(slot, from.state, to.state);
    this.#moveOn({ slot, from, to, draw });
  }

  #moveOn(move: Move): void {
    const { slot, from, to, draw } = move;
    const areThere = [from, to].every(({ actor }) => actor.state === 'running');
    const keys = areThere ? keysInSlot(slot, from.state) : [];
    if (areThere && keys.length === 0) {
      this.#finish(move);
      return;
    }
    if (areThere) from.moveKeys(keys.slice(0, draw.between(1, MOST_KEYS)), to);
    this.#later(areThere ? draw.between(1, LONGEST_PAUSE_MS) : AGAIN_MS, 'keys move', () =>
      this.#moveOn(move),
    );
  }

  #finish({ slot, from, to, draw }: Move): void {
    this.moved++;
    const others = this.masters.filter(master => master !== from && master !== to);
    let newsMs = 0;
    for (const master of [to, from, ...others]) {
      this.#later(newsMs, 'news of a slot', () => this.#teach(master, slot, to));
      newsMs += draw.between(0, LONGEST_NEWS_MS / this.masters.length);
    }
    this.#later(LONGEST_NEWS_MS, 'slot has moved', () => {
      this.#isMoving = false;
    });
  }

  /** Tells a master who serves a slot until it knows. */
  #teach(master: RedisServer, slot: number, owner: RedisServer): void {
    const { actor, state } = master;
    if (state.cluster?.ownerOf(slot).place.host === owner.place.host) return;
    this.#kernel.schedule(actor, { kind: 'redis.slot', atUs: this.#kernel.nowUs }, () =>
      learnOwner(slot, owner.state, state),
    );
    this.#later(AGAIN_MS, 'news of a slot', () => this.#teach(master, slot, owner));
  }

  #miss(more: 1 | -1): void {
    this.#missed += more;
    for (const view of this.#views) view.isDown = this.#missed > 0;
  }

  /** A published message goes to every other master, in the order in which one sends them. */
  #passOn(from: Place, args: readonly Bytes[]): void {
    if (args[0]?.toLowerCase() !== 'publish') return;
    for (const master of this.masters) {
      const { actor, place } = master;
      if (place.host === from.host) continue;
      const way = `${from.host} ${place.host}`;
      const lagUs = actor.stream('cluster bus').between(100, LONGEST_LAG_US);
      const atUs = Math.max((this.#arrivesUs.get(way) ?? 0) + 1, this.#kernel.nowUs + lagUs);
      this.#arrivesUs.set(way, atUs);
      this.#kernel.schedule(actor, { kind: 'redis.bus', atUs }, () => deliver(args, master.state));
    }
  }

  #later(ms: number, kind: string, run: () => void): void {
    this.#kernel.at(this.#kernel.nowUs / 1000 + ms, this.#kernel.actor('cluster'), kind, run);
  }
}
