import { systemRandom } from '@msg/foundation/clock';
import { ManualClock } from '@msg/foundation/clock/testing';
import { Payload } from '@msg/protocol';
import { RedisStore } from '@msg/redis';
import { eventually } from '@msg/testkit';
import { describe, expect, it } from 'vitest';
import { ChannelKeyNames } from '#src/broker/redis/keys.ts';
import { RewoundStreams } from '#src/broker/redis/rewound-streams.ts';
import { StoredStreams } from '#src/broker/redis/stored-streams.ts';
import { newPublication } from '#src/stream/publication.ts';

type Message = Parameters<RewoundStreams['arrived']>[1];

function publication(text: string, offset: number): Message['publication'] {
  return newPublication(new Payload(Buffer.from(JSON.stringify(text))), offset, {}, 0);
}

/** A publication with its base. */
function message(text: string, offset: number, base: string): Message {
  return {
    kind: 'publication',
    publication: publication(text, offset),
    position: { offset, epoch: 'e' },
    delta: true,
    previous: publication(base, offset - 1),
    isVolatile: false,
  };
}

/** The broker's watch for rewound streams over a store that does not answer. */
function watched() {
  const store = new RedisStore({ address: '127.0.0.1:1' }); // never opened: every read fails
  const keys = new ChannelKeyNames('P', { cluster: false, partitions: 0 });
  const errors: unknown[] = [];
  const passed: Message[] = [];
  const rewinds = new RewoundStreams({
    streams: new StoredStreams(store, keys, 'plain', systemRandom),
    clock: new ManualClock(), // no second look in this test
    random: systemRandom,
    passOn: (_, each) => passed.push(each),
    rewound: () => {},
    onError: error => errors.push(error),
  });
  return { rewinds, errors, passed };
}

describe('a stream of which the store cannot say whether it was rewound', () => {
  it('is passed on without the bases of patches, which its subscribers may not hold', async () => {
    const { rewinds, errors, passed } = watched();
    for (const each of [message('1', 1, '0'), message('2', 2, '1'), message('3', 3, '2')])
      rewinds.arrived('c', each);
    expect(passed.map(({ previous }) => previous !== null)).toEqual([true, true, true]);
    // A fail-over lost 2 and 3; their offsets are given again, and the top passes the old one.
    rewinds.arrived('c', message('two', 2, '1'));
    await eventually('the look fails', () => errors.length > 0 && passed.length === 4);
    rewinds.arrived('c', message('three', 3, 'two'));
    rewinds.arrived('c', message('four', 4, 'three'));
    rewinds.stop();
    expect(passed.slice(3).map(({ position, previous }) => [position?.offset, previous])).toEqual([
      [2, null],
      [3, null],
      [4, null],
    ]);
  });
});
