import { eventually } from '@msg/testkit';
import { expect } from 'vitest';
import { type MethodRow, methodRow } from './row.ts';
import type { Stage } from './stage.ts';

const BROADCAST = 'public:msg.registry.schemas';

/** A channel pattern whose publications have a text under a member. */
const schemaOf = (pattern: string, member: string) => ({
  pattern,
  aspects: {
    status: {
      payload_schema: { type: 'object', required: [member], properties: { [member]: { type: 'string' } } },
    },
  },
});

/** HTTP statuses of publishing a text under each of two members. */
async function publishes(stage: Stage, name: string): Promise<readonly number[]> {
  const [state, note] = [{ state: 'open' }, { note: 'open' }];
  return [
    (await stage.rpc('Publish', { name, data: state })).status,
    (await stage.rpc('Publish', { name, data: note })).status,
  ];
}

const versionAt = async (stage: Stage, pattern: string): Promise<unknown> =>
  (await stage.get(`/msg/schemas?pattern=${encodeURIComponent(pattern)}`)).body['version'];

/** A registered pattern and an open channel of that name. */
async function registered(stage: Stage): Promise<string> {
  const name = await stage.opened('public:strict');
  await stage.client().call('RegisterSchema', { schema: schemaOf(name, 'state') });
  return name;
}

const given = ({ schema }: { readonly schema?: unknown }) => ['--data', JSON.stringify(schema)];

/** What the broadcast channel said of a pattern. */
async function changesOf(stage: Stage) {
  const { publications } = await stage.listener(BROADCAST);
  return (pattern: string) =>
    publications
      .map(({ data }) => data as { kind: string; pattern: string })
      .filter(one => one.pattern === pattern); // changes
}

/** What channels carry. */
export const schemaRows: readonly MethodRow[] = [
  methodRow('ListSchemas', { name: 'schemas list', line: () => [] }, async (ask, stage) => {
    const name = await registered(stage);
    const { patterns } = await ask({});
    return async () => {
      expect(patterns).toEqual((await stage.get('/msg/schemas')).body['patterns']);
      expect(patterns).toContainEqual(expect.objectContaining({ pattern: name, version: 1 }));
      expect(await publishes(stage, name)).toEqual([200, 400]);
    };
  }),
  methodRow(
    'GetSchema',
    { name: 'schemas get', line: ({ pattern = '' }) => [pattern] },
    async (ask, stage) => {
      const pattern = await registered(stage);
      await stage.client().call('UpdateSchema', { schema: schemaOf(pattern, 'note') });
      const { schema, history } = await ask({ pattern });
      return async () => {
        expect(schema).toMatchObject({ ...schemaOf(pattern, 'note'), version: 2 });
        expect(history).toMatchObject([{ version: 1 }, { version: 2 }]);
        const path = `/msg/schemas?pattern=${encodeURIComponent(pattern)}&history=true`;
        expect((await stage.get(path)).body['history']).toEqual(history);
        expect(await publishes(stage, pattern)).toEqual([400, 200]);
      };
    },
  ),
  methodRow('RegisterSchema', { name: 'schemas register', line: given }, async (ask, stage) => {
    const name = await stage.opened('public:strict');
    const changes = await changesOf(stage);
    expect(await publishes(stage, name)).toEqual([200, 200]);
    const { schema } = await ask({ schema: schemaOf(name, 'state') });
    return async () => {
      expect(schema).toMatchObject({ pattern: name, version: 1 });
      expect(await versionAt(stage, name)).toBe(1);
      expect(await publishes(stage, name)).toEqual([200, 400]);
      await eventually('it is announced', () => changes(name).length === 1);
      expect(changes(name)).toMatchObject([{ kind: 'registered', schema }]);
    };
  }),
  methodRow('UpdateSchema', { name: 'schemas update', line: given }, async (ask, stage) => {
    const name = await registered(stage);
    const changes = await changesOf(stage);
    const { schema, compatible } = await ask({ schema: schemaOf(name, 'note') });
    return async () => {
      expect(compatible).toBe(false);
      expect(await versionAt(stage, name)).toBe(2);
      // What fitted before does not fit any more.
      expect(await publishes(stage, name)).toEqual([400, 200]);
      await eventually('it is announced', () => changes(name).length === 1);
      expect(changes(name)).toMatchObject([{ kind: 'updated', schema }]);
    };
  }),
  methodRow(
    'DeregisterSchema',
    { name: 'schemas deregister', line: ({ pattern = '' }) => [pattern] },
    async (ask, stage) => {
      const pattern = await registered(stage);
      const changes = await changesOf(stage);
      expect(await publishes(stage, pattern)).toEqual([200, 400]);
      await ask({ pattern });
      return async () => {
        expect((await stage.get(`/msg/schemas?pattern=${encodeURIComponent(pattern)}`)).status).toBe(404);
        expect(await publishes(stage, pattern)).toEqual([200, 200]);
        await eventually('it is announced', () => changes(pattern).length === 1);
        expect(changes(pattern)).toMatchObject([{ kind: 'deregistered' }]);
      };
    },
  ),
  methodRow('CheckSchema', { name: 'schemas check', line: given }, async (ask, stage) => {
    const pattern = await registered(stage);
    const breaking = schemaOf(pattern, 'note');
    const additive = structuredClone(schemaOf(pattern, 'state'));
    Object.assign(additive.aspects.status.payload_schema.properties, { note: { type: 'string' } });
    const answers = [await ask({ schema: additive }), await ask({ schema: breaking })];
    return async () => {
      expect(answers.map(({ compatible }) => compatible)).toEqual([true, false]);
      // It only looked.
      expect(await versionAt(stage, pattern)).toBe(1);
      expect(await publishes(stage, pattern)).toEqual([200, 400]);
      // What it foretold is what happens.
      const client = stage.client();
      expect(await client.call('UpdateSchema', { schema: additive })).toMatchObject({ ...answers[0] });
      expect(await publishes(stage, pattern)).toEqual([200, 400]);
      await client.call('UpdateSchema', { schema: breaking });
      expect(await publishes(stage, pattern)).toEqual([400, 200]);
    };
  }),
];
