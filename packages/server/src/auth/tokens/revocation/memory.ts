import type { Clock } from '@msg/foundation/clock';
import { ExpiringMap } from '../expiring-map.ts';
import type { JournaledStore, SecurityEntry, SecurityJournal } from '../security-log/contract.ts';
import type { RevocationEntry, RevocationStore } from './contract.ts';

const NOT_REVOKED: RevocationEntry = { tokenRevoked: false, userCutoff: undefined };

/** Revocations of a single node: in memory, and in a journal if there is one. */
export class MemoryRevocationStore implements RevocationStore, JournaledStore {
  readonly shared = false;
  /** True without a journal. */
  readonly volatile: boolean;
  readonly #clock: Clock;
  readonly #journal: SecurityJournal | undefined;
  readonly #tokens: ExpiringMap<string>;
  readonly #users: ExpiringMap<number>;

  constructor(clock: Clock, journal?: SecurityJournal) {
    this.#clock = clock;
    this.#journal = journal;
    this.volatile = journal === undefined;
    this.#tokens = new ExpiringMap(clock);
    this.#users = new ExpiringMap(clock);
  }

  async revokeToken(jti: string, reason: string, keepMs: number): Promise<void> {
    await this.#record({ kind: 'token', id: jti, until: this.#clock.now() + keepMs, reason });
  }

  async revokeUser(user: string, cutoff: number, keepMs: number): Promise<void> {
    await this.#record({ kind: 'user', id: user, until: this.#clock.now() + keepMs, cutoff });
  }

  lookup(jti: string, user: string): RevocationEntry {
    if (this.#tokens.size === 0 && this.#users.size === 0) return NOT_REVOKED;
    return {
      tokenRevoked: jti !== '' && this.#tokens.get(jti) !== undefined,
      userCutoff: user === '' ? undefined : this.#users.get(user),
    };
  }

  apply(entry: SecurityEntry): void {
    if (entry.kind === 'token') this.#tokens.extend(entry.id, entry.reason, entry.until);
    else if (entry.kind === 'user') {
      const latest = Math.max(entry.cutoff, this.#users.get(entry.id) ?? entry.cutoff);
      this.#users.extend(entry.id, latest, entry.until);
    }
  }

  *entries(): Generator<SecurityEntry> {
    for (const [id, reason, until] of this.#tokens.live()) yield { kind: 'token', id, until, reason };
    for (const [id, cutoff, until] of this.#users.live()) yield { kind: 'user', id, until, cutoff };
  }

  /** A revocation takes effect only after its journal entry is written. */
  async #record(entry: SecurityEntry): Promise<void> {
    await this.#journal?.append(entry);
    this.apply(entry);
  }
}
