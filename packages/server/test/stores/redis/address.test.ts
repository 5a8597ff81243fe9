import { describe, expect, test } from 'vitest';
import { checkRedisOptions } from '#src/stores/redis/connect.ts';

describe('the options of a shared store', () => {
  test.each(['', 'http://h', 'redis://u:secret@', 'redis://u:%zz-secret@h', 'redis+sentinel://h'])(
    'the address %j is refused, and not shown',
    address => {
      const refusal = expect.objectContaining({ code: 'MSG_INVALID_ARGUMENT' });
      expect(() => checkRedisOptions({ address })).toThrow(refusal);
      expect(() => checkRedisOptions({ address })).toThrow(/^redis\.addr: /);
      expect(() => checkRedisOptions({ address })).not.toThrow('secret');
    },
  );

  test.each([
    [{ address: 'redis+cluster://h', db: 1 }, 'redis.db: '],
    [{ address: 'h', shards: ['ok', 'http://x'] }, 'redis.shards[1]: '],
  ])('a combination that cannot work is refused: %j', (options, text) => {
    expect(() => checkRedisOptions(options)).toThrow(text);
  });

  test.each([
    [{ address: 'h', shardedPubSubPartitions: 8 }, 'needs a cluster, and h:6379 is not a cluster'],
    [{ address: 'redis+sentinel://h/m', shardedPubSubPartitions: 1 }, 'needs a cluster, and h:26379 (Sent'],
    [
      { address: 'redis+cluster://h', shards: ['redis://u:secret@i'], shardedPubSubPartitions: 8 },
      'needs a cluster, and i:6379 is not a cluster',
    ],
    [
      { address: 'redis+cluster://h', shardedPubSubPartitions: -1 },
      'must be a whole number from 0 to 1024; got -1',
    ],
    [
      { address: 'redis+cluster://h', shardedPubSubPartitions: 1.5 },
      'must be a whole number from 0 to 1024; got 1.5',
    ],
    [
      { address: 'redis+cluster://h', shardedPubSubPartitions: 1025 },
      'must be a whole number from 0 to 1024; got 1025',
    ],
  ])('partitions of sharded PUB/SUB that cannot be are refused: %j', (options, problem) => {
    const refusal = expect.objectContaining({ code: 'MSG_INVALID_ARGUMENT' });
    expect(() => checkRedisOptions(options)).toThrow(refusal);
    expect(() => checkRedisOptions(options)).toThrow(`redis.sharded_pubsub_partitions: ${problem}`);
  });

  test.each([0, 1, 1024])('%i partitions of sharded PUB/SUB are possible on clusters', partitions => {
    const options = { address: 'redis+cluster://h', shards: ['redis+cluster://i'] };
    expect(() => checkRedisOptions({ ...options, shardedPubSubPartitions: partitions })).not.toThrow();
  });
});
