import type { Clock } from '@msg/foundation/clock';
import { lua } from '@msg/redis';
import type { RecentWrites } from '../../../../stores/redis/recent-writes.ts';
import type { SharedStore } from '../../../../stores/redis/shared-store.ts';
import type { RedemptionStore } from '../contract.ts';

const REVOKE_FAMILY = lua('./revoke-family.lua', import.meta.url);

/**
 * Redemptions that all nodes share: one key per redeemed token and one per revoked family; the keys expire. Lifetimes are
 * passed as durations, so the store's clock may differ. Source: messaging details 6.5 and 18.
 */
export class RedisRedemptionStore implements RedemptionStore {
  readonly #store: SharedStore;
  readonly #clock: Clock;
  readonly #recent: RecentWrites;

  constructor(
    store: SharedStore,
    { clock, recent }: { readonly clock: Clock; readonly recent: RecentWrites },
  ) {
    this.#store = store;
    this.#clock = clock;
    this.#recent = recent;
  }

  async redeem(jti: string, expiresAt: number): Promise<boolean> {
    const key = this.#store.key(`refresh:jti:${jti}`);
    const mark = (leftMs: number) => this.#store.call('SET', key, '1', 'PX', leftMs, 'NX');
    const lifetime = this.#lifetime(expiresAt);
    const isFirst = (await mark(lifetime)) === 'OK';
    if (isFirst) this.#recent.keep(lifetime, mark);
    return isFirst;
  }

  async revokeFamily(fid: string, until: number): Promise<void> {
    const key = this.#family(fid);
    await this.#recent.write(this.#lifetime(until), leftMs =>
      this.#store.run(REVOKE_FAMILY, [key], [leftMs]),
    );
  }

  async isFamilyRevoked(fid: string): Promise<boolean> {
    return (await this.#store.call('EXISTS', this.#family(fid))) === 1;
  }

  #family(fid: string): string {
    return this.#store.key(`refresh:fid:${fid}`);
  }

  #lifetime(until: number): number {
    return Math.max(1, Math.ceil(until - this.#clock.now()));
  }
}
