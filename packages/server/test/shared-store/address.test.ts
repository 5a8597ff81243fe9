import { describe, expect, test } from 'vitest';
import { describeAddress, parseStoreAddress } from '#src/shared-store/address.ts';
import { checkRedisOptions } from '#src/shared-store/connect.ts';

describe('the address of a store', () => {
  const single = (host: string, port: number) => ({
    topology: 'single',
    hosts: [{ host, port }],
    tls: false,
  });

  test.each([
    ['redis.internal:7000', single('redis.internal', 7000)],
    ['redis.internal', single('redis.internal', 6379)],
    ['[::1]:7000', single('::1', 7000)],
    ['redis://h:1', single('h', 1)],
    ['tcp://h:1/3', { ...single('h', 1), db: 3 }],
    ['rediss://u:p%40ss@h', { ...single('h', 6379), tls: true, username: 'u', password: 'p@ss' }],
    ['redis://:secret@h/0', { ...single('h', 6379), password: 'secret', db: 0 }],
    ['unix:///run/redis.sock', { topology: 'single', hosts: [], socket: '/run/redis.sock', tls: false }],
    [
      'redis+sentinel://a:1,b/main/2',
      {
        topology: 'sentinel',
        hosts: [
          { host: 'a', port: 1 },
          { host: 'b', port: 26_379 },
        ],
        master: 'main',
        tls: false,
        db: 2,
      },
    ],
    [
      'redis+cluster://a:1,[::1]:2',
      {
        topology: 'cluster',
        hosts: [
          { host: 'a', port: 1 },
          { host: '::1', port: 2 },
        ],
        tls: false,
      },
    ],
  ])('%s', (text, expected) => {
    expect(parseStoreAddress(text)).toEqual(expected);
  });

  test.each([
    '',
    'http://h',
    'redis://',
    'redis://a,b',
    'redis://h:0',
    'redis://h:99999',
    'redis://h/x',
    'redis://u:%zz@h',
    'unix://',
    'redis+sentinel://h',
    'redis+cluster://',
    'a b:1',
  ])('%j is refused, and not shown', text => {
    const refusal = expect.objectContaining({ code: 'MSG_INVALID_ARGUMENT' });
    expect(() => parseStoreAddress(text)).toThrow(refusal);
    expect(() => parseStoreAddress(text, 'redis.shards[0]')).toThrow(/^redis\.shards\[0\]: /);
    if (text.includes('@')) expect(() => parseStoreAddress(text)).not.toThrow('%zz');
  });

  test('is described without credentials', () => {
    const described = (text: string) => describeAddress(parseStoreAddress(text));
    expect(described('redis://u:secret@h:1/2')).toBe('h:1');
    expect(described('unix:///run/redis.sock')).toBe('/run/redis.sock');
    expect(described('redis+sentinel://u:secret@a,b/main')).toBe('a:26379,b:26379 (Sentinels of main)');
    expect(described('redis+cluster://[::1]:1')).toBe('[::1]:1 (cluster)');
  });

  test.each([
    [{ address: 'redis+cluster://h', db: 1 }, 'redis.db: '],
    [{ address: 'h', shardedPubSubPartitions: 8 }, 'redis.sharded_pubsub_partitions: '],
    [{ address: 'h', shards: ['ok', 'http://x'] }, 'redis.shards[1]: '],
  ])('a combination that cannot work is refused: %j', (options, text) => {
    expect(() => checkRedisOptions(options)).toThrow(text);
  });
});
