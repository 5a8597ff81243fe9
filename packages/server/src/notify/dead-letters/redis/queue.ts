import type { Clock, Random, TimerHandle } from '@msg/foundation/clock';
import { lua } from '@msg/redis';
import type { SharedStore } from '../../../stores/redis/shared-store.ts';
import {
  changedLetter,
  type DeadLetter,
  type DeadLetterClaim,
  type DeadLetterQueue,
  type LetterChange,
  type NewDeadLetter,
} from '../contract.ts';
import { DEAD_LETTERS_PER_SINK } from '../memory.ts';
import { hideLetters, restoreLetters } from './hidden.ts';
import { LetterKeys } from './keys.ts';
import { compareIds, ENTRY_ID, type Entry, itemOf, newestFirst, newestParkedFirst } from './slice.ts';
import { itemText, readLetter, stateText } from './stored-letter.ts';

const PUSH = lua('./push.lua', import.meta.url);
const CLAIM = lua('./claim.lua', import.meta.url);
const RENEW = lua('./renew.lua', import.meta.url);
const SETTLE = lua('./settle.lua', import.meta.url);
const DISCARD = lua('./discard.lua', import.meta.url);
const UPDATE = lua('./update.lua', import.meta.url);
const SIZE = lua('./size.lua', import.meta.url);

/** Lifetime of a claim whose holder stopped renewing it. */
const CLAIM_MS = 30_000;
const RENEW_MS = CLAIM_MS / 3;

/** Letters that one script removes. */
const SLICE = 500;

export interface RedisDeadLetterQueueOptions {
  readonly store: SharedStore;
  readonly clock: Clock;
  readonly random: Random;
  /** Letters kept per sink, roughly; default 10 000. */
  readonly capacity?: number;
  /** Sinks that may have letters from other processes. */
  readonly knownSinks?: () => readonly string[];
  /** A claim could not be renewed. */
  readonly onError: (error: unknown) => void;
}

/**
 * The queue that all nodes share: one stream per sink, trimmed to about its capacity. The result of a failed replay and a
 * change of a letter are stored beside the stream, because stream entries are immutable. A claim is a key that its holder
 * renews. Source: messaging details 12.3 and section 18.
 */
export class RedisDeadLetterQueue implements DeadLetterQueue {
  readonly #store: SharedStore;
  readonly #keys: LetterKeys;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #capacity: number;
  readonly #knownSinks: () => readonly string[];
  readonly #onError: (error: unknown) => void;

  constructor(options: RedisDeadLetterQueueOptions) {
    this.#store = options.store;
    this.#keys = new LetterKeys(options.store);
    this.#clock = options.clock;
    this.#random = options.random;
    this.#capacity = options.capacity ?? DEAD_LETTERS_PER_SINK;
    this.#knownSinks = options.knownSinks ?? (() => []);
    this.#onError = options.onError;
  }

