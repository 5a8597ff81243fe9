import { MsgError } from '@msg/core';
import { defined } from '@msg/foundation/json';
import type { ServeSettings } from '../config/serve-settings.ts';
import type { RedisOptions } from '../stores/redis/options.ts';

/**
 * The shared store's options; `undefined` without an address.
 * @throws MsgError MSG_INVALID_ARGUMENT for settings of a store that has no address.
 */
export function redisOptions(settings: ServeSettings): RedisOptions | undefined {
  const { redisAddr, redisUsername, redisPassword, redisDb, redisCaFile, redisServerName } = settings;
  if (redisAddr === '') {
    requireNoStore(settings);
    return undefined;
  }
  return {
    address: redisAddr,
    keyPrefix: settings.redisKeyPrefix,
    ...defined({
      username: redisUsername === '' ? undefined : redisUsername,
      password: redisPassword === '' ? undefined : redisPassword,
      db: redisDb,
    }),
    tls: {
      enabled: settings.redisTls,
      insecureSkipVerify: settings.redisSkipVerify,
      ...defined({
        caFile: redisCaFile === '' ? undefined : redisCaFile,
        serverName: redisServerName === '' ? undefined : redisServerName,
      }),
    },
    shards: settings.redisShards,
    shardedPubSubPartitions: settings.shardedPubSubPartitions,
  };
}

/** Refuses credentials, TLS or shards without a store: the node would run alone without an error. */
function requireNoStore(settings: ServeSettings): void {
  const storeSettings = {
    'redis.username': settings.redisUsername !== '',
    'redis.password': settings.redisPassword !== '',
    'redis.db': settings.redisDb !== undefined,
    'redis.tls':
      settings.redisTls || settings.redisSkipVerify || settings.redisCaFile + settings.redisServerName !== '',
    'redis.shards': settings.redisShards.length > 0,
    'redis.sharded_pubsub_partitions': settings.shardedPubSubPartitions > 0,
  };
  const alone = Object.entries(storeSettings).find(([, isSet]) => isSet);
  if (alone === undefined) return;
  throw new MsgError('MSG_INVALID_ARGUMENT', `${alone[0]}: needs redis.addr`);
}
