import type { LinkEnd, VersionTable } from '@msg/engine/threads';
import type { MaybePromise } from '@msg/foundation/promises';
import type { RevocationEntry, RevocationStore } from '../../auth/tokens/revocation/contract.ts';
import { ask } from './asking.ts';
import type { HotQuestions } from './hot-records.ts';
import { Slot } from './versions.ts';

/** Tokens of which a thread remembers that nothing revoked them. */
const MOST = 4096;
const NOT_REVOKED: RevocationEntry = { tokenRevoked: false, userCutoff: undefined };

/** What a thread knows of main's store of revocations. */
export interface RevocationFacts {
  readonly shared: boolean;
  readonly volatile: boolean;
  readonly emptySince: number;
}

/** What a {@link ThreadRevocations} asks through. */
export interface RevocationParts {
  readonly link: LinkEnd;
  readonly hot: HotQuestions;
  readonly versions: VersionTable;
}

/** The revocations of main, for a thread. "Not revoked" is remembered while nothing was revoked since (threads 5). */
export class ThreadRevocations implements RevocationStore {
  readonly shared: boolean;
  readonly volatile: boolean;
  readonly emptySince: number;
  readonly #link: LinkEnd;
  readonly #hot: HotQuestions;
  readonly #versions: VersionTable;
  /** Tokens and users without a revocation. */
  readonly #clear = new Set<string>();
  /** The version under which they were found. */
  #foundAt = 0;

  constructor({ link, hot, versions }: RevocationParts, { shared, volatile, emptySince }: RevocationFacts) {
    this.#link = link;
    this.#hot = hot;
    this.#versions = versions;
    this.shared = shared;
    this.volatile = volatile;
    this.emptySince = emptySince;
  }

  get version(): number {
    return this.#versions.read(Slot.revocations);
  }

  revokeToken(jti: string, reason: string, keepMs: number): Promise<void> {
    return ask(this.#link, 'revocations', 'revokeToken', jti, reason, keepMs);
  }

  revokeUser(user: string, cutoff: number, keepMs: number): Promise<void> {
    return ask(this.#link, 'revocations', 'revokeUser', user, cutoff, keepMs);
  }

  lookup(jti: string, user: string): MaybePromise<RevocationEntry> {
    const { version } = this;
    if (version !== this.#foundAt) this.#clear.clear();
    this.#foundAt = version;
    const key = `${jti} ${user}`;
    return this.#clear.has(key) ? NOT_REVOKED : this.#ask(jti, user, key);
  }

  async #ask(jti: string, user: string, key: string): Promise<RevocationEntry> {
    const version = this.#foundAt;
    const entry = await this.#hot.revocation(jti, user);
    const isClear = !entry.tokenRevoked && entry.userCutoff === undefined;
    // What other processes revoke has no version.
    if (!isClear || this.shared || version !== this.#foundAt) return entry;
    const [oldest] = this.#clear;
    if (this.#clear.size >= MOST && oldest !== undefined) this.#clear.delete(oldest);
    this.#clear.add(key);
    return entry;
  }
}
