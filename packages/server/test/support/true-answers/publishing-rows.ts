import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RpcRequest, Sparse } from '@msg/core';
import { payloadBytes } from '@msg/core/internal';
import { eventually } from '@msg/testkit';
import { expect } from 'vitest';
import { type MethodRow, methodRow } from './row.ts';

const json = (text: string): Uint8Array => Buffer.from(JSON.stringify(text));
const text = (data: unknown): string => Buffer.from(payloadBytes(data)).toString();

/** A file with a publication per line. */
function linesOf(items: Sparse<RpcRequest<'PublishMany'>>['items'] = []): string {
  const path = join(mkdtempSync(join(tmpdir(), 'msg-lines-')), 'items.ndjson');
  const lines = items.map(({ name, data, idempotency_key }) =>
    JSON.stringify({ name, json: JSON.parse(text(data)), idempotency_key }),
  );
  writeFileSync(path, lines.join('\n'));
  return path;
}

/** What the command counts, as the results it stands for: it tells no positions. */
function resultsOf(payload: Readonly<Record<string, unknown>>): object {
  const { published, suppressed, failed } = payload as {
    published: number;
    suppressed: number;
    failed: readonly { code: string; message: string }[];
  };
  const done = { offset: 0, epoch: '', suppressed: false, error: null };
  return {
    results: [
      ...Array.from({ length: published }, () => done),
      ...Array.from({ length: suppressed }, () => ({ ...done, suppressed: true })),
      ...failed.map(({ code, message }) => ({ ...done, error: { code, message } })),
    ],
  };
}

/** Several publications in one call, and the stream they make. */
export const publishingRows: readonly MethodRow[] = [
  methodRow(
    'PublishMany',
    {
      name: 'publish-many',
      line: ({ items }) => ['--file', linesOf(items)],
      answer: resultsOf,
      exit: ({ failed }) => (Array.isArray(failed) && failed.length > 0 ? 1 : 0),
    },
    async (ask, stage) => {
      const [name, closed] = [await stage.opened(), stage.fresh()];
      const listener = await stage.listener(name);
      const once = { name, data: json('once'), idempotency_key: name };
      const items = [once, { name: closed, data: json('lost') }, once, { name, data: json('last') }];
      const { results } = await ask({ items });
      return async () => {
        expect(results.map(({ error }) => error?.code ?? 'ok').toSorted()).toEqual([
          'MSG_CHANNEL_NOT_FOUND',
          'ok',
          'ok',
          'ok',
        ]);
        expect(results.filter(({ suppressed }) => suppressed)).toHaveLength(1);
        await eventually('what was published arrives', () => listener.publications.length === 2);
        expect(listener.publications.map(({ data }) => data)).toEqual(['once', 'last']);
        expect((await stage.rpc('GetChannel', { name: closed })).code).toBe('MSG_CHANNEL_NOT_FOUND');
      };
    },
  ),
  methodRow(
    'Broadcast',
    {
      name: 'broadcast',
      line: ({ names = [], data }) => [...names, '--data', text(data)],
      exit: ({ results }) =>
        Array.isArray(results) && results.some(result => result.error !== null) ? 1 : 0,
    },
    async (ask, stage) => {
      const names = [await stage.opened(), stage.fresh(), await stage.opened()];
      const [first = '', , third = ''] = names;
      const listeners = [await stage.listener(first), await stage.listener(third)];
      const { results } = await ask({ names, data: json('all') });
      return async () => {
        expect(results.map(({ name }) => name)).toEqual(names);
        expect(results.map(({ error }) => error?.code ?? 'ok')).toEqual([
          'ok',
          'MSG_CHANNEL_NOT_FOUND',
          'ok',
        ]);
        for (const [index, listener] of listeners.entries()) {
          await eventually('it arrives', () => listener.publications.length === 1);
          const { offset, epoch } = results[index * 2] ?? {};
          expect(listener.publications).toMatchObject([{ data: 'all', offset }]);
          expect(await listener.epoch()).toBe(epoch);
        }
      };
    },
  ),
  methodRow(
    'Position',
    {
      name: 'channels position',
      line: ({ name = '' }) => [name],
      answer: ({ offset, epoch }) => ({ offset, epoch }),
    },
    async (ask, stage) => {
      const name = await stage.opened();
      const listener = await stage.listener(name);
      const before = await ask({ name });
      const published = await stage.client().call('Publish', { name, data: json('one') });
      const after = await ask({ name });
      return async () => {
        expect(before).toEqual({ offset: 0, epoch: await listener.epoch() });
        expect(after).toEqual({ offset: published.offset, epoch: published.epoch });
      };
    },
  ),
  methodRow(
    'RemoveHistory',
    { name: 'channels clear-history', line: ({ name = '' }) => [name], answer: () => ({}) },
    async (ask, stage) => {
      const name = await stage.opened();
      const listener = await stage.listener(name);
      const kept = await stage.client().call('Publish', { name, data: json('dropped') });
      await ask({ name });
      return async () => {
        expect(await stage.client().call('Position', { name })).toEqual({
          offset: kept.offset,
          epoch: kept.epoch,
        });
        expect(await listener.history(10)).toEqual([]);
        await stage.client().call('Publish', { name, data: json('next') });
        await eventually('both arrive', () => listener.publications.length === 2);
        expect(listener.publications.map(({ offset }) => offset)).toEqual([1, 2]);
        expect(await listener.history(10)).toEqual(['next']);
      };
    },
  ),
];
