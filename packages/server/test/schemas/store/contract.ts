import type { ChannelPattern } from '@msg/core';
import { systemClock } from '@msg/foundation/clock';
import { beforeEach, describe, expect, test } from 'vitest';
import { SchemaRegistry } from '#src/schemas/registry.ts';
import type { SchemaStore } from '#src/schemas/store/contract.ts';

const version = (pattern: string, number: number): ChannelPattern => ({
  pattern,
  version: number,
  aspects: { status: { name: 'status', payload_schema: { type: 'string', description: 'ümläut "q"\n' } } },
});

/** What every schema store does. `create` makes two views on one empty store. */
export function schemaStoreContract(
  title: string,
  create: () => Promise<readonly [SchemaStore, SchemaStore]>,
): void {
  describe(`schema store: ${title}`, () => {
    let here: SchemaStore;
    let there: SchemaStore;
    beforeEach(async () => {
      [here, there] = await create();
    });

    test('an empty store holds nothing, under a revision that steps can be decided on', async () => {
      const { histories, revision } = await here.load();
      expect(histories.size).toBe(0);
      expect(await here.probe()).toBe(revision);
      const step = { seen: revision, pattern: 'a', history: [version('a', 1)] };
      expect(await here.step(step)).toBeTypeOf('string');
    });

    test('what one view writes the other loads, members and all', async () => {
      const { revision } = await here.load();
      const history = [version('a.{b}', 1), version('a.{b}', 2)];
      const next = await here.step({ seen: revision, pattern: 'a.{b}', history });
      const stored = await there.load();
      expect(stored.revision).toBe(next);
      expect(await there.probe()).toBe(next);
      expect([...stored.histories]).toEqual([['a.{b}', history]]);
    });

    test('a step on content that was changed meanwhile is refused and changes nothing', async () => {
      const { revision } = await here.load();
      await here.step({ seen: revision, pattern: 'a', history: [version('a', 1)] });
      expect(await there.step({ seen: revision, pattern: 'b', history: [version('b', 1)] })).toBeUndefined();
      expect([...(await there.load()).histories.keys()]).toEqual(['a']);
    });

    test('of steps at once exactly one wins', async () => {
      const { revision } = await here.load();
      const steps = Array.from({ length: 20 }, (_, at) =>
        (at % 2 === 0 ? here : there).step({
          seen: revision,
          pattern: `p${at}`,
          history: [version(`p${at}`, 1)],
        }),
      );
      expect((await Promise.all(steps)).filter(answer => answer !== undefined)).toHaveLength(1);
      expect((await here.load()).histories.size).toBe(1);
    });

    test('removes a pattern, and replaces everything', async () => {
      const first = (await here.load()).revision;
      const second = await here.step({ seen: first, pattern: 'a', history: [version('a', 1)] });
      const third = await here.step({ seen: second ?? '', pattern: 'a', history: undefined });
      expect((await there.load()).histories.size).toBe(0);
      const all = new Map(['x', 'y'].map(pattern => [pattern, [version(pattern, 3)]]));
      const fourth = await there.replaceAll(all);
      expect(new Set([first, second, third, fourth]).size).toBe(4);
      expect((await here.load()).histories).toEqual(all);
    });

    test('replaces only what was seen, when that is asked for', async () => {
      const seen = (await here.load()).revision;
      await there.step({ seen, pattern: 'a', history: [version('a', 1)] });
      expect(await here.replaceAll(new Map(), seen)).toBeUndefined();
      const { revision, histories } = await here.load();
      expect([...histories.keys()]).toEqual(['a']);
      expect(await here.replaceAll(new Map(), revision)).toEqual(expect.any(String));
      expect((await there.load()).histories.size).toBe(0);
    });

    test('a registry begins with its snapshot unless others wrote before, also at the same moment', async () => {
      const registries = [new SchemaRegistry(here, systemClock), new SchemaRegistry(there, systemClock)];
      const snapshotOf = (pattern: string) => ({ patterns: [{ pattern, version: 0, aspects: {} }], at: '' });
      await Promise.all(registries.map((registry, at) => registry.begin(snapshotOf(`node.${at}`))));
      for (const registry of registries) await registry.refresh();
      const [first, second] = registries.map(registry => registry.snapshot().patterns);
      expect(first).toHaveLength(1);
      expect(second).toEqual(first);
    });

    test('two registries that write at once lose nothing', async () => {
      const registries = [new SchemaRegistry(here, systemClock), new SchemaRegistry(there, systemClock)];
      const registered = Array.from({ length: 10 }, (_, at) =>
        registries[here.shared ? at % 2 : 0]?.register({ pattern: `p.${at}`, version: 0, aspects: {} }),
      );
      await Promise.all(registered);
      for (const registry of registries) await registry.refresh();
      expect(registries.map(registry => registry.snapshot().patterns.length)).toEqual([10, 10]);
    });
  });
}
