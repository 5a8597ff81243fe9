import { timingSafeEqual } from 'node:crypto';
import { MsgError, type Role } from '@msg/core';
import type { Clock } from '@msg/foundation/clock';
import { defined } from '@msg/foundation/json';
import { LabelledCounter } from '../../observability/counters.ts';
import { errorFields, type Logger } from '../../observability/logger.ts';
import { Periodic } from '../../timers/periodic.ts';
import type { VerifiedToken } from '../tokens/claims.ts';
import { InvalidTokenError } from '../tokens/invalid-token.ts';
import { type ApiKeyOptions, readDeclared } from './declared.ts';
import { ApiKeySet, type LiveSecret, type SecretUseOf } from './key-set.ts';
import type { ApiKeyGrant, ApiKeyRecord } from './record.ts';
import { digestOf } from './secret.ts';
import type { ApiKeyStore, StoredApiKey } from './store/contract.ts';

/** How often the store is polled: a key that another process revoked is refused within 5 s. */
const POLL_MS = 2000;

/** Replaces an unknown secret, so that the check takes the same time as for a known one. */
const NO_SECRET: Pick<LiveSecret, 'name' | 'digest' | 'endsAtMs'> = {
  name: '',
  digest: Buffer.alloc(32),
  endsAtMs: 0,
};

/** A key without its texts. Times are Unix milliseconds. */
export interface ApiKeySummary {
  readonly name: string;
  /** True for a key of the options or the configuration file, which calls cannot change. */
  readonly declared: boolean;
  readonly role: Role;
  readonly grants: readonly ApiKeyGrant[];
  /** Absent: never. */
  readonly expiresAtMs?: number;
  /** At most three, the oldest first. */
  readonly secrets: readonly {
    /** The id in the text of a generated key; empty for other keys. */
    readonly id: string;
    /** Absent: with the key. */
    readonly expiresAtMs?: number;
    /** Last call with the secret that this process served; absent: none. */
    readonly lastUsedMs?: number;
  }[];
}

/** Returns the declared keys of this moment. */
export type ApiKeyReader = () => readonly ApiKeyOptions[] | Promise<readonly ApiKeyOptions[]>;

export interface ApiKeysOptions {
  readonly declared: readonly ApiKeyOptions[];
  /** Reads the declared keys at each reload; absent: they stay. */
  readonly reread?: ApiKeyReader;
  /** Store of created keys; absent: keys cannot be created. */
  readonly store?: ApiKeyStore;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * The API keys of a service: declared keys, and created keys in a store that other processes write to as well. A declared
 * key has precedence over a created key of the same name. Source: the application developer's side, section 1.
 */
export class ApiKeys {
  /** Calls by name and `ok` or `expired`; `unknown` has no name. */
  readonly requests = new LabelledCounter();
  readonly store: ApiKeyStore | undefined;
  readonly #options: ApiKeysOptions;
  readonly #periodic: Periodic | undefined;
  /** Buffer for the digest that is compared. */
  readonly #presented = Buffer.alloc(32);
  #declared: readonly ApiKeyRecord[] = [];
  #stored: readonly StoredApiKey[] = [];
  #set = new ApiKeySet([]);
  readonly #afterChange = new Set<() => Promise<void>>();
  /** The keys that others know of. */
  #announced = '';
  /** The last poll of the store failed: further failures are not reported. */
  #storeFails = false;

  private constructor(options: ApiKeysOptions) {
    const { store, clock } = options;
    this.#options = options;
    this.store = store?.canChange === false ? undefined : store;
    this.#periodic =
      store &&
      new Periodic(
        clock,
        POLL_MS,
        () => this.refresh(),
        error => this.#storeFailed(error),
      );
  }

  /**
   * Reads the declared keys and the store.
   * @throws MsgError MSG_INVALID_ARGUMENT for an invalid declared key, ApiKeyFormatError for a store that cannot be read
   */
  static async open(options: ApiKeysOptions): Promise<ApiKeys> {
    const keys = new ApiKeys(options);
    keys.#declare(options.declared);
    await keys.refresh();
    return keys;
  }

  /** Waits for the callback in each change, before the change is answered. */
  afterChange(listener: () => Promise<void>): void {
    this.#afterChange.add(listener);
  }

  /** The declared keys. */
  get declared(): readonly ApiKeyRecord[] {
    return this.#declared;
  }

  /** The created keys, as the store was read last. */
  get stored(): readonly StoredApiKey[] {
    return this.#stored;
  }

  /** Number of known secrets. */
  get size(): number {
    return this.#set.size;
  }

