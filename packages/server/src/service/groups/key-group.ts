import type { KeySummary } from '@msg/core';
import type { ApiKeys } from '../../auth/api-keys/api-keys.ts';
import { type KeyringDocument, keySetDocument } from '../../auth/keys/document.ts';
import type { Keyring } from '../../auth/keys/keyring.ts';

/** The signing keys of a service: `msg.keys`. */
export class KeyGroup {
  readonly #keyring: Keyring;
  readonly #apiKeys: Pick<ApiKeys, 'reload'>;

  constructor(keyring: Keyring, apiKeys: Pick<ApiKeys, 'reload'>) {
    this.#keyring = keyring;
    this.#apiKeys = apiKeys;
  }

  /** Live keys, and once each key that was retired since the last call. */
  list(): readonly KeySummary[] {
    return this.#keyring.list();
  }

  /** Adds a verify-only key. @throws MsgError MSG_INVALID_ARGUMENT */
  generate(alg?: string): Promise<KeySummary> {
    return this.#keyring.generate(alg);
  }

  /** Activates a key, which then signs. @throws MsgError MSG_INVALID_ARGUMENT */
  promote(id: string): Promise<void> {
    return this.#keyring.promote(id);
  }

  /** Retires a key: tokens that it signed no longer verify. @throws MsgError MSG_INVALID_ARGUMENT */
  retire(id: string): Promise<void> {
    return this.#keyring.retire(id);
  }

  /**
   * Reads the keyring's store and the declared API keys again. Invalid API keys are logged, and the current ones stay.
   * @throws MsgError MSG_INVALID_ARGUMENT without a store of the keyring, MSG_INTERNAL
   */
  async reload(): Promise<void> {
    await Promise.all([this.#keyring.reload(), this.#apiKeys.reload()]);
  }

  /** The keys with their secrets, in the form of `keyring.json`. */
  export(): KeyringDocument {
    return keySetDocument(this.#keyring.keySet);
  }

  /** Location of the keyring's store; empty without one. */
  get location(): string {
    return this.#keyring.location;
  }

  /** The key that signs. */
  get activeId(): string {
    return this.#keyring.active.id;
  }
}
