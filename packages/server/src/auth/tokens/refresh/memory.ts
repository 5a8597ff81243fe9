import type { Clock } from '@msg/foundation/clock';
import { ExpiringMap } from '../expiring-map.ts';
import type { JournaledStore, SecurityEntry, SecurityJournal } from '../security-log/contract.ts';
import type { RedemptionStore } from './contract.ts';

/**
 * Redemptions of a single node: in memory, and in a journal where there is one. Entries that no longer matter go every five
 * minutes of use.
 */
export class MemoryRedemptionStore implements RedemptionStore, JournaledStore {
  /** Without a journal a restart forgets everything. */
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

  /** A token that could not be written down was not redeemed. Asked again meanwhile, it is. */
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

  /** The family is dead in any case: a caller holds a token of it that was used before. */
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
