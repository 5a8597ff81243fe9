import { readFileSync } from 'node:fs';
import type { ConnectionOptions } from 'node:tls';
import { MsgError } from '@msg/core';
import { isPartitionCount, MAX_PARTITIONS } from '@msg/engine/redis';
import { defined } from '@msg/foundation/json';
import { InvalidAddress, type StoreAddress } from '@msg/redis';
import { describeAddress, parseStoreAddress } from '@msg/redis/internal';
import type { RedisOptions } from './options.ts';

/** Reads an address. @throws MsgError MSG_INVALID_ARGUMENT with the setting */
function readAddress(text: string, key: string): StoreAddress {
  try {
    return parseStoreAddress(text);
  } catch (error) {
    if (!(error instanceof InvalidAddress)) throw error;
    throw new MsgError('MSG_INVALID_ARGUMENT', `${key}: ${error.message}`);
  }
}

/** The address with the overrides of the options. */
function settled(address: StoreAddress, { username, password, db, tls }: RedisOptions): StoreAddress {
  return {
    ...address,
    tls: address.tls || (tls?.enabled ?? false),
    ...defined({ username, password, db }),
  };
}

/** Checked addresses of `redis.addr` and of the further shards, with the overrides of the options. */
export interface StoreAddresses {
  readonly first: StoreAddress;
  readonly shards: readonly StoreAddress[];
}

/** @throws MsgError MSG_INVALID_ARGUMENT for an address or a combination that cannot work. */
export function storeAddresses(options: RedisOptions): StoreAddresses {
  const first = settled(readAddress(options.address, 'redis.addr'), options);
  const shards = (options.shards ?? []).map((shard, index) =>
    settled(readAddress(shard, `redis.shards[${index}]`), options),
  );
  if (first.topology === 'cluster' && (first.db ?? 0) !== 0)
    throw new MsgError('MSG_INVALID_ARGUMENT', 'redis.db: a cluster has only database 0');
  requirePartitions(options.shardedPubSubPartitions ?? 0, [first, ...shards]);
  return { first, shards };
}

/** The error of `redis.sharded_pubsub_partitions`. */
export function partitionError(problem: string): MsgError {
  return new MsgError('MSG_INVALID_ARGUMENT', `redis.sharded_pubsub_partitions: ${problem}`);
}

function requirePartitions(partitions: number, addresses: readonly StoreAddress[]): void {
  if (!isPartitionCount(partitions))
    throw partitionError(`must be a whole number from 0 to ${MAX_PARTITIONS}; got ${partitions}`);
  const other = addresses.find(({ topology }) => topology !== 'cluster');
  if (partitions > 0 && other !== undefined)
    throw partitionError(`needs a cluster, and ${describeAddress(other)} is not a cluster`);
}

function trusted(caFile: string): string {
  try {
    return readFileSync(caFile, 'utf8');
  } catch (cause) {
    throw new MsgError('MSG_INVALID_ARGUMENT', `redis.tls.ca_file: ${caFile} cannot be read`, { cause });
  }
}

/** @throws MsgError MSG_INVALID_ARGUMENT when the certificates cannot be read. */
export function tlsOptions({ tls }: RedisOptions): ConnectionOptions {
  return {
    ...defined({
      ca: tls?.caFile === undefined ? undefined : trusted(tls.caFile),
      servername: tls?.serverName,
      rejectUnauthorized: tls?.insecureSkipVerify === true ? false : undefined,
    }),
  };
}
