import { type Clock, systemClock, systemRandom } from '@msg/foundation/clock';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { RedisApiKeyStore } from '#src/auth/api-keys/store/redis/store.ts';
import { RedisKeyringStore } from '#src/auth/keys/store/redis/store.ts';
import { RedisRedemptionStore } from '#src/auth/tokens/refresh/redis/store.ts';
import { RedisRevocationStore } from '#src/auth/tokens/revocation/redis/store.ts';
import { RedisChannelRegistry } from '#src/channels/registry/redis/registry.ts';
import { RedisDeadLetterQueue } from '#src/notify/dead-letters/redis/queue.ts';
import { RedisRateLimiter } from '#src/rate-limits/redis/limiter.ts';
import { RedisSchemaStore } from '#src/schemas/store/redis/store.ts';
import { RedisAuditStore } from '#src/stores/redis/audit-store.ts';
import { connectSharedStore, type SharedConnection } from '#src/stores/redis/connect.ts';
import { RedisConsoleSessions } from '#src/stores/redis/console-sessions.ts';
import type { RedisOptions } from '#src/stores/redis/options.ts';
import { RecentWrites } from '#src/stores/redis/recent-writes.ts';
import type { SharedStore } from '#src/stores/redis/shared-store.ts';
import { CONSOLE_SESSION_CONTRACT } from '#src/testing/console-session-contract.ts';
import { DEAD_LETTER_CONTRACT } from '#src/testing/dead-letter-contract.ts';
import {
  apiKeyStoreContract,
  auditStoreContract,
  channelRegistryContract,
  keyringStoreContract,
  rateLimiterContract,
  redemptionStoreContract,
  revocationStoreContract,
  schemaStoreContract,
} from '../../support/store-contracts.ts';
import { StoreOnTestTime } from './store-on-test-time.ts';
import { storeWithClock } from './store-with-clock.ts';

/** A running store, of whatever topology. */
export interface StoreUnderTest {
  readonly options: RedisOptions;
  stop(): Promise<void>;
}

/** Its connection is never lost. */
function recentOf(clock: Clock): RecentWrites {
  return new RecentWrites({ clock, isReady: () => true, onRepeated: () => {}, onError: () => {} });
}

/** Runs every contract suite of the service's stores against one store; each test has a key prefix of its own. */
export function storeContracts(title: string, start: () => Promise<StoreUnderTest>): void {
  describe(title, () => {
    let running: StoreUnderTest;
    let connection: SharedConnection;
    let serial = 0;

    beforeAll(async () => {
      running = await start();
      connection = await connectSharedStore(running.options);
    }, 120_000);
    afterAll(async () => {
      await connection.close();
      await running.stop();
    });

    /** The same connection, under keys that nothing else uses and that share a slot where that matters. */
    const fresh = (): SharedStore => {
      const { store } = connection;
      const part = `t${serial++}`;
      return {
        location: store.location,
        key: name => store.key(`${part}:${name}`),
        now: () => store.now(),
        call: (command, ...args) => store.call(command, ...args),
        run: (script, keys, args) => store.run(script, keys, args),
      };
    };
    const queueOn = (store: SharedStore): RedisDeadLetterQueue =>
      new RedisDeadLetterQueue({
        store,
        clock: systemClock,
        random: systemRandom,
        capacity: 100,
        onError: () => {},
      });

    channelRegistryContract(title, async clock => {
      return new RedisChannelRegistry({ store: storeWithClock(fresh(), clock), nodeId: 'node-a', clock });
    });
    keyringStoreContract(title, async () => {
      const store = fresh();
      return [new RedisKeyringStore(store), new RedisKeyringStore(store)];
    });
    apiKeyStoreContract(title, async () => {
      const store = fresh();
      return [new RedisApiKeyStore(store), new RedisApiKeyStore(store)];
    });
    auditStoreContract(title, async () => {
      const store = fresh();
      return [new RedisAuditStore(store), new RedisAuditStore(store)];
    });
    schemaStoreContract(title, async () => {
      const store = fresh();
      return [new RedisSchemaStore(store, systemRandom), new RedisSchemaStore(store, systemRandom)];
    });
    rateLimiterContract(title, async clock => {
      return new RedisRateLimiter(storeWithClock(fresh(), clock), systemRandom);
    });
    test('a call that was long under way forgets no accepted event', async () => {
      const store = fresh();
      const lateStore: SharedStore = { ...store, now: () => store.now() - 15_000 };
      const [limiter, late] = [store, lateStore].map(each => new RedisRateLimiter(each, systemRandom));
      const limits = [{ rate: 2, perMs: 60_000, burst: 0 }];
      expect(await limiter?.take('publish', 'ann', limits, 2)).toMatchObject({ accepted: 2 });
      expect(await late?.take('publish', 'ann', limits, 1)).toMatchObject({ accepted: 0 });
      expect(await limiter?.take('publish', 'ann', limits, 1)).toMatchObject({ accepted: 0 });
    });
    redemptionStoreContract(title, async clock => {
      return new RedisRedemptionStore(new StoreOnTestTime(fresh(), clock), {
        clock,
        recent: recentOf(clock),
      });
    });
    revocationStoreContract(title, async (clock: Clock) => {
      return new RedisRevocationStore(new StoreOnTestTime(fresh(), clock), recentOf(clock));
    });

    describe('console sessions', () => {
      test.each(CONSOLE_SESSION_CONTRACT.map(({ name, holds }) => [name, holds] as const))(
        '%s',
        async (_, holds) => {
          const store = fresh();
          const views = [new RedisConsoleSessions(store), new RedisConsoleSessions(store)] as const;
          await holds({ here: views[0], there: views[1], now: () => store.now() });
        },
      );
    });

    describe('dead-letter queue', () => {
      test.each(DEAD_LETTER_CONTRACT.map(({ name, holds }) => [name, holds] as const))(
        '%s',
        async (_, holds) => {
          const store = fresh();
          // Streams are trimmed by whole nodes of up to 100 entries.
          await holds({ queue: queueOn(store), otherNode: queueOn(store), capacity: 100, slack: 100 });
        },
      );
    });
  });
}
