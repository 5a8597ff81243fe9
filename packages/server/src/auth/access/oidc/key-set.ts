import type { Clock } from '@msg/foundation/clock';
import { isRecord } from '@msg/foundation/json';
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';

/** Minimum time between two fetches of the key set, however many unknown keys callers name. */
const MIN_REFETCH_MS = 10_000;
/** Maximum age of the key set: it is then fetched again, so that withdrawn keys stop verifying. */
const MAX_AGE_MS = 10 * 60_000;

export interface ProviderKeysOptions {
  readonly clock: Clock;
  /** GETs the document of the key set. */
  readonly fetchKeys: () => Promise<unknown>;
  /** The key set could not be fetched; the previous keys, if any, stay in use. */
  readonly onFailed: (error: unknown) => void;
}

function isKeySet(value: unknown): value is JSONWebKeySet {
  return isRecord(value) && Array.isArray(value['keys']);
}

/**
 * The identity provider's public keys, cached. An unknown key causes one fetch, at most every 10 s. Source: messaging
 * details, section 9.
 */
export class ProviderKeys {
  readonly #options: ProviderKeysOptions;
  #keys: JWTVerifyGetKey | undefined;
  /** Start of the last fetch, monotonic time. */
  #triedAt = Number.NEGATIVE_INFINITY;
  #fetchedAt = Number.NEGATIVE_INFINITY;
  #fetching: Promise<void> | null = null;

  constructor(options: ProviderKeysOptions) {
    this.#options = options;
  }

  /** The key of a token header, for `jose`. @throws jose's JWKSNoMatchingKey */
  readonly resolve: JWTVerifyGetKey = async (header, token) => {
    const now = this.#options.clock.monotonic();
    if (now - this.#fetchedAt > MAX_AGE_MS) await this.#refetch(now);
    try {
      return await this.#require()(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey) || !(await this.#refetch(now))) throw error;
      return this.#require()(header, token);
    }
  };

  #require(): JWTVerifyGetKey {
    if (this.#keys === undefined) throw new errors.JWKSNoMatchingKey();
    return this.#keys;
  }

  /** Fetches the key set unless it was just fetched; true after a fetch. */
  async #refetch(now: number): Promise<boolean> {
    if (this.#fetching === null) {
      if (now - this.#triedAt < MIN_REFETCH_MS) return false;
      this.#triedAt = now;
      this.#fetching = this.#fetch(now).finally(() => {
        this.#fetching = null;
      });
    }
    await this.#fetching;
    return true;
  }

  async #fetch(now: number): Promise<void> {
    try {
      const document = await this.#options.fetchKeys();
      if (!isKeySet(document)) throw new Error('the key set has no keys');
      this.#keys = createLocalJWKSet(document);
      this.#fetchedAt = now;
    } catch (error) {
      this.#options.onFailed(error);
    }
  }
}
