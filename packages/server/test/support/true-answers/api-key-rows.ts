import { expect } from 'vitest';
import { type MethodRow, methodRow } from './row.ts';
import type { Stage } from './stage.ts';

let serial = 0;
const fresh = (): string => `shop-${++serial}`;
const named = ({ name = '' }) => [name];

/** A key of the stage's server. */
const created = (stage: Stage, name = fresh()) => stage.client().call('CreateApiKey', { name });

/** The keys of backends, kept by the server. */
export const apiKeyRows: readonly MethodRow[] = [
  methodRow(
    'CreateApiKey',
    {
      name: 'api-keys create',
      line: ({ name = '', grants = [] }) => [
        name,
        ...grants.flatMap(({ pattern = '', verbs = [] }) => [
          '--scope',
          pattern,
          ...verbs.flatMap(verb => ['--verb', verb]),
        ]),
      ],
    },
    async (ask, stage) => {
      const [wide, narrow] = [fresh(), fresh()];
      const { key } = await ask({ name: wide });
      const channel = await stage.opened();
      const grants = [{ pattern: channel, verbs: ['publish'] }];
      const limited = await ask({ name: narrow, grants });
      return async () => {
        expect(await stage.accepts(key)).toBe(true);
        const publish = (name: string) =>
          stage.rpc('Publish', { name, data: Buffer.from('1').toString('base64') }, limited.key);
        expect((await publish(channel)).status).toBe(200);
        expect((await publish(await stage.opened())).code).toBe('MSG_AUTH_DENIED');
        const { keys } = await stage.client().call('ListApiKeys', {});
        expect(keys.find(({ name }) => name === narrow)).toMatchObject({
          grants,
          secrets: [{ slot: 0, id: limited.id }],
        });
      };
    },
  ),
  methodRow(
    'ListApiKeys',
    { name: 'api-keys list', line: () => [], answer: ({ keys }) => ({ keys }) },
    async (ask, stage) => {
      const { name, id, key } = await created(stage);
      const before = await ask({});
      expect(await stage.accepts(key)).toBe(true);
      const after = await ask({});
      return async () => {
        const of = ({ keys }: typeof before) => keys.find(summary => summary.name === name);
        expect(of(before)).toMatchObject({ declared: false, secrets: [{ id, last_used_at: '' }] });
        expect(of(after)?.secrets[0]?.last_used_at).toMatch(/^\d{4}-.*Z$/);
        expect(JSON.stringify([before, after])).not.toContain(key);
      };
    },
  ),
  methodRow(
    'RotateApiKey',
    {
      name: 'api-keys rotate',
      line: ({ name = '', overlap_seconds }) => [
        name,
        ...(overlap_seconds == null ? [] : ['--overlap', `${overlap_seconds}s`]),
      ],
    },
    async (ask, stage) => {
      const { name, key: first } = await created(stage);
      const { key: second } = await ask({ name });
      const both = [await stage.accepts(first), await stage.accepts(second)];
      const { key: third } = await ask({ name, overlap_seconds: 0 });
      return async () => {
        expect(both).toEqual([true, true]);
        expect(await stage.accepts(first)).toBe(false);
        expect(await stage.accepts(second)).toBe(false);
        expect(await stage.accepts(third)).toBe(true);
      };
    },
  ),
  methodRow(
    'RevokeApiKey',
    { name: 'api-keys revoke', line: named, answer: () => ({}) },
    async (ask, stage) => {
      const [gone, kept] = [await created(stage), await created(stage)];
      await ask({ name: gone.name });
      return async () => {
        expect(await stage.accepts(gone.key)).toBe(false);
        expect(await stage.accepts(kept.key)).toBe(true);
        const { keys } = await stage.client().call('ListApiKeys', {});
        const names = keys.map(({ name }) => name);
        expect(names).toContain(kept.name);
        expect(names).not.toContain(gone.name);
      };
    },
  ),
];
