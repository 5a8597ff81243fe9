import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cloneJson } from '#src/document/json.ts';
import type { RenderedItem } from '#src/web/compare/fragments.ts';
import { GOLDEN_CHANGESETS, golden } from '../changeset/golden-changesets.ts';
import { hundredCharts } from './hundred-charts.ts';
import { toolsOn } from './in-process.ts';

const PAGE = readFileSync(new URL('../../static/preview.html', import.meta.url), 'utf8');

let folder: Awaited<ReturnType<typeof toolsOn>>;
beforeAll(async () => {
  const charts = cloneJson(hundredCharts());
  folder = await toolsOn({ golden: golden(), hundred: charts });
});
afterAll(() => folder.stop());

const rendered = async (id: string, ops: readonly unknown[], args: object = {}) =>
  (await folder.tools.validate(id, ops, { preview: 'rendered', ...args })).data;

describe('preview: "rendered"', () => {
  it.each(GOLDEN_CHANGESETS.filter(({ broken }) => broken === undefined))(
    'of the changeset "$name" has its words, and both sides of what can be seen',
    async ({ ops, create, words }) => {
      const answer = await rendered(create === true ? 'fresh' : 'golden', ops, { create: create === true });
      expect(Object.keys(answer).filter(member => member !== 'baseRevision')).toEqual([
        ...['ok', 'changes', 'counts', 'words', 'rendered', 'rules'],
      ]);
      const told = answer.words.map(({ parts }: { parts: { text: string }[] }) =>
        parts.map(({ text }) => text).join(''),
      );
      expect(told).toEqual(words);
      for (const { kind, before, after, grids } of answer.rendered as RenderedItem[]) {
        if (kind === 'added') expect(before).toBeUndefined();
        if (kind === 'removed') expect(after).toBeUndefined();
        expect([before, after, grids].some(drawing => drawing !== undefined)).toBe(true);
        for (const drawing of [before, after]) expect(drawing ?? '<fieldset').toMatch(/^<fieldset/);
      }
    },
  );

  it('of a changeset that does not work is the coded error', async () => {
    const broken = GOLDEN_CHANGESETS.find(({ broken: code }) => code !== undefined);
    expect(await rendered('golden', broken?.ops ?? [])).toMatchObject({ ok: false, code: broken?.broken });
  });

  it('holds at most 512 kB of drawings, and of the items beyond that their names', async () => {
    const ops = Array.from({ length: 100 }, (_, at) => ({
      op: 'replace',
      path: `/latency-${at}/config/kind`,
      value: 'bar',
    }));
    const { rendered: items, rules } = (await rendered('hundred', ops)) as {
      rendered: RenderedItem[];
      rules: string;
    };
    expect(items).toHaveLength(100);
    const drawings = items.map(({ grids, before, after }) => JSON.stringify({ grids, before, after }));
    const bytes = drawings.reduce((sum, text) => sum + Buffer.byteLength(text), Buffer.byteLength(rules));
    expect(bytes).toBeLessThanOrEqual(512_000 + 100 * 40);
    const cut = items.filter(item => item.cut === true);
    expect(cut.length).toBeGreaterThan(0);
    expect(cut.length).toBeLessThan(100);
    for (const item of cut) {
      expect(item).toMatchObject({ name: expect.stringContaining('Latency'), kind: 'changed' });
      expect([item.before, item.after]).toEqual([undefined, undefined]);
    }
  });
});

describe('the page of the preview', () => {
  it('is one file of at most 60 kB that names no other', () => {
    expect(Buffer.byteLength(PAGE)).toBeLessThanOrEqual(60_000);
    expect(PAGE).not.toMatch(/https?:\/\/(?!www\.w3\.org\/)|@import|url\((?!#)/);
    expect(PAGE).toMatch(/Content-Security-Policy" content="default-src 'none'/);
  });
});
