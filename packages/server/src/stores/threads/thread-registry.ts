import { BodyWriter, type LinkEnd, type VersionTable } from '@msg/engine/threads';
import type { Clock, TimerHandle } from '@msg/foundation/clock';
import type { MaybePromise } from '@msg/foundation/promises';
import type { LifecycleEvent } from '../../channels/lifecycle-feed.ts';
import type { ChannelRecord } from '../../channels/record.ts';
import type {
  ChannelRegistry,
  CloseResult,
  DeleteResult,
  OpenResult,
} from '../../channels/registry/contract.ts';
import { ask, callMain } from './asking.ts';
import { type SliceArguments, StoreCall, StoreKind } from './calls.ts';
import type { HotQuestions } from './hot-records.ts';
import { SeenRecords } from './seen-records.ts';

/** A channel is noted as active at most so often (threads 5). */
const ACTIVITY_MS = 50;

export interface ThreadRegistryParts {
  readonly link: LinkEnd;
  readonly hot: HotQuestions;
  readonly versions: VersionTable;
  readonly clock: Clock;
  /** How long a copy serves uses of a channel: other processes change channels without a version. */
  readonly copyMs: number;
}

/**
 * The channel records of main, for a thread. Each operation is carried out there; uses of a channel are served from a copy
 * while main says by the version that it is right (threads 5).
 */
export class ThreadRegistry implements ChannelRegistry {
  readonly #link: LinkEnd;
  readonly #hot: HotQuestions;
  readonly #clock: Clock;
  readonly #seen: SeenRecords;
  readonly #writer = new BodyWriter();
  /** Channels whose activity was sent a moment ago; true: there was more since. */
  readonly #active = new Map<string, boolean>();
  #timer: TimerHandle | undefined;

  constructor({ link, hot, versions, clock, copyMs }: ThreadRegistryParts) {
    this.#link = link;
    this.#hot = hot;
    this.#clock = clock;
    this.#seen = new SeenRecords(versions, clock, copyMs);
  }

  openPublic(name: string, ttlMs: number): Promise<OpenResult> {
    return this.#reading(
      name,
      () => this.#ask<OpenResult>('openPublic', name, ttlMs),
      ({ record }) => record,
    );
  }

  async createPrivate(name: string, ttlMs: number): Promise<ChannelRecord | undefined> {
    const reading = this.#seen.begin(name);
    const record = await this.#ask<ChannelRecord | undefined>('createPrivate', name, ttlMs);
    if (record !== undefined) this.#seen.take(name, record, reading);
    return record;
  }

  get(name: string): Promise<ChannelRecord | undefined> {
    this.flush();
    const question = () => this.#hot.record(name);
    return this.#reading(name, question, record => record);
  }

  current(name: string): MaybePromise<ChannelRecord | undefined> {
    return this.#seen.current(name) ?? this.get(name);
  }

  async getAll(names: readonly string[]): Promise<readonly (ChannelRecord | undefined)[]> {
    if (names.length === 0) return [];
    const readings = names.map(name => this.#seen.begin(name));
    const records = await this.#ask<readonly (ChannelRecord | undefined)[]>('getAll', names);
    for (const [index, name] of names.entries()) {
      const reading = readings[index];
      if (reading !== undefined) this.#seen.take(name, records[index], reading);
    }
    return records;
  }

  peek(name: string): ChannelRecord | undefined {
    return this.#seen.latest(name);
  }

  list(): Promise<readonly ChannelRecord[]> {
    return this.#ask('list');
  }

  async *slices(most: number): AsyncIterable<readonly ChannelRecord[]> {
    this.flush();
    let cursor = 0;
    try {
      do {
        const argument: SliceArguments = { cursor, most };
        const answer = (await callMain(this.#link, StoreCall.slice, argument)) as {
          readonly cursor: number;
          readonly records: readonly ChannelRecord[];
        };
        cursor = answer.cursor;
        if (answer.records.length > 0) yield answer.records;
      } while (cursor !== 0);
    } finally {
      if (cursor !== 0) this.#link.call(StoreCall.endSlices, cursor).catch(() => {}); // main ends it with the thread
    }
  }

  touch(name: string, ttlMs?: number): Promise<ChannelRecord | undefined> {
    this.flush();
    const touch = () =>
      ttlMs === undefined
        ? this.#hot.touch(name)
        : this.#ask<ChannelRecord | undefined>('touch', name, ttlMs);
    return this.#reading(name, touch, record => record);
  }

  noteActivity(name: string): void {
    if (this.#active.has(name)) {
      this.#active.set(name, true);
      return;
    }
    this.#active.set(name, !this.#send(name));
    this.#timer ??= this.#clock.setTimeout(() => this.#lookAtActivity(), ACTIVITY_MS);
  }

  close(name: string): Promise<CloseResult | undefined> {
    const close = () => this.#ask<CloseResult | undefined>('close', name);
    return this.#reading(name, close, result => result?.record);
  }

  delete(name: string): Promise<DeleteResult | undefined> {
    const remove = () => this.#ask<DeleteResult | undefined>('delete', name);
    return this.#reading(name, remove, result => result?.record);
  }

  announce(event: LifecycleEvent): Promise<void> {
    return this.#ask('announce', event);
  }

  forget(name: string): Promise<void> {
    return this.#reading(
      name,
      () => this.#ask<void>('forget', name),
      () => undefined,
    );
  }

  async sweep(): Promise<readonly ChannelRecord[]> {
    const changed = await this.#ask<readonly ChannelRecord[]>('sweep');
    for (const { name, state } of changed) {
      if (state === 'deleted') this.#seen.remove(name);
      else this.#seen.changed(name, state);
    }
    return changed;
  }

  /** Another thread or process changed a channel. */
  onLifecycleEvent({ kind, name }: LifecycleEvent): void {
    this.#seen.changed(name, kind === 'opened' ? 'open' : kind);
  }

  /** Sends the activity that waits: what is asked next sees it. */
  flush(): void {
    for (const [name, waits] of this.#active) if (waits && this.#send(name)) this.#active.set(name, false);
  }

  stop(): void {
    this.flush();
    if (this.#timer !== undefined) this.#clock.clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** False: main does not read; it is tried again. */
  #send(name: string): boolean {
    return this.#link.post(StoreKind.activity, this.#writer.begin().text(name).body);
  }

  #lookAtActivity(): void {
    this.#timer = undefined;
    for (const [name, waits] of this.#active) if (!waits) this.#active.delete(name);
    this.flush();
    if (this.#active.size > 0)
      this.#timer = this.#clock.setTimeout(() => this.#lookAtActivity(), ACTIVITY_MS);
  }

  #ask<Answer>(method: string, ...args: readonly unknown[]): Promise<Answer> {
    this.flush();
    return ask(this.#link, 'registry', method, ...args);
  }

  async #reading<Answer>(
    name: string,
    question: () => Promise<Answer>,
    recordOf: (answer: Answer) => ChannelRecord | undefined,
  ): Promise<Answer> {
    const reading = this.#seen.begin(name);
    const answer = await question();
    this.#seen.take(name, recordOf(answer), reading);
    return answer;
  }
}
