import type { Clock } from '@msg/engine';
import type { RedemptionStore } from './contract.ts';

const PRUNE_INTERVAL_MS = 5 * 60_000;

/** Redemptions of a single node. Entries that no longer matter go every five minutes of use. */
export class MemoryRedemptionStore implements RedemptionStore {
  readonly #clock: Clock;
  /** Token id → when the entry may go. */
  readonly #redeemed = new Map<string, number>();
  readonly #revoked = new Map<string, number>();
  #pruneAt: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#pruneAt = clock.now() + PRUNE_INTERVAL_MS;
  }

  async redeem(jti: string, expiresAt: number): Promise<boolean> {
    this.#prune();
    if (this.#redeemed.has(jti)) return false;
    this.#redeemed.set(jti, expiresAt);
    return true;
  }

  async revokeFamily(fid: string, until: number): Promise<void> {
    this.#revoked.set(fid, Math.max(until, this.#revoked.get(fid) ?? 0));
  }

  async isFamilyRevoked(fid: string): Promise<boolean> {
    return (this.#revoked.get(fid) ?? 0) > this.#clock.now();
  }

  #prune(): void {
    const now = this.#clock.now();
    if (now < this.#pruneAt) return;
    this.#pruneAt = now + PRUNE_INTERVAL_MS;
    for (const entries of [this.#redeemed, this.#revoked]) {
      for (const [key, until] of entries) if (until < now) entries.delete(key);
    }
  }
}
