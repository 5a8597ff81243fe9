import type { Clock, Random, TimerHandle } from '@msg/foundation/clock';
import { lua } from '@msg/redis';
import type { SharedStore } from '../../../stores/redis/shared-store.ts';
import type { DeadLetter, DeadLetterClaim, DeadLetterQueue, NewDeadLetter } from '../contract.ts';
import { DEAD_LETTERS_PER_SINK } from '../memory.ts';
import { itemText, readLetter, stateText } from './stored-letter.ts';

const PUSH = lua('./push.lua', import.meta.url);
const CLAIM = lua('./claim.lua', import.meta.url);
const RENEW = lua('./renew.lua', import.meta.url);
const SETTLE = lua('./settle.lua', import.meta.url);
const DISCARD = lua('./discard.lua', import.meta.url);

/** Lifetime of a claim whose holder stopped renewing it. */
const CLAIM_MS = 30_000;
const RENEW_MS = CLAIM_MS / 3;

const ENTRY_ID = /^\d{1,19}-\d{1,19}$/;

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

/** A stream entry: its id, and its fields and values in turn. */
type Entry = readonly [string, readonly string[]];

function itemOf(fields: readonly string[]): string {
  return fields[fields.indexOf('item') + 1] ?? '';
}

/** Order of the ids in a stream. */
function compareIds(a: string, b: string): number {
  const [aTime = '', aHalf = ''] = a.split('-');
  const [bTime = '', bHalf = ''] = b.split('-');
  const difference = BigInt(aTime) - BigInt(bTime) || BigInt(aHalf) - BigInt(bHalf);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

function newestFirst(a: DeadLetter, b: DeadLetter): number {
  return b.parkedAt - a.parkedAt || compareIds(b.id, a.id);
}

/**
 * The queue that all nodes share: one stream per sink, trimmed to about its capacity. The result of a failed replay is
 * stored beside the stream, because stream entries are immutable. A claim is a key that its holder renews. Source:
 * messaging details 12.3 and section 18.
 */
export class RedisDeadLetterQueue implements DeadLetterQueue {
  readonly #store: SharedStore;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #capacity: number;
  readonly #knownSinks: () => readonly string[];
  readonly #onError: (error: unknown) => void;

  constructor(options: RedisDeadLetterQueueOptions) {
    this.#store = options.store;
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
    return String(await this.#store.run(PUSH, [this.#stream(sink), this.#sinkNames()], args));
  }

  async list(sink: string | undefined, limit: number): Promise<readonly DeadLetter[]> {
    const sinks = sink === undefined ? await this.#sinks() : [sink];
    const letters = (await Promise.all(sinks.map(name => this.#read(name)))).flat();
    letters.sort(newestFirst);
    return limit > 0 ? letters.slice(0, limit) : letters;
  }

  async sizes(): Promise<ReadonlyMap<string, number>> {
    const sinks = await this.#sinks();
    const sizes = await Promise.all(sinks.map(sink => this.#store.call('XLEN', this.#stream(sink))));
    return new Map(sinks.map((sink, index) => [sink, Number(sizes[index])]));
  }

  async discard(id: string): Promise<boolean> {
    const sink = await this.#sinkOf(id);
    if (sink === undefined) return false;
    return (await this.#store.run(DISCARD, this.#keysOf(sink, id), [id])) === 1;
  }

  async claim(id: string): Promise<DeadLetterClaim | undefined> {
    const sink = await this.#sinkOf(id);
    if (sink === undefined) return undefined;
    const token = this.#random.uuid();
    const answer = await this.#store.run(CLAIM, this.#keysOf(sink, id), [id, token, CLAIM_MS]);
    if (answer === null) return undefined;
    const [fields, state] = answer as [string[], string | null]; // as the script says
    return this.#held(readLetter(id, sink, itemOf(fields), state), token);
  }

  #held(letter: DeadLetter, token: string): DeadLetterClaim {
    const { id, sink } = letter;
    const stop = this.#keepAlive(id, token);
    const settle = async (outcome: 'delivered' | 'failed' | 'untried', state = ''): Promise<void> => {
      stop();
      await this.#store.run(SETTLE, this.#keysOf(sink, id), [id, token, outcome, state]);
    };
    return {
      letter,
      remove: () => settle('delivered'),
      fail: failure => settle('failed', stateText(failure)),
      release: () => settle('untried'),
    };
  }

  /** Renews the claim periodically. @returns a function that stops it */
  #keepAlive(id: string, token: string): () => void {
    let timer: TimerHandle;
    const again = (): void => {
      timer = this.#clock.setTimeout(() => {
        this.#store.run(RENEW, [this.#claimKey(id)], [token, CLAIM_MS]).catch(this.#onError);
        again();
      }, RENEW_MS);
    };
    again();
    return () => this.#clock.clearTimeout(timer);
  }

  async #read(sink: string): Promise<DeadLetter[]> {
    const [entries, flat] = (await Promise.all([
      this.#store.call('XRANGE', this.#stream(sink), '-', '+'),
      this.#store.call('HGETALL', this.#states(sink)),
    ])) as [Entry[], string[]]; // of those two commands
    const states = new Map<string, string>();
    for (let index = 0; index + 1 < flat.length; index += 2)
      states.set(flat[index] as string, flat[index + 1] as string);
    const letters = entries.map(([id, fields]) =>
      readLetter(id, sink, itemOf(fields), states.get(id) ?? null),
    );
    await this.#forgetStates(sink, entries, states);
    return letters;
  }

  /** Drops the replay states of letters that were trimmed: those before the first entry. */
  async #forgetStates(sink: string, entries: readonly Entry[], states: Map<string, string>): Promise<void> {
    const [first] = entries;
    if (first === undefined) return;
    const trimmed = [...states.keys()].filter(id => compareIds(id, first[0]) < 0);
    if (trimmed.length > 0) await this.#store.call('HDEL', this.#states(sink), ...trimmed);
  }

  async #sinks(): Promise<string[]> {
    const names = (await this.#store.call('SMEMBERS', this.#sinkNames())) as string[]; // a set of texts
    return [...new Set([...names, ...this.#knownSinks()])];
  }

  /** The sink of the stream that contains the id. */
  async #sinkOf(id: string): Promise<string | undefined> {
    if (!ENTRY_ID.test(id)) return undefined;
    const sinks = await this.#sinks();
    const entries = await Promise.all(
      sinks.map(sink => this.#store.call('XRANGE', this.#stream(sink), id, id)),
    );
    return sinks.find((_, index) => (entries[index] as Entry[]).length > 0);
  }

  #keysOf(sink: string, id: string): string[] {
    return [this.#stream(sink), this.#states(sink), this.#claimKey(id)];
  }

  #stream(sink: string): string {
    return this.#store.key(`dlq:${sink}`);
  }

  #states(sink: string): string {
    return this.#store.key(`dlqstate:${sink}`);
  }

  #claimKey(id: string): string {
    return this.#store.key(`dlqclaim:${id}`);
  }

  #sinkNames(): string {
    return this.#store.key('dlqsinks');
  }
}
