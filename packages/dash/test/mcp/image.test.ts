import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { closeServer } from '@msg/testkit';
import { PNG } from 'pngjs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AllowedOrigins } from '#src/data/dial/allowed-origins.ts';
import { DataSources } from '#src/data/sources.ts';
import type { Json, JsonObject } from '#src/document/json.ts';
import { documentEngine } from '#src/reads/document-engine.ts';
import { FILE_COLOURS } from '#src/render/still/colours.ts';
import { golden } from '../changeset/golden-changesets.ts';
import { catalog } from '../resolve/team-pulse.ts';
import { hundredCharts } from './hundred-charts.ts';
import { toolsOn } from './in-process.ts';

const engine = documentEngine(catalog, { environment: {} });
const asked: string[] = [];
const upstream = createServer((request, response) => {
  asked.push(`${request.method} ${request.url}`);
  response.setHeader('content-type', 'application/json');
  response.end('[{"t":"10:00","load":4},{"t":"11:00","load":7}]');
});
let folder: Awaited<ReturnType<typeof toolsOn>>;
let sources: DataSources;

beforeAll(async () => {
  await new Promise<void>(resolve => upstream.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
  const allowed = new AllowedOrigins([origin]);
  sources = new DataSources({ rowsError: engine.rowsError, allowed, environment: {} });
  folder = await toolsOn(
    { golden: golden(), hundred: hundredCharts(), live: live(origin) },
    { queries: { sources, origins: [origin] } },
  );
});
afterAll(async () => {
  await Promise.all([folder.stop(), sources.close(), closeServer(upstream)]);
});

/** A page over two connections: one that is asked, and one that waits for a person. */
function live(origin: string): JsonObject {
  const table = (id: string, connectionId: string): JsonObject => ({
    id: `${id}-block`,
    type: 'block',
    config: { title: id, content: { id, type: 'table', config: { connectionId } } },
  });
  return {
    manifest: { formatVersion: '1.0.0', id: 'live' },
    connections: [
      { id: 'get', type: 'http', config: { url: `${origin}/get`, cache: 0 } },
      { id: 'post', type: 'http', config: { url: `${origin}/post`, method: 'POST', cache: 0 } },
    ],
    root: {
      id: 'page',
      type: 'container',
      children: [{ id: 'body', type: 'container', children: [table('got', 'get'), table('posted', 'post')] }],
    },
  };
}

const picture = (id: string, ops: readonly unknown[], args: object = {}) =>
  folder.tools.validate(id, ops, { preview: 'none', image: true, ...args });
const retitle = { op: 'replace', path: '/latency-block/config/title', value: 'p95' };
const asBars = { op: 'replace', path: '/latency/config/kind', value: 'bar' };

/** Pixels of a picture that have a colour of the light scheme. */
function pixelsOf(png: Buffer | undefined, property: string): number {
  const wanted = Number.parseInt((FILE_COLOURS[property]?.[0] ?? '#').slice(1), 16);
  const { data } = PNG.sync.read(png ?? Buffer.alloc(0));
  let count = 0;
  for (let at = 0; at < data.length; at += 4) if (data.readUIntBE(at, 3) === wanted) count++;
  return count;
}

describe('dash_validate_patch with image: true', () => {
  it('answers a PNG of the changed items behind the text, which says what is in it', async () => {
    const { data, png } = await picture('golden', [retitle, asBars]);
    expect(data).toEqual({
      ok: true,
      baseRevision: expect.any(String),
      changes: expect.any(Array),
      image: { items: ['latency-block'], width: 900, height: expect.any(Number) },
    });
    expect(png?.length).toBeLessThanOrEqual(200_000);
    const { width, height } = PNG.sync.read(png ?? Buffer.alloc(0));
    expect({ width, height }).toEqual({ width: data.image.width, height: data.image.height });
    // Bars of the first series, on the ground of the block.
    expect(pixelsOf(png, '--series-1')).toBeGreaterThan(2_000);
    expect(pixelsOf(png, '--surface')).toBeGreaterThan(10_000);
  });

  it('draws the state after the change', async () => {
    const rows = { op: 'replace', path: '/$connections/0/config/rows', value: [] as Json[] };
    const [full, empty] = [await picture('golden', [asBars]), await picture('golden', [asBars, rows])];
    expect(pixelsOf(full.png, '--series-1')).toBeGreaterThan(2_000);
    expect(pixelsOf(empty.png, '--series-1')).toBe(0);
    expect(empty.data.image.items).toContain('latency-block');
  });

  it('stands before the preview, and is not there unless it is asked for', async () => {
    const { data } = await picture('golden', [retitle], { preview: 'changed', queries: true, review: true });
    expect(Object.keys(data)).toEqual([
      ...['ok', 'baseRevision', 'changes', 'queries', 'reviewHint', 'image', 'preview'],
    ]);
    const without = await folder.tools.validate('golden', [retitle]);
    expect(without.data).not.toHaveProperty('image');
    expect(without.png).toBeUndefined();
  });

  it('holds at most twenty items, 2,400 pixels and 200 kB, and counts the items that are left out', async () => {
    const ops = Array.from({ length: 100 }, (_, at) => ({
      op: 'replace',
      path: `/latency-${at}/config/kind`,
      value: 'bar',
    }));
    const { data, png } = await picture('hundred', ops);
    expect(data.image).toMatchObject({ more: 80, cut: true });
    expect(data.image.items).toHaveLength(20);
    expect(data.image.height).toBeLessThanOrEqual(2_400);
    expect(png?.length).toBeLessThanOrEqual(200_000);
  });

  it('is not drawn where nothing that can be seen has changed, nor for a changeset that is refused', async () => {
    const title = { op: 'replace', path: '/$manifest/title', value: 'Other' };
    const { data, png } = await picture('golden', [title]);
    expect([data.image, png]).toEqual([{ items: [] }, undefined]);
    const refused = await picture('golden', [{ op: 'remove', path: '/nobody' }]);
    expect(refused.data).toMatchObject({ ok: false, code: 'CHANGESET_TARGET_NOT_FOUND' });
    expect(refused.data).not.toHaveProperty('image');
    expect(refused.png).toBeUndefined();
  });

  it('asks what a review of the proposal would ask; with queries: true everything', async () => {
    const ops = ['got', 'posted'].map(id => ({
      op: 'add',
      path: `/${id}/config/query`,
      value: { region: 'eu' },
    }));
    asked.length = 0;
    const shown = await picture('live', ops);
    expect(asked).toEqual(['GET /get?region=eu']);
    expect(shown.data.image.items).toEqual(['got-block', 'posted-block']);
    asked.length = 0;
    await picture('live', ops, { queries: true });
    expect(new Set(asked)).toEqual(new Set(['GET /get?region=eu', 'POST /post']));
  });
});
