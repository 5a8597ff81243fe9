import assert from 'node:assert/strict';
import type { ClientInfo } from '@msg/protocol';
import type { Presence } from '../presence/contract.ts';
import type { ContractCase } from './contract-case.ts';

const info = (user: string, client: string, connInfo: Uint8Array | null = null): ClientInfo => ({
  user,
  client,
  connInfo,
  chanInfo: null,
});

/** Everything that a presence backend promises. The subject is started. */
export const PRESENCE_CONTRACT: readonly ContractCase<Presence>[] = [
  {
    name: 'entries appear per channel and client, with their info',
    async holds(presence) {
      await presence.add('a', 'c1', info('u1', 'c1', new Uint8Array([0x7b, 0x7d])));
      await presence.add('a', 'c2', info('', 'c2'));
      await presence.add('b', 'c1', info('u1', 'c1'));
      const entries = await presence.get('a');
      assert.deepEqual([...entries.keys()].sort(), ['c1', 'c2']);
      assert.equal(entries.get('c1')?.user, 'u1');
      assert.deepEqual(new Uint8Array(entries.get('c1')?.connInfo ?? []), new Uint8Array([0x7b, 0x7d]));
      assert.equal(entries.get('c2')?.connInfo, null);
    },
  },
  {
    name: 'adding again refreshes the entry instead of doubling it',
    async holds(presence) {
      await presence.add('a', 'c1', info('u1', 'c1'));
      await presence.add('a', 'c1', info('u1', 'c1', new Uint8Array([0x31])));
      assert.deepEqual(await presence.counts('a'), { clients: 1, users: 1 });
      assert.deepEqual(
        new Uint8Array((await presence.get('a')).get('c1')?.connInfo ?? []),
        new Uint8Array([0x31]),
      );
    },
  },
  {
    name: 'counts connections and distinct users, anonymous ones as one',
    async holds(presence) {
      for (const [client, user] of [
        ['c1', 'u1'],
        ['c2', 'u1'],
        ['c3', ''],
        ['c4', ''],
      ] as const) {
        await presence.add('a', client, info(user, client));
      }
      assert.deepEqual(await presence.counts('a'), { clients: 4, users: 2 });
      assert.deepEqual(await presence.counts('unknown'), { clients: 0, users: 0 });
    },
  },
  {
    name: 'removed entries are gone, unknown ones do not matter',
    async holds(presence) {
      await presence.add('a', 'c1', info('u1', 'c1'));
      await presence.remove('a', 'other');
      await presence.remove('other', 'c1');
      assert.equal((await presence.get('a')).size, 1);
      await presence.remove('a', 'c1');
      await presence.remove('a', 'c1');
      assert.equal((await presence.get('a')).size, 0);
      assert.deepEqual(await presence.counts('a'), { clients: 0, users: 0 });
    },
  },
  {
    name: 'an answer does not change when the channel does',
    async holds(presence) {
      await presence.add('a', 'c1', info('u1', 'c1'));
      const before = await presence.get('a');
      await presence.remove('a', 'c1');
      assert.equal(before.size, 1);
    },
  },
];
