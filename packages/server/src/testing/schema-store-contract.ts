import assert from 'node:assert/strict';
import type { ChannelPattern } from '@msg/core';
import type { ContractCase } from '@msg/engine/testing';
import { systemClock } from '@msg/foundation/clock';
import { SchemaRegistry } from '../schemas/registry.ts';
import type { SchemaStore } from '../schemas/store/contract.ts';
import type { SharedSubject } from './shared-subject.ts';

const version = (pattern: string, number: number): ChannelPattern => ({
  pattern,
  version: number,
  aspects: { status: { name: 'status', payload_schema: { type: 'string', description: 'ümläut "q"\n' } } },
});

function promise(
  name: string,
  holds: ContractCase<SharedSubject<SchemaStore>>['holds'],
): ContractCase<SharedSubject<SchemaStore>> {
  return { name, holds };
}

/** What every schema store does. */
export const SCHEMA_STORE_CONTRACT: readonly ContractCase<SharedSubject<SchemaStore>>[] = [
  promise('an empty store holds nothing, under a revision that steps can be decided on', async ({ here }) => {
    const { histories, revision } = await here.load();
    assert.equal(histories.size, 0);
    assert.equal(await here.probe(), revision);
    const step = { seen: revision, pattern: 'a', history: [version('a', 1)] };
    assert.equal(typeof (await here.step(step)), 'string');
  }),

  promise('what one view writes the other loads, members and all', async ({ here, there }) => {
    const { revision } = await here.load();
    const history = [version('a.{b}', 1), version('a.{b}', 2)];
    const next = await here.step({ seen: revision, pattern: 'a.{b}', history });
    const stored = await there.load();
    assert.equal(stored.revision, next);
    assert.equal(await there.probe(), next);
    assert.deepEqual([...stored.histories], [['a.{b}', history]]);
  }),

  promise(
    'a step on content that was changed meanwhile is refused and changes nothing',
    async ({ here, there }) => {
      const { revision } = await here.load();
      await here.step({ seen: revision, pattern: 'a', history: [version('a', 1)] });
      assert.equal(await there.step({ seen: revision, pattern: 'b', history: [version('b', 1)] }), undefined);
      assert.deepEqual([...(await there.load()).histories.keys()], ['a']);
    },
  ),

  promise('of steps at once exactly one wins', async ({ here, there }) => {
    const { revision } = await here.load();
    const steps = Array.from({ length: 20 }, (_, at) =>
      (at % 2 === 0 ? here : there).step({
        seen: revision,
        pattern: `p${at}`,
        history: [version(`p${at}`, 1)],
      }),
    );
    assert.equal((await Promise.all(steps)).filter(answer => answer !== undefined).length, 1);
    assert.equal((await here.load()).histories.size, 1);
  }),

  promise('removes a pattern, and replaces everything', async ({ here, there }) => {
    const first = (await here.load()).revision;
    const second = await here.step({ seen: first, pattern: 'a', history: [version('a', 1)] });
    const third = await here.step({ seen: second ?? '', pattern: 'a', history: undefined });
    assert.equal((await there.load()).histories.size, 0);
    const all = new Map(['x', 'y'].map(pattern => [pattern, [version(pattern, 3)]]));
    const fourth = await there.replaceAll(all);
    assert.equal(new Set([first, second, third, fourth]).size, 4);
    assert.deepEqual((await here.load()).histories, all);
  }),

  promise('replaces only what was seen, when that is asked for', async ({ here, there }) => {
    const seen = (await here.load()).revision;
    await there.step({ seen, pattern: 'a', history: [version('a', 1)] });
    assert.equal(await here.replaceAll(new Map(), seen), undefined);
    const { revision, histories } = await here.load();
    assert.deepEqual([...histories.keys()], ['a']);
    assert.equal(typeof (await here.replaceAll(new Map(), revision)), 'string');
    assert.equal((await there.load()).histories.size, 0);
  }),

  promise(
    'a registry begins with its snapshot unless others wrote before, also at the same moment',
    async ({ here, there }) => {
      const registries = [new SchemaRegistry(here, systemClock), new SchemaRegistry(there, systemClock)];
      const snapshotOf = (pattern: string) => ({ patterns: [{ pattern, version: 0, aspects: {} }], at: '' });
      await Promise.all(registries.map((registry, at) => registry.begin(snapshotOf(`node.${at}`))));
      for (const registry of registries) await registry.refresh();
      const [first, second] = registries.map(registry => registry.snapshot().patterns);
      assert.equal(first?.length, 1);
      assert.deepEqual(second, first);
    },
  ),

  promise('two registries that write at once lose nothing', async ({ here, there }) => {
    const registries = [new SchemaRegistry(here, systemClock), new SchemaRegistry(there, systemClock)];
    const registered = Array.from({ length: 10 }, (_, at) =>
      registries[here.shared ? at % 2 : 0]?.register({ pattern: `p.${at}`, version: 0, aspects: {} }),
    );
    await Promise.all(registered);
    for (const registry of registries) await registry.refresh();
    assert.deepEqual(
      registries.map(registry => registry.snapshot().patterns.length),
      [10, 10],
    );
  }),
];
