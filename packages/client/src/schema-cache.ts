import type { ChannelPattern, SchemaChange, SchemaSnapshot } from '@msg/core';
import { MsgError } from '@msg/core';
import { SCHEMA_CHANNEL } from '@msg/core/internal';
import type { Centrifuge, Subscription } from 'centrifuge';
import { addressOf } from './address.ts';
import { fetchRecord } from './http.ts';
import type { Fetch } from './platform.ts';

const TIMEOUT_MS = 10_000;
/** How long a fetch waits for the broadcast: a fetch before the subscription would have to be repeated. */
const SUBSCRIBED_MS = 1000;
/** Attempts of a fetch while changes arrive during it. */
const ATTEMPTS = 3;

interface Registry {
  readonly patterns: Map<string, ChannelPattern>;
  at: string;
}

/**
 * The schema registry, fetched once and updated by its broadcast; fetched again when a change may have been missed, or
 * arrived during the fetch. After the last attempt the answer is returned but not cached. Source: messaging details 14.3,
 * 20.
 */
export class SchemaCache {
  readonly #fetch: Fetch;
  readonly #endpoint: string;
  #known: Registry | null = null;
  #loading: Promise<Registry> | null = null;
  #broadcast: Subscription | null = null;
  #lastOffset = 0;
  /** Incremented by every change and every gap, which an earlier fetch may lack. */
  #generation = 0;

  constructor(fetch: Fetch, endpoint: string) {
    this.#fetch = fetch;
    this.#endpoint = endpoint;
  }

  /** The current registry. @throws MsgError MSG_BROKER_NOT_READY, MSG_INTERNAL when it cannot be fetched */
  async snapshot(stock: Centrifuge): Promise<SchemaSnapshot> {
    this.#broadcast ??= this.#follow(stock);
    const { patterns, at } = this.#known ?? (await this.#load(this.#broadcast));
    return { patterns: [...patterns.values()].sort((a, b) => (a.pattern < b.pattern ? -1 : 1)), at };
  }

  #follow(stock: Centrifuge): Subscription {
    const subscription = stock.getSubscription(SCHEMA_CHANNEL) ?? stock.newSubscription(SCHEMA_CHANNEL);
    subscription.on('subscribed', ({ recovered, streamPosition }) => {
      if (recovered) return;
      if (streamPosition !== undefined) this.#lastOffset = streamPosition.offset;
      this.#forget();
    });
    subscription.on('publication', ({ data, offset }) => {
      if (offset !== undefined) {
        const isNext = offset === this.#lastOffset + 1;
        this.#lastOffset = offset;
        if (!isNext) return this.#forget();
      }
      this.#apply(data as SchemaChange); // the form of the broadcast
    });
    subscription.subscribe();
    return subscription;
  }

  /** Drops the cache: the next call fetches everything. */
  #forget(): void {
    this.#generation++;
    this.#known = null;
  }

  #apply({ kind, pattern, schema, at }: SchemaChange): void {
    this.#generation++;
    if (this.#known === null) return;
    if (kind === 'deregistered') this.#known.patterns.delete(pattern);
    else if (schema !== undefined) this.#known.patterns.set(pattern, schema);
    this.#known.at = at;
  }

  #load(broadcast: Subscription): Promise<Registry> {
    this.#loading ??= this.#fetchCurrent(broadcast).finally(() => {
      this.#loading = null;
    });
    return this.#loading;
  }

  async #fetchCurrent(broadcast: Subscription): Promise<Registry> {
    // The registry is fetched even without the broadcast.
    await broadcast.ready(SUBSCRIBED_MS).catch(() => {});
    for (let attempt = 1; ; attempt++) {
      const generation = this.#generation;
      const registry = await this.#fetchAll();
      const isCurrent = generation === this.#generation;
      if (isCurrent) this.#known = registry;
      if (isCurrent || attempt === ATTEMPTS) return registry;
    }
  }

  async #fetchAll(): Promise<Registry> {
    const url = addressOf(this.#endpoint, 'msg/schemas');
    const { patterns, at } = await fetchRecord(this.#fetch, url, TIMEOUT_MS);
    if (!Array.isArray(patterns)) throw new MsgError('MSG_INTERNAL', '/msg/schemas cannot be read');
    return {
      patterns: new Map((patterns as ChannelPattern[]).map(schema => [schema.pattern, schema])),
      at: typeof at === 'string' ? at : '',
    };
  }
}