  /** All keys, declared ones first. */
  get records(): readonly ApiKeyRecord[] {
    return this.#set.records;
  }

  /** All keys without their texts, declared ones first. */
  list(): readonly ApiKeySummary[] {
    const uses = new Map([...this.#set.secrets()].map(({ name, slot, use }) => [`${name} ${slot}`, use]));
    return this.records.map(({ name, role, grants, expiresAtMs, secrets }) =>
      defined({
        name,
        declared: this.isDeclared(name),
        role,
        grants,
        expiresAtMs,
        secrets: secrets.map(({ id, expiresAtMs: end }, slot) =>
          defined({ id, expiresAtMs: end, lastUsedMs: uses.get(`${name} ${slot}`)?.lastUsedMs || undefined }),
        ),
      }),
    );
  }

  /** The secrets that this thread has seen used. */
  uses(): readonly SecretUseOf[] {
    return this.#set.uses();
  }

  /** Notes uses that other threads have seen. */
  raiseUses(uses: readonly SecretUseOf[]): void {
    this.#set.raise(uses);
  }

  isDeclared(name: string): boolean {
    return this.#declared.some(key => key.name === name);
  }

  /** The secrets, with their last use by this process. */
  secrets(): Iterable<LiveSecret> {
    return this.#set.secrets();
  }

  /**
   * The management bearer of a key, or why the key is invalid. Known and unknown keys take the same steps.
   * @throws MsgError MSG_BROKER_NOT_READY while another thread's change is taken over
   */
  check(text: string): VerifiedToken | InvalidTokenError {
    if (this.#options.store?.isCurrent?.(this.#stored) === false)
      throw new MsgError('MSG_BROKER_NOT_READY', 'the API keys are being renewed', { retryAfterMs: 1000 });
    const sha256 = digestOf(text);
    const secret = this.#set.find(sha256);
    const { name, digest, endsAtMs } = secret ?? NO_SECRET;
    this.#presented.write(sha256, 'hex');
    const isRight = timingSafeEqual(this.#presented, digest);
    const now = this.#options.clock.now();
    if (!isRight || secret === undefined) {
      this.requests.add('', 'unknown');
      return new InvalidTokenError('MSG_AUTH_DENIED', undefined, true, 'the API key is not valid');
    }
    if (now >= endsAtMs) {
      this.requests.add(name, 'expired');
      return new InvalidTokenError('MSG_AUTH_EXPIRED', undefined, true, 'the API key expired');
    }
    this.requests.add(name, 'ok');
    secret.use.lastUsedMs = now;
    return secret.bearer;
  }

  /** Reads the store again. Rejects, and keeps the current keys, when that fails. */
  async refresh(): Promise<void> {
    const { store } = this.#options;
    if (store === undefined) return;
    this.#stored = await store.load();
    this.#storeFails = false;
    if (store.declared !== undefined) this.#declared = store.declared;
    this.#rebuild();
    await this.#announce();
  }

  /** Reads the declared keys and the store again; a failure is logged, and the current keys stay. */
  async reload(): Promise<void> {
    const { logger, declared, reread } = this.#options;
    try {
      this.#declare(reread === undefined ? declared : await reread());
      logger.info({ keys: this.#declared.length }, 'api keys reloaded');
    } catch (error) {
      logger.warn(errorFields(error), 'api keys could not be reloaded, the old ones stay');
    }
    await this.refresh().catch(error => this.#storeFailed(error));
    await this.#announce(); // a service without a store has declared keys, too
  }

  start(): void {
    this.#periodic?.start();
  }

  async stop(): Promise<void> {
    await this.#periodic?.stop();
  }

  #declare(declared: readonly ApiKeyOptions[]): void {
    const { records, weak } = readDeclared(declared);
    for (const name of weak) this.#options.logger.warn({ name }, `weak api key "${name}"`);
    this.#declared = records;
    this.#rebuild();
  }

  async #announce(): Promise<void> {
    if (this.#afterChange.size === 0) return;
    const content = JSON.stringify([this.#declared, this.#stored]);
    if (content === this.#announced) return;
    this.#announced = content;
    await Promise.all([...this.#afterChange].map(listener => listener()));
  }

  #rebuild(): void {
    const created = this.#stored.filter(({ name }) => !this.isDeclared(name));
    this.#set = new ApiKeySet([...this.#declared, ...created], this.#set);
  }

  #storeFailed(error: unknown): void {
    if (!this.#storeFails)
      this.#options.logger.warn(errorFields(error), 'the stored api keys could not be read');
    this.#storeFails = true;
  }
}
