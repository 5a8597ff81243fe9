import { MAX_PARTITIONS, RedisBroker } from '@msg/engine/redis';
import { systemClock, systemRandom } from '@msg/foundation/clock';
import { RedisStore } from '@msg/redis';
import { describe, expect, it } from 'vitest';
import { ChannelKeyNames } from '#src/broker/redis/keys.ts';

function names(keys: ChannelKeyNames, channel: string): readonly string[] {
  return [
    keys.stream(channel),
    keys.meta(channel),
    keys.result(channel, 'i'),
    keys.messages(channel),
    ...keys.presence(channel),
  ];
}

describe('names of what belongs to a channel (client protocol 16.1)', () => {
  it.each([
    { title: 'one server', cluster: false, tag: 'ch', presence: 'ch' },
    { title: 'a cluster', cluster: true, tag: '{ch}', presence: '{ch}' },
    {
      title: 'a cluster with sharded PUB/SUB',
      cluster: true,
      partitions: 1,
      tag: '{0}.ch',
      presence: '{ch}',
    },
  ])('on $title', ({ cluster, partitions = 0, tag, presence }) => {
    expect(names(new ChannelKeyNames('P', { cluster, partitions }), 'ch')).toEqual([
      `P.stream.${tag}`,
      `P.stream.meta.${tag}`,
      `P.result.${tag}.i`,
      `P.client.${tag}`,
      `P.presence.data.${presence}`,
      `P.presence.expire.${presence}`,
    ]);
  });

  it.each([
    ['public:chat.room.42', 2, 1],
    ['public:chat.room.42', 3, 2],
    ['public:chat.room.42', 4, 2],
    ['public:chat.room.42', 16, 12],
    ['public:chat.room.42', 128, 38],
    ['test', 2, 1],
    ['test', 4, 1],
    ['test', 16, 10],
    ['test', 128, 116],
  ])('%s among %i partitions is in partition %i', (channel, partitions, partition) => {
    const keys = new ChannelKeyNames('P', { cluster: true, partitions });
    expect(keys.partition(channel)).toBe(partition);
    expect(keys.stream(channel)).toBe(`P.stream.{${partition}}.${channel}`);
  });

  it('a partition that is asked for again, and between others, stays the same', () => {
    const keys = new ChannelKeyNames('P', { cluster: true, partitions: 128 });
    const asked = ['', 'test', 'test', 'public:chat.room.42', 'test', ''];
    expect(asked.map(channel => keys.partition(channel))).toEqual([
      keys.partition(''),
      116,
      116,
      38,
      116,
      keys.partition(''),
    ]);
  });

  it.each([
    { cluster: false, partitions: 0 },
    { cluster: true, partitions: 0 },
    { cluster: true, partitions: 7 },
  ])('the channel is read back from its PUB/SUB channel: %j', options => {
    const keys = new ChannelKeyNames('msg:b:1', options);
    for (const channel of ['a', 'public:a.b', '{x}.y', '}.{', 'ü'])
      expect(keys.channelOf(keys.messages(channel))).toBe(channel);
  });

  it('every partition has a PUB/SUB channel for probes', () => {
    const probes = (partitions: number) => new ChannelKeyNames('P', { cluster: true, partitions }).probes();
    expect(probes(0)).toEqual(['P.shard.0']);
    expect(probes(3)).toEqual(['P.shard.0.{0}', 'P.shard.0.{1}', 'P.shard.0.{2}']);
  });
});

describe('partitions', () => {
  const broker = (address: string, partitions: number) =>
    new RedisBroker({
      store: new RedisStore({ address }),
      prefix: 'P',
      partitions,
      clock: systemClock,
      random: systemRandom,
      onError: () => {},
    });

  it.each([-1, 1.5, Number.NaN, MAX_PARTITIONS + 1])('there are never %d', partitions => {
    expect(() => broker('redis+cluster://h', partitions)).toThrow(RangeError);
  });

  it('need a cluster', () => {
    expect(() => broker('h', 1)).toThrow('only a cluster has sharded PUB/SUB');
    expect(() => broker('h', 0)).not.toThrow();
    expect(() => broker('redis+cluster://h', MAX_PARTITIONS)).not.toThrow();
  });
});
