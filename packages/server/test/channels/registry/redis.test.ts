import { ManualClock } from '@msg/foundation/clock/testing';
import { eventually } from '@msg/testkit';
import { RedisServer } from '@msg/testkit/redis';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { eventText, readEvent } from '#src/channels/registry/redis/event-text.ts';
import { RecentRecords } from '#src/channels/registry/redis/recent-records.ts';
import { RedisChannelRegistry } from '#src/channels/registry/redis/registry.ts';
import { readRecord, recordText } from '#src/channels/registry/redis/stored-record.ts';
import { connectSharedStore, type SharedConnection } from '#src/stores/redis/connect.ts';
import { storeWithClock } from '../../stores/redis/store-with-clock.ts';

const T0 = 1_767_323_045_678;

describe('the registry that nodes share', () => {
  let server: RedisServer;
  let connection: SharedConnection;
  let clock: ManualClock;
  let a: RedisChannelRegistry;
  let b: RedisChannelRegistry;
  const heard: string[] = [];

  beforeAll(async () => {
    server = await RedisServer.start();
    connection = await connectSharedStore({ address: server.address, keyPrefix: 'reg' });
    await connection.listen({
      channels: new Map([[connection.store.key('events'), text => void heard.push(text)]]),
      reconnected: () => {},
    });
  });
  beforeEach(async () => {
    await server.command('FLUSHALL');
    heard.length = 0;
    clock = new ManualClock(T0);
    const store = storeWithClock(connection.store, clock);
    a = new RedisChannelRegistry({ store, nodeId: 'node-a', clock });
    b = new RedisChannelRegistry({ store, nodeId: 'node-b', clock });
  });
  afterAll(async () => {
    await connection.close();
    await server.stop();
  });

  const stored = async (name: string) =>
    JSON.parse(String(await server.command('HGET', 'reg:channels', name)));

  test('a record is stored as documented, and members it does not know survive every change', async () => {
    await a.openPublic('public:a.b', 1500);
    expect(await stored('public:a.b')).toEqual({
      name: 'public:a.b',
      visibility: 'public',
      state: 'open',
      ttl_seconds: '1.5',
      created_at: '1767323045678000000',
      last_active: '1767323045678000000',
      clock_lead_ms: '0',
    });
    await server.command(
      'HSET',
      'reg:channels',
      'public:a.b',
      JSON.stringify({ ...(await stored('public:a.b')), delta: true }),
    );
    await clock.advance(1);
    await a.touch('public:a.b');
    await clock.advance(1);
    await b.openPublic('public:a.b', 60_000);
    await b.delete('public:a.b');
    expect(await stored('public:a.b')).toEqual({
      name: 'public:a.b',
      visibility: 'public',
      state: 'deleted',
      ttl_seconds: '60',
      created_at: '1767323045678000000',
      last_active: '1767323045680000000',
      clock_lead_ms: '0',
      delta: true,
    });
  });

  test('of many nodes that do the same at once, one changes the record, and one event goes out', async () => {
    const opened = await Promise.all([a, b, a, b].map(node => node.openPublic('public:a.b', 1)));
    expect(opened.map(({ change }) => change).sort()).toEqual([
      'created',
      'refreshed',
      'refreshed',
      'refreshed',
    ]);
    await clock.advance(1000);
    const swept = await Promise.all([a, b, a, b].map(node => node.sweep()));
    expect(swept.flat()).toHaveLength(1);
    const deleted = await Promise.all([a, b, a, b].map(node => node.delete('public:a.b')));
    expect(deleted.filter(result => result?.changed)).toHaveLength(1);
    await eventually('three events', () => heard.length === 3);
    expect(heard.map(text => readEvent(text)?.kind)).toEqual(['opened', 'closed', 'deleted']);
    expect(heard.map(text => readEvent(text)?.name)).toEqual(['public:a.b', 'public:a.b', 'public:a.b']);
  });

  test('two nodes that sweep thousands of channels share them out', async () => {
    const names = Array.from({ length: 3000 }, (_, index) => `private:sweep.n${index}`);
    await Promise.all(names.map(name => a.createPrivate(name, 1)));
    await clock.advance(5000);
    await Promise.all(names.slice(0, 500).map(name => a.touch(name)));
    const swept = (await Promise.all([a.sweep(), b.sweep()])).flat();
    expect(swept.map(({ name }) => name).sort()).toEqual(names.slice(500).sort());
    await eventually('one event each', () => heard.length === 2500);
    expect(new Set(heard.map(text => readEvent(text)?.name)).size).toBe(2500);
    expect(await a.list()).toHaveLength(500);
  });

  test('a record that cannot be read stops neither list nor sweep, and is an error by itself', async () => {
    for (const text of ['no json', '[]', '{}', '{"state":"open"}', '{"state":"gone","visibility":"public"}'])
      await server.command('HSET', 'reg:channels', `public:bad.${text.length}`, text);
    await a.openPublic('public:a.b', 1);
    expect(await a.list()).toHaveLength(1);
    await clock.advance(1000);
    expect(await a.sweep()).toHaveLength(1);
    await expect(a.get('public:bad.7')).rejects.toMatchObject({ code: 'MSG_INTERNAL' });
  });

  test('nodes whose clocks are an hour apart agree on how long a channel was idle', async () => {
    const store = storeWithClock(connection.store, clock);
    const ahead = new ManualClock(T0 + 3_600_000);
    const node = new RedisChannelRegistry({ store, nodeId: 'ahead', clock: ahead });
    await a.openPublic('public:of.a', 60_000);
    await node.openPublic('public:of.ahead', 60_000);
    expect(await stored('public:of.ahead')).toMatchObject({ clock_lead_ms: '-3600000' });
    await clock.advance(59_000);
    expect([await a.sweep(), await node.sweep()]).toEqual([[], []]);
    await clock.advance(1000);
    const swept = [await node.sweep(), await a.sweep()].flat();
    expect(swept.map(({ name }) => name).sort()).toEqual(['public:of.a', 'public:of.ahead']);
  });

  test('a record of a node that does not write the lead is swept by its time alone', async () => {
    await a.openPublic('public:a.b', 1000);
    const { clock_lead_ms: _lead, ...record } = await stored('public:a.b');
    await server.command('HSET', 'reg:channels', 'public:a.b', JSON.stringify(record));
    await clock.advance(999);
    expect(await a.sweep()).toEqual([]);
    await clock.advance(1);
    expect(await a.sweep()).toHaveLength(1);
  });

  test('what another node reported is remembered', async () => {
    await a.openPublic('public:a.b', 1000);
    a.onLifecycleEvent({ kind: 'closed', name: 'public:a.b', at: T0 });
    expect(a.peek('public:a.b')?.state).toBe('closed');
    a.onLifecycleEvent({ kind: 'opened', name: 'public:a.b', at: T0 });
    expect(a.peek('public:a.b')?.state).toBe('open');
    a.onLifecycleEvent({ kind: 'opened', name: 'public:unknown', at: T0 });
    expect(a.peek('public:unknown')).toBeUndefined();
  });
});

