import type { ChannelPattern, SchemaChange, SchemaSnapshot } from '@msg/core';
import { MsgError, SCHEMA_CHANNEL } from '@msg/core';
import type { Centrifuge } from 'centrifuge';
import { exchange, httpBase, isRecord } from './http.ts';
import type { Fetch } from './surroundings.ts';

const TIMEOUT_MS = 10_000;

/**
 * The schema registry, fetched once and kept up to date by its broadcast; fetched again when a change may have been
 * missed. Source: messaging details 14.3, 20.
 */
export class SchemaCache {
  readonly #fetch: Fetch;
  readonly #endpoint: string;
  #patterns: Map<string, ChannelPattern> | null = null;
  #at = '';
  #loading: Promise<void> | null = null;
  #isFollowing = false;
  #lastOffset = 0;

  constructor(fetch: Fetch, endpoint: string) {
    this.#fetch = fetch;
    this.#endpoint = endpoint;
  }

  /** The registry as it is known. @throws MsgError MSG_BROKER_NOT_READY, MSG_INTERNAL when it cannot be fetched. */
  async snapshot(stock: Centrifuge): Promise<SchemaSnapshot> {
    this.#follow(stock);
    if (this.#patterns === null) await this.#load();
    const patterns = [...(this.#patterns ?? new Map<string, ChannelPattern>()).values()];
    return { patterns: patterns.sort((a, b) => (a.pattern < b.pattern ? -1 : 1)), at: this.#at };
  }

  #follow(stock: Centrifuge): void {
    if (this.#isFollowing) return;
    this.#isFollowing = true;
    const subscription = stock.getSubscription(SCHEMA_CHANNEL) ?? stock.newSubscription(SCHEMA_CHANNEL);
    subscription.on('subscribed', ({ recovered, wasRecovering, streamPosition }) => {
      if (streamPosition !== undefined && !recovered) this.#lastOffset = streamPosition.offset;
      if (wasRecovering && !recovered) this.#forget();
    });
    subscription.on('publication', ({ data, offset }) => {
      if (offset !== undefined) {
        const isNext = offset === this.#lastOffset + 1;
        this.#lastOffset = offset;
        if (!isNext) return this.#forget();
      }
      this.#apply(data as SchemaChange); // the broadcast's own form
    });
    subscription.subscribe();
  }

  /** The next question fetches everything. */
  #forget(): void {
    this.#patterns = null;
  }

  #apply({ kind, pattern, schema, at }: SchemaChange): void {
    if (this.#patterns === null) return;
    if (kind === 'deregistered') this.#patterns.delete(pattern);
    else if (schema !== undefined) this.#patterns.set(pattern, schema);
    this.#at = at;
  }

  #load(): Promise<void> {
    this.#loading ??= this.#fetchAll().finally(() => {
      this.#loading = null;
    });
    return this.#loading;
  }

  async #fetchAll(): Promise<void> {
    const { status, body } = await exchange(
      this.#fetch,
      `${httpBase(this.#endpoint)}/msg/schemas`,
      TIMEOUT_MS,
    );
    const patterns = isRecord(body) ? body['patterns'] : undefined;
    if (status !== 200 || !Array.isArray(patterns)) {
      throw new MsgError(
        status === 200 ? 'MSG_INTERNAL' : 'MSG_BROKER_NOT_READY',
        `/msg/schemas answered ${status}`,
      );
    }
    const { at } = body as { at?: unknown };
    this.#at = typeof at === 'string' ? at : '';
    this.#patterns = new Map((patterns as ChannelPattern[]).map(schema => [schema.pattern, schema]));
  }
}
