import { lua } from '@msg/redis';
import type { RecentWrites } from '../../../../stores/redis/recent-writes.ts';
import type { SharedStore } from '../../../../stores/redis/shared-store.ts';
import type { RevocationEntry, RevocationStore } from '../contract.ts';

const REVOKE_USER = lua('./revoke-user.lua', import.meta.url);

/** Added to the requested retention. */
const SLACK_MS = 60_000;
const NANOS_PER_MS = 1_000_000n;

/** Revocations that all nodes share (messaging details, section 8 and 18). */
export class RedisRevocationStore implements RevocationStore {
  readonly shared = true;
  readonly #store: SharedStore;
  readonly #recent: RecentWrites;

  constructor(store: SharedStore, recent: RecentWrites) {
    this.#store = store;
    this.#recent = recent;
  }

  async revokeToken(jti: string, reason: string, keepMs: number): Promise<void> {
    const key = this.#tokenKey(jti);
    const set = (leftMs: number, ...only: string[]) =>
      this.#store.call('SET', key, reason || 'revoked', 'PX', leftMs, ...only);
    const lifetime = keepMs + SLACK_MS;
    await set(lifetime);
    // Another node may have revoked it for longer meanwhile.
    this.#recent.keep(lifetime, leftMs => set(leftMs, 'NX'));
  }

  async revokeUser(user: string, cutoff: number, keepMs: number): Promise<void> {
    const nanoseconds = String(BigInt(Math.round(cutoff)) * NANOS_PER_MS);
    const key = this.#userKey(user);
    await this.#recent.write(keepMs + SLACK_MS, leftMs =>
      this.#store.run(REVOKE_USER, [key], [nanoseconds, leftMs]),
    );
  }

  async lookup(jti: string, user: string): Promise<RevocationEntry> {
    const answer = await this.#store.call('MGET', this.#tokenKey(jti), this.#userKey(user));
    const [token, cutoff] = answer as [string | null, string | null]; // one per key
    const tokenRevoked = jti !== '' && token !== null;
    if (user === '' || cutoff === null) return { tokenRevoked, userCutoff: undefined };
    if (!/^\d{1,30}$/.test(cutoff)) return { tokenRevoked: true, userCutoff: undefined };
    return { tokenRevoked, userCutoff: Number(BigInt(cutoff) / NANOS_PER_MS) };
  }

  #tokenKey(jti: string): string {
    return this.#store.key(`tb:revoked:${jti}`);
  }

  #userKey(user: string): string {
    return this.#store.key(`tb:user_revoked_at:${user}`);
  }
}