test('an event between nodes has the documented members, nanoseconds as an integer', () => {
  const text = eventText('node-"1', { kind: 'closed', name: 'public:a.b', at: T0 });
  expect(text).toBe(
    '{"node_id":"node-\\"1","kind":"closed","name":"public:a.b","at_unix_nano":1767323045678000000}',
  );
  expect(readEvent(text)).toEqual({ nodeId: 'node-"1', kind: 'closed', name: 'public:a.b', at: T0 });
});

test.each([
  '',
  'null',
  '7',
  '{}',
  '{"node_id":"n","kind":"moved","name":"c","at_unix_nano":1}',
  '{"node_id":"n","kind":"opened","at_unix_nano":1}',
])('an event that is none, %j, is ignored', text => {
  expect(readEvent(text)).toBeUndefined();
});

test('a record survives the way to text and back', () => {
  const record = {
    name: 'private:a.b',
    visibility: 'private',
    state: 'open',
    ttlMs: 1,
    createdAt: T0,
    lastActive: T0,
  } as const;
  expect(readRecord(record.name, recordText(record, '0'))).toEqual(record);
});

test('recently seen records are bounded: the ones not seen for longest go', () => {
  const recent = new RecentRecords(2);
  const record = (name: string) =>
    ({ name, visibility: 'public', state: 'open', ttlMs: 1, createdAt: 0, lastActive: 0 }) as const;
  for (const name of ['a', 'b', 'a', 'c']) recent.saw(name, record(name));
  expect(['a', 'b', 'c'].map(name => recent.get(name) !== undefined)).toEqual([true, false, true]);
});