  async push(letter: NewDeadLetter): Promise<string> {
    const { sink } = letter;
    // 53 random bits: with the millisecond before it, ids of different sinks do not collide.
    const half = Buffer.from(this.#random.bytes(8)).readBigUInt64BE() >> 11n;
    const args = [itemText(letter), String(half), this.#capacity, sink];
    return String(await this.#store.run(PUSH, [this.#keys.stream(sink), this.#keys.sinks], args));
  }

  async list(sink: string | undefined, limit: number): Promise<readonly DeadLetter[]> {
    const sinks = sink === undefined ? await this.#sinks() : [sink];
    const letters = (await Promise.all(sinks.map(name => this.#read(name)))).flat();
    letters.sort(newestParkedFirst);
    return limit > 0 ? letters.slice(0, limit) : letters;
  }

  async slice(
    sink: string | undefined,
    after: { readonly id: string } | undefined,
    count: number,
  ): Promise<readonly DeadLetter[] | undefined> {
    if (after !== undefined && !ENTRY_ID.test(after.id)) return undefined;
    const sinks = sink === undefined ? await this.#sinks() : [sink];
    const end = after === undefined ? '+' : `(${after.id}`;
    const slices = await Promise.all(sinks.map(name => this.#readSlice(name, end, count)));
    return slices.flat().sort(newestFirst).slice(0, count);
  }

  async #readSlice(sink: string, end: string, count: number): Promise<readonly DeadLetter[]> {
    const letters: DeadLetter[] = [];
    for (let from = end; ; ) {
      const answer = await this.#store.call('XREVRANGE', this.#keys.stream(sink), from, '-', 'COUNT', count);
      const entries = answer as Entry[]; // of that command
      const ids = entries.map(([id]) => id);
      const last = ids.at(-1);
      if (last === undefined) return letters;
      const [states, due] = (await Promise.all([
        this.#store.call('HMGET', this.#keys.states(sink), ...ids),
        this.#store.call('ZMSCORE', this.#keys.hidden(sink), ...ids),
      ])) as [(string | null)[], (string | null)[]]; // one per id
      entries.forEach(([id, fields], index) => {
        if (due[index] === null) letters.push(readLetter(id, sink, itemOf(fields), states[index] ?? null));
      });
      // Where letters are hidden, others take their places.
      if (entries.length < count || letters.length >= count) return letters;
      from = `(${last}`;
    }
  }

  async get(id: string): Promise<DeadLetter | undefined> {
    return (await this.#find(id))?.letter;
  }

  /** A letter that is not hidden, and the state beside it. */
  async #find(
    id: string,
  ): Promise<{ readonly letter: DeadLetter; readonly state: string | null } | undefined> {
    const sink = await this.#sinkOf(id);
    if (sink === undefined) return undefined;
    const [[entry], state, due] = (await Promise.all([
      this.#store.call('XRANGE', this.#keys.stream(sink), id, id),
      this.#store.call('HGET', this.#keys.states(sink), id),
      this.#store.call('ZSCORE', this.#keys.hidden(sink), id),
    ])) as [Entry[], string | null, string | null]; // of those three commands
    if (entry === undefined || due !== null) return undefined;
    return { letter: readLetter(id, sink, itemOf(entry[1]), state), state };
  }

  async update(id: string, change: LetterChange): Promise<DeadLetter | undefined> {
    for (;;) {
      const current = await this.#find(id);
      if (current === undefined) return undefined;
      const letter = changedLetter(current.letter, change);
      const args = [id, current.state ?? '', stateText(letter)];
      const answer = await this.#store.run(UPDATE, this.#keys.ofLetter(letter.sink, id), args);
      if (answer !== -1) return answer === 1 ? letter : undefined;
    }
  }

  async hide(ids: readonly string[], ms: number): Promise<readonly string[]> {
    return hideLetters(this.#store, this.#keys, await this.#sinks(), ids, ms);
  }

  async restore(ids: readonly string[]): Promise<number> {
    return restoreLetters(this.#store, this.#keys, await this.#sinks(), ids);
  }

  async sizes(): Promise<ReadonlyMap<string, number>> {
    const sinks = await this.#sinks();
    const sizes = await Promise.all(
      sinks.map(sink => this.#store.run(SIZE, this.#keys.ofSink(sink), [SLICE])),
    );
    return new Map(sinks.map((sink, index) => [sink, Number(sizes[index])]));
  }

  async discard(id: string): Promise<boolean> {
    const sink = await this.#sinkOf(id);
    if (sink === undefined) return false;
    return (await this.#store.run(DISCARD, this.#keys.ofLetter(sink, id), [id])) === 1;
  }

  async claim(id: string): Promise<DeadLetterClaim | undefined> {
    const sink = await this.#sinkOf(id);
    if (sink === undefined) return undefined;
    const token = this.#random.uuid();
    const answer = await this.#store.run(CLAIM, this.#keys.ofLetter(sink, id), [id, token, CLAIM_MS]);
    if (answer === null) return undefined;
    const [fields, state] = answer as [string[], string | null]; // as the script says
    return this.#held(readLetter(id, sink, itemOf(fields), state), token);
  }

  #held(letter: DeadLetter, token: string): DeadLetterClaim {
    const { id, sink } = letter;
    const stop = this.#keepAlive(id, token);
    const settle = async (outcome: 'delivered' | 'failed' | 'untried', state = ''): Promise<void> => {
      stop();
      await this.#store.run(SETTLE, this.#keys.ofLetter(sink, id), [id, token, outcome, state]);
    };
    return {
      letter,
      remove: () => settle('delivered'),
      fail: failure => settle('failed', stateText({ ...letter, ...failure })),
      release: () => settle('untried'),
    };
  }

  /** Renews the claim periodically. @returns a function that stops it */
  #keepAlive(id: string, token: string): () => void {
    let timer: TimerHandle;
    const again = (): void => {
      timer = this.#clock.setTimeout(() => {
        this.#store.run(RENEW, [this.#keys.claim(id)], [token, CLAIM_MS]).catch(this.#onError);
        again();
      }, RENEW_MS);
    };
    again();
    return () => this.#clock.clearTimeout(timer);
  }

  async #read(sink: string): Promise<DeadLetter[]> {
    const [entries, flat, hidden] = (await Promise.all([
      this.#store.call('XRANGE', this.#keys.stream(sink), '-', '+'),
      this.#store.call('HGETALL', this.#keys.states(sink)),
      this.#store.call('ZRANGE', this.#keys.hidden(sink), 0, -1),
    ])) as [Entry[], string[], string[]]; // of those three commands
    const states = new Map<string, string>();
    for (let index = 0; index + 1 < flat.length; index += 2)
      states.set(flat[index] as string, flat[index + 1] as string);
    const isHidden = new Set(hidden);
    const letters = entries
      .filter(([id]) => !isHidden.has(id))
      .map(([id, fields]) => readLetter(id, sink, itemOf(fields), states.get(id) ?? null));
    await this.#forgetStates(sink, entries, states);
    return letters;
  }

  /** Drops the replay states of letters that were trimmed: those before the first entry. */
  async #forgetStates(sink: string, entries: readonly Entry[], states: Map<string, string>): Promise<void> {
    const [first] = entries;
    if (first === undefined) return;
    const trimmed = [...states.keys()].filter(id => compareIds(id, first[0]) < 0);
    if (trimmed.length > 0) await this.#store.call('HDEL', this.#keys.states(sink), ...trimmed);
  }

  async #sinks(): Promise<string[]> {
    const names = (await this.#store.call('SMEMBERS', this.#keys.sinks)) as string[]; // a set of texts
    return [...new Set([...names, ...this.#knownSinks()])];
  }

  /** The sink of the stream that contains the id. */
  async #sinkOf(id: string): Promise<string | undefined> {
    if (!ENTRY_ID.test(id)) return undefined;
    const sinks = await this.#sinks();
    const entries = await Promise.all(
      sinks.map(sink => this.#store.call('XRANGE', this.#keys.stream(sink), id, id)),
    );
    return sinks.find((_, index) => (entries[index] as Entry[]).length > 0);
  }
}
