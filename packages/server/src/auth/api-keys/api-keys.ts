import { timingSafeEqual } from 'node:crypto';
import type { Clock } from '@msg/foundation/clock';
import { LabelledCounter } from '../../observability/counters.ts';
import { errorFields, type Logger } from '../../observability/logger.ts';
import { Periodic } from '../../service/periodic.ts';
import type { VerifiedToken } from '../tokens/claims.ts';
import { InvalidTokenError } from '../tokens/refusal.ts';
import { type ApiKeyOptions, readDeclared } from './declared.ts';
import { ApiKeySet, type LiveSecret } from './key-set.ts';
import type { ApiKeyRecord } from './record.ts';
import { digestOf } from './secret.ts';
import type { ApiKeyStore, StoredApiKey } from './store/contract.ts';

/** A key that another process revoked is refused within 5 s (the time of asking included). */
const POLL_MS = 2000;

/** Stands for a secret that is not known: it takes the same way as one that is. */
const NO_SECRET: Pick<LiveSecret, 'name' | 'digest' | 'endsAtMs'> = {
  name: '',
  digest: Buffer.alloc(32),
  endsAtMs: 0,
};

/** Answers the declared keys of this moment. */
export type ApiKeyReader = () => readonly ApiKeyOptions[] | Promise<readonly ApiKeyOptions[]>;

export interface ApiKeysOptions {
  readonly declared: readonly ApiKeyOptions[];
  /** Asked at each reload; absent: the declared keys stay. */
  readonly reread?: ApiKeyReader;
  /** Where created keys are kept; absent: none can be created. */
  readonly store?: ApiKeyStore;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * The API keys of a service: those that are declared, and those that were created and are kept in a store which other
 * processes write to as well. Of two with one name the declared one counts. Source: the application developer's side,
 * section 1.
 */
export class ApiKeys {
  /** Calls by name and `ok` or `expired`; `unknown` has no name. */
  readonly requests = new LabelledCounter();
  readonly store: ApiKeyStore | undefined;
  readonly #options: ApiKeysOptions;
  readonly #periodic: Periodic | undefined;
  /** The digest that is compared. */
  readonly #presented = Buffer.alloc(32);
  #declared: readonly ApiKeyRecord[] = [];
  #stored: readonly StoredApiKey[] = [];
  #set = new ApiKeySet([]);
  /** The store failed last time: it is reported once. */
  #storeFails = false;

  private constructor(options: ApiKeysOptions) {
    const { store, clock } = options;
    this.#options = options;
    this.store = store;
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
   * @throws MsgError MSG_INVALID_ARGUMENT for a key that is declared wrongly, ApiKeyFormatError for a store that cannot be
   * read.
   */
  static async open(options: ApiKeysOptions): Promise<ApiKeys> {
    const keys = new ApiKeys(options);
    keys.#declare(options.declared);
    await keys.refresh();
    return keys;
  }

  /** Secrets that are known. */
  get size(): number {
    return this.#set.size;
  }

  /** The keys there are, declared ones first. */
  get records(): readonly ApiKeyRecord[] {
    return this.#set.records;
  }

  isDeclared(name: string): boolean {
    return this.#declared.some(key => key.name === name);
  }

  /** The secrets, with their use by this process. */
  secrets(): Iterable<LiveSecret> {
    return this.#set.secrets();
  }

  /** The management bearer that a text stands for, or why not. Known or not, the same is done. */
  check(text: string): VerifiedToken | InvalidTokenError {
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

  /** Reads the store again. Rejects, and keeps what it has, when that fails. */
  async refresh(): Promise<void> {
    const { store } = this.#options;
    if (store === undefined) return;
    this.#stored = await store.load();
    this.#storeFails = false;
    this.#rebuild();
  }

  /** Reads the declared keys again, and the store; what fails is logged and stays as it was. */
  async reload(): Promise<void> {
    const { logger, declared, reread } = this.#options;
    try {
      this.#declare(reread === undefined ? declared : await reread());
      logger.info({ keys: this.#declared.length }, 'api keys reloaded');
    } catch (error) {
      logger.warn(errorFields(error), 'api keys could not be reloaded, the old ones stay');
    }
    await this.refresh().catch(error => this.#storeFailed(error));
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
