import type { VersionTable } from '@msg/engine/threads';
import type { RevocationStore } from '../../auth/tokens/revocation/contract.ts';
import type { ProcessBus } from './process-bus.ts';
import { Slot } from './versions.ts';

/** What a {@link SharedRevocations} needs. */
export interface SharedRevocationsParts {
  /** Where they are. */
  readonly store: RevocationStore;
  readonly versions: VersionTable;
  readonly bus: ProcessBus;
  /** When a volatile store was emptied, Unix milliseconds. */
  readonly emptySince: number;
}

/** Main's revocations, as main or a thread uses them: the answer comes when all threads have ended what it ends. */
export class SharedRevocations implements RevocationStore {
  readonly shared: boolean;
  readonly volatile: boolean;
  readonly emptySince: number;
  readonly #parts: SharedRevocationsParts;
  readonly #from: number;

  /** @param from the thread that uses it; 0 is main */
  constructor(parts: SharedRevocationsParts, from: number) {
    this.#parts = parts;
    this.#from = from;
    this.shared = parts.store.shared;
    this.volatile = parts.store.volatile ?? false;
    this.emptySince = parts.emptySince;
  }

  get version(): number {
    return this.#parts.versions.read(Slot.revocations);
  }

  /** The same revocations for thread `number`. */
  of(number: number): SharedRevocations {
    return new SharedRevocations(this.#parts, number);
  }

  async revokeToken(jti: string, reason: string, keepMs: number): Promise<void> {
    await this.#parts.store.revokeToken(jti, reason, keepMs);
    await this.#revoked();
  }

  async revokeUser(user: string, cutoff: number, keepMs: number): Promise<void> {
    await this.#parts.store.revokeUser(user, cutoff, keepMs);
    await this.#revoked();
  }

  lookup(jti: string, user: string): ReturnType<RevocationStore['lookup']> {
    return this.#parts.store.lookup(jti, user);
  }

  async #revoked(): Promise<void> {
    const { versions, bus } = this.#parts;
    versions.change(Slot.revocations);
    await bus.announce({ kind: 'revoked' }, this.#from);
  }
}
