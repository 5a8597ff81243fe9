import { MsgError } from '@msg/core';
import type { Random } from '@msg/foundation/clock';
import { requireAlgorithm } from './algorithms.ts';
import type { KeyMaterial } from './material.ts';

/** What a key is used for: the active one signs and verifies, others only verify. */
export type KeyRole = 'active' | 'verify-only';

/** A key that verifies, and signs when it is the active one. */
export interface SigningKey {
  readonly id: string;
  readonly role: KeyRole;
  /** Unix milliseconds. */
  readonly createdAt: number;
  readonly material: KeyMaterial;
}

/**
 * The live keys at one moment. Immutable: a change makes a new set. One key is active, except in an empty set. Retired
 * keys are not part of it, so they do not verify. Source: messaging details 7.1.
 */
export class KeySet {
  /** Sorted by creation time, then id. */
  readonly keys: readonly SigningKey[];
  readonly active: SigningKey | undefined;
  readonly #byId: ReadonlyMap<string, SigningKey>;

  constructor(keys: readonly SigningKey[]) {
    this.keys = keys.toSorted((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1));
    this.active = keys.find(key => key.role === 'active');
    this.#byId = new Map(keys.map(key => [key.id, key]));
  }

  resolve(id: string): SigningKey | undefined {
    return this.#byId.get(id);
  }

  /** A copy with one more key: verify-only, or active if it is the first. */
  with(key: Omit<SigningKey, 'role'>): KeySet {
    return new KeySet([...this.keys, { ...key, role: this.active === undefined ? 'active' : 'verify-only' }]);
  }

  /**
   * A copy in which that key is active and the previous one verify-only. @throws MsgError MSG_INVALID_ARGUMENT for an
   * unknown id.
   */
  promoted(id: string): KeySet {
    if (!this.#byId.has(id)) throw new MsgError('MSG_INVALID_ARGUMENT', `key ${id} is not known`);
    return new KeySet(this.keys.map(key => ({ ...key, role: key.id === id ? 'active' : 'verify-only' })));
  }

  /**
   * A copy without that key. After the active key the newest other key becomes active, after the only key `replacement`,
   * so that the service can always sign.
   */
  without(id: string, replacement: Omit<SigningKey, 'role'>): KeySet {
    const wasActive = this.active?.id === id;
    const rest = new KeySet(this.keys.filter(key => key.id !== id));
    if (!wasActive) return rest;
    const newest = rest.keys.at(-1);
    return newest === undefined ? rest.with(replacement) : rest.promoted(newest.id);
  }
}

/** Makes a key: id `k-` and 12 hexadecimal digits. @throws MsgError MSG_INVALID_ARGUMENT for an unknown algorithm. */
export async function generateKey(
  random: Random,
  now: number,
  alg = 'HS256',
): Promise<Omit<SigningKey, 'role'>> {
  return {
    id: `k-${Buffer.from(random.bytes(6)).toString('hex')}`,
    createdAt: now,
    material: await requireAlgorithm(alg).generate(random),
  };
}
