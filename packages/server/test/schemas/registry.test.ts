import type { ChannelPattern, SchemaChange } from '@msg/core';
import { ManualClock } from '@msg/foundation/clock/testing';
import { beforeEach, describe, expect, test } from 'vitest';
import { SchemaRegistry } from '#src/schemas/registry.ts';
import { MemorySchemaStore } from '#src/schemas/store/memory.ts';

const AT = '2026-01-02T03:04:05.000Z';
const schema = (pattern: string, more: Partial<ChannelPattern> = {}): ChannelPattern => ({
  pattern,
  version: 0,
  aspects: {},
  ...more,
});
const code = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'fine',
    (error: { code: string }) => error.code,
  );

describe('the schema registry', () => {
  let registry: SchemaRegistry;
  let changes: SchemaChange[];
  beforeEach(() => {
    registry = new SchemaRegistry(new MemorySchemaStore(), new ManualClock());
    changes = [];
    registry.onChange(change => changes.push(change));
  });

  test('register: version 0 becomes 1, a given one stays; twice is a conflict', async () => {
    expect((await registry.register(schema('a.{b}'))).version).toBe(1);
    expect((await registry.register(schema('c', { version: 7 }))).version).toBe(7);
    expect(await code(registry.register(schema('c')))).toBe('MSG_CHANNEL_EXISTS');
    expect(registry.snapshot()).toEqual({
      patterns: [schema('a.{b}', { version: 1 }), schema('c', { version: 7 })],
      at: AT,
    });
  });

  test('update: the next version, the history keeps all; unknown is not found', async () => {
    expect(await code(registry.update(schema('a')))).toBe('MSG_CHANNEL_NOT_FOUND');
    await registry.register(schema('a'));
    const { schema: next, compatibility } = await registry.update(
      schema('a', { aspects: { b: { name: 'b' } } }),
    );
    expect([next.version, compatibility.compatible]).toEqual([2, true]);
    await registry.update(schema('a', { version: 9 }));
    expect((await registry.update(schema('a'))).schema.version).toBe(10);
    expect(registry.history('a').map(({ version }) => version)).toEqual([1, 2, 9, 10]);
    expect(registry.get('a').version).toBe(10);
  });

  test('deregister drops the history; unknown is not found', async () => {
    expect(await code(registry.deregister('a'))).toBe('MSG_CHANNEL_NOT_FOUND');
    await registry.register(schema('a'));
    await registry.deregister('a');
    expect(() => registry.history('a')).toThrow(expect.objectContaining({ code: 'MSG_CHANNEL_NOT_FOUND' }));
    expect((await registry.register(schema('a'))).version).toBe(1);
  });

  test('tells of every mutation in the order they happened, of failed ones and loads nothing', async () => {
    await Promise.allSettled([
      registry.register(schema('a')),
      registry.update(schema('a')),
      registry.update(schema('nothing')),
      registry.deregister('a'),
    ]);
    await registry.load({ patterns: [schema('x')], at: '' });
    expect(changes).toEqual([
      { kind: 'registered', pattern: 'a', schema: schema('a', { version: 1 }), at: AT },
      { kind: 'updated', pattern: 'a', schema: schema('a', { version: 2 }), at: AT },
      { kind: 'deregistered', pattern: 'a', at: AT },
    ]);
    expect(registry.snapshot().patterns).toEqual([schema('x', { version: 1 })]);
  });

  test('load replaces the whole content', async () => {
    await registry.register(schema('old'));
    await registry.load({ patterns: [schema('b', { version: 4 }), schema('a')], at: '' });
    expect(registry.snapshot().patterns.map(({ pattern, version }) => [pattern, version])).toEqual([
      ['a', 1],
      ['b', 4],
    ]);
  });

  test('lookup: the most specific pattern with its bindings', async () => {
    for (const pattern of ['**', 'orders:**', 'orders:{id}', 'orders:*', 'orders:7', '{any}:7'])
      await registry.register(schema(pattern));
    const found = (channel: string) => {
      const { schema, bindings } = registry.lookup(channel);
      return [schema.pattern, bindings];
    };
    expect(found('orders:7')).toEqual(['orders:7', {}]);
    expect(found('orders:8')).toEqual(['orders:{id}', { id: '8' }]);
    expect(found('orders:8.x')).toEqual(['orders:**', {}]);
    expect(found('users:7')).toEqual(['{any}:7', { any: 'users' }]);
    expect(found('users')).toEqual(['**', {}]);
    await registry.deregister('orders:{id}');
    expect(found('orders:8')).toEqual(['orders:*', {}]);
    await registry.deregister('**');
    expect(registry.find('users')).toBeNull();
    expect(() => registry.lookup('users')).toThrow(
      expect.objectContaining({ code: 'MSG_CHANNEL_NOT_FOUND' }),
    );
  });

  test('what is malformed never gets in', async () => {
    for (const bad of [schema(''), schema('a.**.b'), { ...schema('a'), version: -1 }, {}, null])
      expect(await code(Promise.resolve().then(() => registry.register(bad as ChannelPattern)))).toBe(
        'MSG_INVALID_ARGUMENT',
      );
    expect(registry.snapshot().patterns).toEqual([]);
  });

  test('cyclic, endless and self-made schemas are refused, and leave nothing behind', async () => {
    const cycle: Record<string, unknown> = { type: 'object' };
    cycle['properties'] = { left: cycle, right: cycle };
    const listed: unknown[] = [];
    listed.push(listed);
    const deep = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`) as unknown;
    for (const payload_schema of [
      cycle,
      { items: cycle },
      { enum: listed },
      { enum: [deep] },
      { $ref: '#' },
    ]) {
      const bad = { ...schema('a'), aspects: { b: { name: 'b', payload_schema } } };
      expect(await code(Promise.resolve().then(() => registry.register(bad as ChannelPattern)))).toBe(
        'MSG_INVALID_ARGUMENT',
      );
    }
    expect(registry.snapshot().patterns).toEqual([]);
  });

  test('ten thousand patterns: the right one is found', async () => {
    const patterns = Array.from({ length: 10_000 }, (_, at) => schema(`public:app${at}.order.{id}`));
    await registry.load({ patterns, at: '' });
    for (const at of [0, 5000, 9999]) {
      expect(registry.lookup(`public:app${at}.order.7`).schema.pattern).toBe(`public:app${at}.order.{id}`);
    }
    expect(registry.find('public:app10000.order.7')).toBeNull();
  });
});
