import { describe, expect, test } from 'vitest';
import { checkRedisOptions } from '#src/shared-store/connect.ts';

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
    [{ address: 'redis+cluster://h', shardedPubSubPartitions: 8 }, 'redis.sharded_pubsub_partitions: '],
    [{ address: 'h', shards: ['ok', 'http://x'] }, 'redis.shards[1]: '],
  ])('a combination that cannot work is refused: %j', (options, text) => {
    expect(() => checkRedisOptions(options)).toThrow(text);
  });
});
