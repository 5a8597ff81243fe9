import assert from 'node:assert/strict';
import { type ClientInfo, Payload } from '@msg/protocol';
import type { ContractCase } from '../contract-case.ts';
import {
  type BrokerSubject,
  EVERYTHING,
  META_TTL_MS,
  offsets,
  promise,
  publish,
  RETAINED,
  text,
} from './subject.ts';

/** Offsets, order, content and predecessors of publications; joins and leaves. */
export const PUBLISHING: readonly ContractCase<BrokerSubject>[] = [
  promise(
    'publications get consecutive offsets from 1 under one epoch, and arrive in that order',
    async s => {
      await s.broker.subscribe('c');
      const results = await Promise.all(['a', 'b', 'c'].map(payload => publish(s.broker, 'c', payload)));
      await s.events.arrived(3);
      assert.deepEqual(
        results.map(({ offset }) => offset),
        [1, 2, 3],
      );
      assert.equal(new Set(results.map(({ epoch }) => epoch)).size, 1);
      assert.match(results[0]?.epoch ?? '', /^[^:]+$/);
      assert.deepEqual(
        s.events.publications.map(({ channel, publication, position }) => [
          channel,
          text(publication),
          position.offset,
        ]),
        [
          ['c', 'a', 1],
          ['c', 'b', 2],
          ['c', 'c', 3],
        ],
      );
      for (const { position, publication } of s.events.publications) {
        assert.equal(position.epoch, results[0]?.epoch);
        assert.equal(publication.offset, position.offset);
      }
    },
  ),
  promise('without history a publication has no position and is not retained', async s => {
    await s.broker.subscribe('c');
    const result = await publish(s.broker, 'c', 'x', { stream: { size: 0, ttlMs: 0 } });
    await s.events.arrived(1);
    assert.deepEqual(result, { offset: 0, epoch: '', suppressed: false });
    assert.deepEqual(s.events.publications[0]?.position, { offset: 0, epoch: '' });
    assert.deepEqual((await s.broker.history('c', EVERYTHING, META_TTL_MS)).publications, []);
  }),
  promise(
    'a volatile publication arrives as one, in its place among the others, and is not kept',
    async s => {
      await s.broker.subscribe('c');
      const passing = { stream: { size: 0, ttlMs: 0 }, volatile: true };
      await publish(s.broker, 'c', 'a');
      await publish(s.broker, 'c', 'b', passing);
      await publish(s.broker, 'c', 'c');
      await s.events.arrived(3);
      assert.deepEqual(
        s.events.publications.map(({ publication, isVolatile }) => [
          text(publication),
          publication.offset,
          isVolatile,
        ]),
        [
          ['a', 1, false],
          ['b', 0, true],
          ['c', 2, false],
        ],
      );
      assert.deepEqual(offsets((await s.broker.history('c', EVERYTHING, META_TTL_MS)).publications), [1, 2]);
    },
  ),
  promise('payload bytes, tags and publisher travel and are retained unchanged', async s => {
    await s.broker.subscribe('c');
    const info: ClientInfo = { user: 'u', client: 'id', connInfo: new Uint8Array([0x31]), chanInfo: null };
    const data = new Uint8Array([0, 0xff, 0x0a, 0x5f, 0x5f, 0x3a]);
    await s.broker.publish('c', new Payload(data), RETAINED, { tags: new Map([['k', 'v']]), info });
    await s.events.arrived(1);
    const { publications } = await s.broker.history('c', EVERYTHING, META_TTL_MS);
    for (const publication of [s.events.publications[0]?.publication, publications[0]]) {
      assert.deepEqual(new Uint8Array(publication?.data.bytes ?? []), data);
      assert.deepEqual([...(publication?.tags ?? [])], [['k', 'v']]);
      assert.equal(publication?.info?.user, 'u');
      assert.deepEqual(new Uint8Array(publication?.info?.connInfo ?? []), new Uint8Array([0x31]));
    }
  }),
  promise('a publish that permits deltas hands on its predecessor, when there is one', async s => {
    await s.broker.subscribe('c');
    await publish(s.broker, 'c', 'a', { delta: true });
    await publish(s.broker, 'c', 'b', { delta: true });
    await publish(s.broker, 'c', 'c');
    await s.events.arrived(3);
    const handed = s.events.publications.map(({ delta, previous }) => [delta, previous && text(previous)]);
    assert.deepEqual(handed, [
      [true, null],
      [true, 'a'],
      [false, null],
    ]);
  }),
  promise('joins and leaves are handed on in order', async s => {
    await s.broker.subscribe('c');
    const info: ClientInfo = { user: 'u', client: 'id', connInfo: null, chanInfo: null };
    await s.broker.publishJoin('c', info);
    await s.broker.publishLeave('c', info);
    await s.events.announcedCount(2);
    assert.deepEqual(
      s.events.announced.map(({ kind, channel, info: { client } }) => [kind, channel, client]),
      [
        ['join', 'c', 'id'],
        ['leave', 'c', 'id'],
      ],
    );
  }),
];
