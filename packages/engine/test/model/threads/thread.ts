import type { HistoryFilter } from '@msg/engine';
import {
  BodyReader,
  LinkBusy,
  LinkEnd,
  type LinkMemory,
  LinkTimeout,
  type VersionTable,
} from '@msg/engine/threads';
import { Payload } from '@msg/protocol';
import { ThreadBroker } from '#src/broker/threads/thread-broker.ts';
import { RingMemory } from '#src/threads/link/ring-memory.ts';
import type { Loop } from './loop.ts';
import { Followed, SIZE } from './truth.ts';
import { CHANGE, LOOK, SLOT, type World } from './world.ts';

const STREAM = { size: SIZE, ttlMs: 300_000 };
const EMPTY = new Uint8Array(0);

/** One thread of a process: its end of the link, with a node that looks at everything that it is told. */
export class ModelThread {
  readonly loop: Loop;
  readonly broker: ThreadBroker;
  readonly followed = new Map<string, Followed>();
  readonly joined = new Set<string>();
  /** Texts that it published and that no answer has confirmed. */
  readonly unconfirmed = new Map<string, string>();
  readonly #world: World;
  readonly #name: string;
  readonly #end: LinkEnd;
  readonly #outgoing: RingMemory;
  #cached = { version: 0, value: -1 };
  #lastClient = 0;

