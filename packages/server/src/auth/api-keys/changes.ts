import { MsgError } from '@msg/core';
import type { Clock, Random } from '@msg/foundation/clock';
import { defined } from '@msg/foundation/json';
import { requireRole } from '../tokens/management.ts';
import type { ApiKeys } from './api-keys.ts';
import { requireGrants, requireKeyName } from './declared.ts';
import { type ApiKeyGrant, type ApiKeySecret, DEFAULT_ROLE } from './record.ts';
import { digestOf, generateKeyText, MAX_SECRETS } from './secret.ts';
import type { ApiKeyStore, StoredApiKey } from './store/contract.ts';

/** Attempts of a change on a store that others write to. */
const MAX_ATTEMPTS = 8;
const REVISION_BYTES = 6;
/** Default time for which the previous secrets stay valid after a rotation. */
const DEFAULT_OVERLAP_MS = 86_400_000;

/** A new key; its text is shown once. */
export interface CreatedApiKey {
  readonly name: string;
  readonly key: string;
  readonly id: string;
}

export interface NewApiKey {
  readonly name: string;
  /** Empty: `admin`. */
  readonly role: string;
  readonly grants: readonly ApiKeyGrant[];
  /** 0: without an end. */
  readonly ttlMs: number;
}

export interface ApiKeyChangesOptions {
  readonly keys: ApiKeys;
  readonly clock: Pick<Clock, 'now'>;
  readonly random: Random;
}

/** A change of a key: returns the new record, or undefined to remove the key. */
type Change = (key: StoredApiKey) => StoredApiKey | undefined;

/**
 * Creates, rotates and revokes keys while the service runs. Methods reject with MsgError MSG_INVALID_ARGUMENT for an
 * invalid request, for a declared name, and without a store.
 */
export class ApiKeyChanges {
  readonly #keys: ApiKeys;
  readonly #clock: ApiKeyChangesOptions['clock'];
  readonly #random: Random;

  constructor({ keys, clock, random }: ApiKeyChangesOptions) {
    this.#keys = keys;
    this.#clock = clock;
    this.#random = random;
  }

  async create({ name, role: asked, grants, ttlMs }: NewApiKey): Promise<CreatedApiKey> {
    requireKeyName(name, 'name');
    const role = asked === '' ? DEFAULT_ROLE : asked;
    requireRole(role);
    requireGrants(grants, 'grants');
    if (ttlMs < 0) throw invalid(`ttl_seconds must be 0 or more; got ${ttlMs / 1000}`);
    const store = this.#storeFor(name);
    const { text, id, secret } = this.#newSecret();
    const createdAtMs = this.#clock.now();
    const expiresAtMs = ttlMs === 0 ? undefined : createdAtMs + ttlMs;
    const key = { name, revision: this.#newRevision(), createdAtMs, role, grants, secrets: [secret] };
    const isNew = await store.replace(name, undefined, { ...key, ...defined({ expiresAtMs }) });
    if (!isNew) throw invalid(`api key "${name}" is already used; rotate or revoke it`);
    await this.#keys.refresh();
    return { name, key: text, id };
  }

  /** Adds a secret and ends the others after the overlap. */
  async rotate(name: string, overlapMs = DEFAULT_OVERLAP_MS): Promise<CreatedApiKey> {
    if (overlapMs < 0) throw invalid(`overlap_seconds must be 0 or more; got ${overlapMs / 1000}`);
    const { text, id, secret } = this.#newSecret();
    const now = this.#clock.now();
    await this.#change(name, key => {
      const others = key.secrets
        .map(other => ({
          ...other,
          expiresAtMs: Math.min(other.expiresAtMs ?? now + overlapMs, now + overlapMs),
        }))
        .filter(other => other.expiresAtMs > now);
      if (others.length >= MAX_SECRETS)
        throw invalid(
          `api key "${name}" has ${MAX_SECRETS} secrets that still count; wait for the end of one, or revoke it`,
        );
      return { ...key, revision: this.#newRevision(), secrets: [...others, secret] };
    });
    return { name, key: text, id };
  }

  /** Ends a key with all its secrets. */
  async revoke(name: string): Promise<void> {
    await this.#change(name, () => undefined);
  }

  async #change(name: string, change: Change): Promise<void> {
    const store = this.#storeFor(name);
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const key = (await store.load()).find(stored => stored.name === name);
      if (key === undefined) throw invalid(`api key "${name}" does not exist`);
      if (await store.replace(name, key.revision, change(key))) return this.#keys.refresh();
    }
    throw new MsgError('MSG_INTERNAL', `api key "${name}" is changed by others all the time`);
  }

  #storeFor(name: string): ApiKeyStore {
    if (this.#keys.isDeclared(name))
      throw invalid(`api key "${name}" is declared in the configuration; change it there`);
    const { store } = this.#keys;
    if (store !== undefined) return store;
    throw invalid(
      'an API key is created only where it outlives the process: set auth.state_dir or redis.addr, or declare it in auth.api_keys',
    );
  }

  #newSecret(): { readonly text: string; readonly id: string; readonly secret: ApiKeySecret } {
    const { text, id } = generateKeyText(this.#random);
    return { text, id, secret: { id, sha256: digestOf(text) } };
  }

  #newRevision(): string {
    return Buffer.from(this.#random.bytes(REVISION_BYTES)).toString('hex');
  }
}

function invalid(problem: string): MsgError {
  return new MsgError('MSG_INVALID_ARGUMENT', problem);
}
