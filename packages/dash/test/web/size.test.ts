import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ask } from '../http/serving.ts';
import { manyNodes } from './many-nodes.ts';
import { PageServer } from './page-server.ts';

const KB = 1_000;
const STATIC = new URL('../../static/', import.meta.url);

let server: PageServer;
beforeAll(async () => {
  server = await PageServer.start([manyNodes({ nodes: 200, charts: 0 })]);
});
afterAll(() => server.stop());

const gzipped = (bytes: string | Uint8Array): number => gzipSync(bytes, { level: 9 }).byteLength;

it('style sheet and script of the page are at most 30 kB together, compressed', () => {
  const files = ['page.css', 'page.js'].map(name => gzipped(readFileSync(new URL(name, STATIC))));
  expect(files.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(30 * KB);
});

it('the script of a review is at most 15 kB in addition, compressed', () => {
  expect(gzipped(readFileSync(new URL('review.js', STATIC)))).toBeLessThanOrEqual(15 * KB);
});

it('a page of 200 nodes without charts is at most 30 kB, compressed', async () => {
  const { status, text } = await ask(`${server.url}/d/many-nodes`);
  expect(status).toBe(200);
  expect(text.match(/data-node=/g)).toHaveLength(200);
  expect(gzipped(text)).toBeLessThanOrEqual(30 * KB);
});