  constructor(world: World, name: string, loop: Loop, link: { memory: LinkMemory; bell: LinkEndBell }) {
    this.#world = world;
    this.#name = name;
    this.loop = loop;
    this.#outgoing = new RingMemory(link.memory.outgoing);
    const onBroken = (error: Error): void => this.#report(`the link is broken: ${error.message}`);
    const onError = (error: unknown): void => this.#report(`error: ${error}`);
    this.#end = new LinkEnd(link.memory, { clock: loop, bell: link.bell, onBroken, onError });
    this.broker = new ThreadBroker(this.#end, { hasAppends: false, ownsStreams: true, clock: loop });
    void this.broker.start({
      publication: (channel, publication, { epoch }, _delta, previous) => {
        const truth = world.truth(channel);
        const followed = this.followed.get(channel);
        world.received++;
        if (followed === undefined) this.#report(`${channel} came without a subscription`);
        else this.#note(channel, followed.arrived(publication, truth));
        if (previous !== null) this.#note(channel, truth.fault(previous));
        if (previous !== null && previous.offset !== publication.offset - 1)
          this.#report(`the base of ${publication.offset} is ${previous.offset}`);
        if (epoch !== truth.epoch) this.#report(`epoch ${epoch} instead of ${truth.epoch}`);
      },
      appended() {},
      join() {},
      leave() {},
      restored: channels => {
        for (const channel of channels ?? this.followed.keys()) {
          const followed = this.followed.get(channel);
          if (followed !== undefined) followed.toldAt = world.step;
        }
      },
    });
  }

  /** Everything that it sent is in the ring: nothing waits beside it. */
  get hasWritten(): boolean {
    return this.#end.waitingBytes === this.#outgoing.used;
  }

  async toggle(channel: string): Promise<void> {
    const followed = this.followed.get(channel);
    if (followed === undefined) {
      const added = new Followed();
      this.followed.set(channel, added);
      await this.#outcome(this.broker.subscribe(channel), () => {
        added.state = 'live';
      });
    } else if (followed.state === 'live') {
      followed.state = 'unsubscribing';
      await this.#outcome(this.broker.unsubscribe(channel), () => this.followed.delete(channel));
    }
  }

  async publish(channel: string, text: string, delta: boolean): Promise<void> {
    const followed = this.followed.get(channel);
    const wasLive = followed?.state === 'live';
    this.unconfirmed.set(text, channel);
    const published = this.broker.publish(channel, new Payload(Buffer.from(text)), STREAM, { delta });
    await this.#outcome(published, ({ offset }) => {
      const truth = this.#world.truth(channel);
      truth.answeredTop = Math.max(truth.answeredTop, offset);
      const found = truth.texts[offset - 1];
      if (found !== text) this.#report(`a publish was answered with offset ${offset}, which is another one`);
      if (wasLive && followed?.state === 'live' && !followed.received.has(offset))
        followed.answeredFirst.add(offset);
    });
    this.unconfirmed.delete(text);
  }

  async read(channel: string, filter: HistoryFilter): Promise<void> {
    const truth = this.#world.truth(channel);
    this.#findPosition(channel);
    const topBefore = truth.top;
    await this.#outcome(this.broker.history(channel, filter, 300_000), ({ offset, epoch, publications }) => {
      if (offset < topBefore || offset > truth.top) this.#report(`a read found the top ${offset}`);
      if (truth.epoch !== '' && epoch !== truth.epoch) this.#report(`a read found the epoch ${epoch}`);
      for (const publication of publications) this.#note(channel, truth.fault(publication));
      const offsets = publications.map(each => each.offset);
      if (offsets.some((each, i) => i > 0 && each !== (offsets[i - 1] as number) + 1))
        this.#report(`a read found [${offsets}]`);
      const after = Math.max(filter.since?.offset ?? 0, offset - SIZE, truth.trimmedTo);
      const isWhole = (offsets[0] ?? offset + 1) <= after + 1 && (offsets.at(-1) ?? offset) === offset;
      if (filter.limit < 0 && after < offset && !isWhole)
        this.#report(`a read after ${after} up to ${offset} found [${offsets}]`);
    });
  }

  /** The position that it has at hand. */
  #findPosition(channel: string): void {
    const position = this.broker.position?.(channel) ?? null;
    if (position === null) return;
    this.#world.positions++;
    const { top, answeredTop, epoch } = this.#world.truth(channel);
    if (position.offset > top || position.offset < answeredTop)
      this.#report(`it is at ${position.offset} of ${channel} although ${answeredTop} was answered`);
    if (position.epoch !== epoch) this.#report(`it is in the epoch ${position.epoch} of ${channel}`);
  }

  /** A client of it joins, or the one that joined first leaves. */
  async joinOrLeave(channel: string, joins: boolean): Promise<void> {
    const [first] = this.joined;
    const client = joins || first === undefined ? `${this.#name}-${++this.#lastClient}` : first;
    const info = { user: 'u', client, connInfo: null, chanInfo: null };
    if (client === first) {
      this.joined.delete(client);
      await this.#outcome(this.broker.publishLeave(channel, info), () => {});
    } else {
      this.joined.add(client);
      await this.#outcome(this.broker.publishJoin(channel, info), () => {});
    }
  }

  /** Changes what main keeps for all; what was answered is seen by every thread that asks afterwards. */
  async change(): Promise<void> {
    await this.#outcome(this.#end.request(CHANGE, EMPTY), body => {
      this.#world.answered = Math.max(this.#world.answered, new BodyReader(body).u32());
    });
  }

  /** Looks at it, by its copy while the slot has not moved on. */
  async look(versions: VersionTable): Promise<void> {
    const least = this.#world.answered;
    const version = versions.read(SLOT);
    const check = (value: number): void => {
      if (value < least) this.#report(`it sees ${value} although ${least} was answered`);
    };
    if (this.#cached.value >= 0 && this.#cached.version === version) check(this.#cached.value);
    else
      await this.#outcome(this.#end.request(LOOK, EMPTY), body => {
        this.#cached = { version, value: new BodyReader(body).u32() };
        check(this.#cached.value);
      });
  }

  close(): void {
    this.#end.close();
  }

  /** What has to be so when nothing is under way. */
  checkComplete(): void {
    for (const [channel, followed] of this.followed) {
      const missing = followed.state === 'live' ? followed.missing(this.#world.truth(channel)) : null;
      if (missing !== null)
        this.#report(`publication ${missing} of ${channel} did not come, and no gap told it`);
    }
  }

  async #outcome<T>(promise: T | Promise<T>, done: (result: T) => void): Promise<void> {
    try {
      done(await promise);
    } catch (error) {
      // Refused, or not known: nothing is promised then.
      if (!(error instanceof LinkBusy || error instanceof LinkTimeout)) this.#report(`thrown: ${error}`);
    }
  }

  #note(channel: string, fault: string | null): void {
    if (fault !== null) this.#report(`${channel}: ${fault}`);
  }

  #report(text: string): void {
    this.#world.report(`${this.#name}: ${text}`);
  }
}

type LinkEndBell = NonNullable<ConstructorParameters<typeof LinkEnd>[1]['bell']>;
