import { BodyReader, type LinkEnd } from '@msg/engine/threads';
import type { ChannelRecord } from '../../channels/record.ts';
import type { ChannelRegistry } from '../../channels/registry/contract.ts';
import { noteActivity } from '../../channels/registry/uses.ts';
import type { DeadLetterClaim, DeadLetterQueue } from '../../notify/dead-letters/contract.ts';
import {
  ASKED,
  type AskedStore,
  type ClaimEnd,
  type HeldClaim,
  type Question,
  type SliceArguments,
  StoreCall,
  StoreKind,
} from './calls.ts';
import { answerHotQuestions, type HotStores } from './hot-records.ts';

/** The stores of main, as one thread uses them. */
export type ServedStores = Readonly<Partial<Record<AskedStore, object>>> &
  HotStores & {
    readonly registry: ChannelRegistry;
    readonly deadLetters: DeadLetterQueue;
  };

/** What main holds for one thread: rights to replay letters, and listings that have begun. */
export class ServedThread {
  readonly #stores: ServedStores;
  readonly #onError: (error: unknown) => void;
  readonly #claims = new Map<number, DeadLetterClaim>();
  readonly #slices = new Map<number, AsyncIterator<readonly ChannelRecord[]>>();
  #number = 0;

  /** Serves the stores to a thread through its link. */
  constructor(link: LinkEnd, stores: ServedStores, onError: (error: unknown) => void) {
    this.#stores = stores;
    this.#onError = onError;
    answerHotQuestions(link, stores);
    link.handleCall(StoreCall.ask, (question: Question) => this.#answer(question));
    link.handleCall(StoreCall.slice, (slice: SliceArguments) => this.#slice(slice));
    link.handleCall(StoreCall.endSlices, (cursor: number) => this.#endSlices(cursor));
    link.handleCall(StoreCall.claim, (id: string) => this.#claim(id));
    link.handleCall(StoreCall.endClaim, (end: ClaimEnd) => this.#endClaim(end));
    link.handle(StoreKind.activity, body => void this.#note(new BodyReader(body).text()));
  }

  /** The thread has ended: what it held is given back. */
  async end(): Promise<void> {
    const ends = [
      ...[...this.#claims.values()].map(claim => claim.release()),
      ...[...this.#slices.keys()].map(cursor => this.#endSlices(cursor)),
    ];
    this.#claims.clear();
    for (const end of await Promise.allSettled(ends))
      if (end.status === 'rejected') this.#onError(end.reason);
  }

  async #answer({ store, method, args }: Question): Promise<unknown> {
    const target = this.#stores[store];
    const operation: unknown = target === undefined ? undefined : Reflect.get(target, method);
    const operations: readonly string[] = ASKED[store];
    if (!operations.includes(method) || typeof operation !== 'function')
      throw new TypeError(`main has not the operation ${store}.${method}`);
    return Reflect.apply(operation, target, args);
  }

  async #note(name: string): Promise<void> {
    try {
      await noteActivity(this.#stores.registry, name);
    } catch (error) {
      this.#onError(error);
    }
  }

  async #slice({ cursor, most }: SliceArguments) {
    const slices = this.#slices.get(cursor) ?? slicesOf(this.#stores.registry, most)[Symbol.asyncIterator]();
    const { done = false, value } = await slices.next();
    if (done) {
      this.#slices.delete(cursor);
      return { cursor: 0, records: [] };
    }
    const next = cursor === 0 ? ++this.#number : cursor;
    this.#slices.set(next, slices);
    return { cursor: next, records: value };
  }

  async #endSlices(cursor: number): Promise<void> {
    const slices = this.#slices.get(cursor);
    this.#slices.delete(cursor);
    await slices?.return?.();
  }

  async #claim(id: string): Promise<HeldClaim | undefined> {
    const claim = await this.#stores.deadLetters.claim(id);
    if (claim === undefined) return undefined;
    const number = ++this.#number;
    this.#claims.set(number, claim);
    return { number, letter: claim.letter };
  }

  async #endClaim({ number, end }: ClaimEnd): Promise<void> {
    const claim = this.#claims.get(number);
    this.#claims.delete(number);
    if (end === 'remove') await claim?.remove();
    else if (end === 'release') await claim?.release();
    else await claim?.fail(end);
  }
}

/** The records of a registry; one without slices answers all at once. */
async function* slicesOf(registry: ChannelRegistry, most: number): AsyncGenerator<readonly ChannelRecord[]> {
  if (registry.slices !== undefined) {
    yield* registry.slices(most);
    return;
  }
  const records = await registry.list();
  for (let start = 0; start < records.length; start += most) yield records.slice(start, start + most);
}
