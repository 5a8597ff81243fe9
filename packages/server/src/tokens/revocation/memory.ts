import type { Clock } from '@msg/engine';
import { REVOCATION_RETENTION_MS, type RevocationEntry, type RevocationStore } from './contract.ts';

interface Kept<T> {
  readonly value: T;
  readonly until: number;
}

/** Drops what is too old; entries are in the order they were made. */
function prune<T>(entries: Map<string, Kept<T>>, now: number): void {
  for (const [key, { until }] of entries) {
    if (until > now) return;
    entries.delete(key);
  }
}

/** Revocations of a single node: gone with the process, like the channels the tokens were for. */
export class MemoryRevocationStore implements RevocationStore {
  readonly shared = false;
  readonly #clock: Clock;
  readonly #tokens = new Map<string, Kept<string>>();
  readonly #users = new Map<string, Kept<number>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async revokeToken(jti: string, reason: string): Promise<void> {
    const now = this.#clock.now();
    prune(this.#tokens, now);
    this.#tokens.delete(jti);
    this.#tokens.set(jti, { value: reason, until: now + REVOCATION_RETENTION_MS });
  }

  async revokeUser(user: string, cutoff: number): Promise<void> {
    const now = this.#clock.now();
    prune(this.#users, now);
    const value = Math.max(cutoff, this.#users.get(user)?.value ?? 0);
    this.#users.delete(user);
    this.#users.set(user, { value, until: now + REVOCATION_RETENTION_MS });
  }

  async lookup(jti: string, user: string): Promise<RevocationEntry> {
    return {
      tokenRevoked: jti !== '' && this.#tokens.has(jti),
      userCutoff: user === '' ? undefined : this.#users.get(user)?.value,
    };
  }
}
