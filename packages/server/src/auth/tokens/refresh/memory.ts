import type { Clock } from '@msg/foundation/clock';
import { ExpiringMap } from '../expiring-map.ts';
import type { JournaledStore, SecurityEntry, SecurityJournal } from '../security-log/contract.ts';
import type { RedemptionStore } from './contract.ts';

/**
 * Redemptions of a single node: in memory, and in a journal if there is one. Expired entries are removed every five
 * minutes of use.
 */
export class MemoryRedemptionStore implements RedemptionStore, JournaledStore {
  /** True without a journal. */
  readonly volatile: boolean;
  readonly #journal: SecurityJournal | undefined;
  readonly #redeemed: ExpiringMap<true>;
  readonly #families: ExpiringMap<true>;

  constructor(clock: Clock, journal?: SecurityJournal) {
    this.#journal = journal;
    this.volatile = journal === undefined;
    this.#redeemed = new ExpiringMap(clock);
    this.#families = new ExpiringMap(clock);
  }

  /** A token whose journal entry fails is not redeemed; during the write it counts as redeemed. */
  async redeem(jti: string, expiresAt: number): Promise<boolean> {
    if (this.#redeemed.get(jti) !== undefined) return false;
    this.#redeemed.set(jti, true, expiresAt);
    try {
      await this.#journal?.append({ kind: 'redeemed', id: jti, until: expiresAt });
      return true;
    } catch (error) {
      this.#redeemed.delete(jti);
      throw error;
    }
  }

  /** The family is revoked even if the journal fails: a caller presented a used token of it. */
  async revokeFamily(fid: string, until: number): Promise<void> {
    this.#families.extend(fid, true, until);
    await this.#journal?.append({ kind: 'family', id: fid, until });
  }

  async isFamilyRevoked(fid: string): Promise<boolean> {
    return this.#families.get(fid) !== undefined;
  }

  apply(entry: SecurityEntry): void {
    if (entry.kind === 'redeemed') this.#redeemed.extend(entry.id, true, entry.until);
    else if (entry.kind === 'family') this.#families.extend(entry.id, true, entry.until);
  }

  *entries(): Generator<SecurityEntry> {
    for (const [id, , until] of this.#redeemed.live()) yield { kind: 'redeemed', id, until };
    for (const [id, , until] of this.#families.live()) yield { kind: 'family', id, until };
  }
}
