import type { Role } from '@msg/core';
import type { ApiKeySummary, ApiKeys } from '../../auth/api-keys/api-keys.ts';
import type { ApiKeyChanges, CreatedApiKey } from '../../auth/api-keys/changes.ts';
import { type ApiKeyGrant, DEFAULT_ROLE } from '../../auth/api-keys/record.ts';

/** A key to create. */
export interface NewApiKeyOptions {
  /** 1–64 of `a-z0-9-`, unique; calls with the key have the subject `key:<name>`. */
  readonly name: string;
  /** The methods that calls with the key may use; default `admin`: all. */
  readonly role?: Role;
  /** The channels of the key and its verbs there; default: every channel. */
  readonly grants?: readonly ApiKeyGrant[];
  /** Life of the key, milliseconds; default: without an end. */
  readonly ttlMs?: number;
}

/** The API keys of a service: `msg.apiKeys`. Source: app-developers, sections 1 and 4. */
export class ApiKeyGroup {
  readonly #keys: Pick<ApiKeys, 'list'>;
  readonly #changes: ApiKeyChanges;

  constructor(keys: Pick<ApiKeys, 'list'>, changes: ApiKeyChanges) {
    this.#keys = keys;
    this.#changes = changes;
  }

  /** Declared and created keys, without their texts. */
  list(): readonly ApiKeySummary[] {
    return this.#keys.list();
  }

  /**
   * Creates a key in the state directory or the shared store. Its text is returned here and nowhere else.
   * @throws MsgError MSG_INVALID_ARGUMENT for a name in use, an invalid grant, and without a store
   */
  create({ name, role = DEFAULT_ROLE, grants = [], ttlMs = 0 }: NewApiKeyOptions): Promise<CreatedApiKey> {
    return this.#changes.create({ name, role, grants, ttlMs });
  }

  /**
   * Adds a secret to a created key; the secrets before it end after `overlapMs`, a day by default.
   * @throws MsgError MSG_INVALID_ARGUMENT for an unknown and for a declared name, and when three secrets still count
   */
  rotate(name: string, { overlapMs }: { readonly overlapMs?: number } = {}): Promise<CreatedApiKey> {
    return this.#changes.rotate(name, overlapMs);
  }

  /**
   * Ends a created key with all its secrets, on every node within 5 s.
   * @throws MsgError MSG_INVALID_ARGUMENT for an unknown and for a declared name
   */
  revoke(name: string): Promise<void> {
    return this.#changes.revoke(name);
  }
}
