import { AsyncLocalStorage } from 'node:async_hooks';
import type { Clock, TimerHandle } from '@msg/foundation/clock';
import type { MaybePromise } from '@msg/foundation/promises';
import type { ChannelRecord, ChannelState } from '../../record.ts';
import { type ActivityNote, ActivityNotes } from './activity-notes.ts';
import { ConfirmedRecords, type Reading } from './confirmed-records.ts';
import { RecentRecords } from './recent-records.ts';
import { readRecord } from './stored-record.ts';

/** How often records are confirmed and activity is written. */
const UPKEEP_MS = 500;
/** Records that one upkeep confirms at most. */
const MOST_CONFIRMED = 2048;
/** Records of one command. */
const BATCH = 512;

type Texts = readonly (string | null)[];

/** The part of the store that the channels of a node need. */
interface WorkingChannelsStore {
  /** The stored texts of channels, in the order of the names. */
  read(names: readonly string[]): Promise<Texts>;
  /** Writes activity; the texts of these channels afterwards, in their order. */
  note(notes: readonly ActivityNote[]): Promise<Texts>;
}

export interface WorkingChannelsOptions {
  readonly clock: Clock;
  readonly store: WorkingChannelsStore;
  /** False while this node may miss the events of other nodes: then no record is used without asking the store. */
  readonly isListening: () => boolean;
  /** Called for failures of background work. */
  readonly onError: (error: unknown) => void;
}

/**
 * The channels that a node works with, so that a publish waits for the store once: their records, confirmed each second,
 * and their activity, which is written in the background.
 */
export class WorkingChannels {
  readonly #options: WorkingChannelsOptions;
  readonly #recent = new RecentRecords();
  readonly #records: ConfirmedRecords;
  readonly #notes: ActivityNotes;
  /** Runs work that belongs to no caller outside of the trace of the one who happened to begin it. */
  readonly #ofNoCaller = AsyncLocalStorage.snapshot();
  /** Readings for callers that wait, by channel: those that come meanwhile share an answer that is good for them. */
  readonly #reads = new Map<string, Promise<unknown>>();
  /** Channels whose activity is written at the end of this turn. */
  #active = new Set<string>();
  #timer: TimerHandle | undefined;
  /** The last work in the background failed: of an outage only the first failure is reported. */
  #isFailing = false;
  #stopped = false;

  constructor(options: WorkingChannelsOptions) {
    this.#options = options;
    this.#records = new ConfirmedRecords(() => options.clock.monotonic());
    this.#notes = new ActivityNotes({ clock: options.clock, write: notes => this.#writeNotes(notes) });
  }

  /** The record as the store said at most a second ago, if the channel was open then; else as the store says now. */
  current(name: string): MaybePromise<ChannelRecord | undefined> {
    const record = this.#records.use(name);
    if (record !== undefined && this.#options.isListening()) return record;
    const read = this.#reads.get(name);
    return read === undefined ? this.#readFirst(name) : this.#shareRead(name, read);
  }

  async #readFirst(name: string): Promise<ChannelRecord | undefined> {
    const record = this.read(name, true);
    this.#reads.set(name, record);
    try {
      return await record;
    } finally {
      this.#reads.delete(name);
    }
  }

  /** An answer to an earlier question counts if it is a confirmed record; any other may be older than an opening. */
  async #shareRead(name: string, read: Promise<unknown>): Promise<ChannelRecord | undefined> {
    await read.catch(() => {}); // the first caller gets the error; this one asks again
    const confirmed = this.#records.use(name);
    return confirmed !== undefined && this.#options.isListening() ? confirmed : this.read(name, true);
  }

  /** The record as the store says now. `isUsed`: for a use of the channel, not for a look at it. */
  async read(name: string, isUsed: boolean): Promise<ChannelRecord | undefined> {
    const [record] = await this.readAll([name], isUsed);
    return record;
  }

  /** As {@link read} for several. */
  async readAll(names: readonly string[], isUsed: boolean): Promise<readonly (ChannelRecord | undefined)[]> {
    // On one connection the activity is there before it is read.
    const pending = names.filter(name => this.#notes.isPending(name));
    if (pending.length > 0) this.#inBackground(() => this.#notes.write(pending));
    return this.#reading(async reading => {
      const texts = await this.#options.store.read(names);
      return names.map((name, index) => this.#take(name, texts[index] ?? null, reading, isUsed));
    });
  }

  /** Runs a step that changes the record of a channel; `textOf` finds in its answer what is stored then. */
  async write<T>(
    name: string,
    step: () => Promise<T>,
    textOf: (answer: T) => string | undefined,
    isUsed = false,
  ): Promise<T> {
    return this.#reading(async reading => {
      const answer = await step();
      const text = textOf(answer);
      if (text === undefined) return answer;
      this.#notes.forget(name);
      this.#take(name, text, reading, isUsed);
      return answer;
    });
  }

  /** Notes that a channel was active; writes it in the background. */
  noteActivity(name: string): void {
    const ttlMs = this.#recent.get(name)?.ttlMs ?? 0;
    if (!this.#notes.add(name, ttlMs)) {
      this.#arm();
      return;
    }
    this.#active.add(name);
    if (this.#active.size > 1) return;
    this.#options.clock.afterTurn(() => {
      const active = this.#active;
      this.#active = new Set();
      this.#inBackground(() => this.#notes.write([...active]));
    });
  }

  /** Resolves when all activity so far is in the store. */
  writeActivity(): Promise<void> {
    return this.#notes.writeAll();
  }

  /** Sends all activity so far to the store: what is asked next sees it. */
  sendActivity(): void {
    this.#inBackground(() => this.#notes.writeAll());
  }

  /** The record that this node saw last; it may lag behind the store. */
  peek(name: string): ChannelRecord | undefined {
    return this.#recent.get(name);
  }

  /** Another node changed the channel. */
  changed(name: string, state: ChannelState): void {
    this.#recent.changed(name, state);
    this.#records.drop(name);
  }

  /** This node removed the record. */
  removed(name: string): void {
    this.#recent.saw(name, undefined);
    this.#records.drop(name);
    this.#notes.forget(name);
  }

  /** Events of other nodes may be lost. */
  doubt(): void {
    this.#records.dropAll();
  }

  /** Writes what is left; afterwards nothing runs in the background. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#records.dropAll();
    if (this.#timer !== undefined) this.#options.clock.clearTimeout(this.#timer);
    await this.#notes.writeAll().catch(this.#options.onError);
  }

  async #reading<T>(read: (reading: Reading) => Promise<T>): Promise<T> {
    const reading = this.#records.begin();
    try {
      return await read(reading);
    } finally {
      this.#records.end();
    }
  }

  #take(name: string, text: string | null, reading: Reading, isUsed: boolean): ChannelRecord | undefined {
    const record = text === null ? undefined : readRecord(name, text);
    // An event that came meanwhile is newer than the answer.
    if (!this.#records.isOutdated(name, reading)) this.#recent.saw(name, record);
    if (text === null || record === undefined) {
      this.#records.drop(name);
      return undefined;
    }
    this.#records.take(name, text, record, reading, isUsed && !this.#stopped);
    if (this.#records.size > 0) this.#arm();
    return record;
  }

  #writeNotes(notes: readonly ActivityNote[]): Promise<void> {
    this.#arm();
    return this.#reading(async reading => {
      const texts = await this.#options.store.note(notes);
      for (const [index, [name]] of notes.entries()) this.#confirm(name, texts[index] ?? null, reading);
    });
  }

  #confirm(name: string, text: string | null, reading: Reading): void {
    if (text !== null && this.#records.confirm(name, text, reading)) return;
    try {
      this.#take(name, text, reading, false);
    } catch (error) {
      this.#records.drop(name);
      this.#options.onError(error);
    }
  }

  #arm(): void {
    if (this.#stopped) return;
    this.#timer ??= this.#options.clock.setTimeout(() => this.#upkeep(), UPKEEP_MS);
  }

  #upkeep(): void {
    this.#timer = undefined;
    this.#inBackground(() => this.#notes.writeDue());
    const names = this.#records.due(MOST_CONFIRMED);
    for (let start = 0; start < names.length; start += BATCH)
      this.#inBackground(() => this.#confirmAll(names.slice(start, start + BATCH)));
    if (this.#records.size > 0 || this.#notes.size > 0) this.#arm();
  }

  #confirmAll(names: readonly string[]): Promise<void> {
    return this.#reading(async reading => {
      const texts = await this.#options.store.read(names);
      for (const [index, name] of names.entries()) this.#confirm(name, texts[index] ?? null, reading);
    });
  }

  #inBackground(work: () => Promise<unknown>): void {
    this.#ofNoCaller(work).then(
      () => {
        this.#isFailing = false;
      },
      error => {
        if (!this.#isFailing) this.#options.onError(error);
        this.#isFailing = true;
      },
    );
  }
}
