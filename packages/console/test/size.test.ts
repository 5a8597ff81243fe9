import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { FOLDER } from '@msg/console';
import { expect, it } from 'vitest';

interface List {
  readonly files: readonly {
    readonly path: string;
    readonly sha256: string;
    readonly bytes: number;
    readonly gzip: number;
  }[];
}

const read = (path: string): string => readFileSync(new URL(path, FOLDER), 'utf8');
const list = (): List => JSON.parse(read('list.json')) as List;
const KB = 1000;

/** Files that a module loads before it runs. */
function needs(path: string, known = new Set<string>()): Set<string> {
  if (known.has(path)) return known;
  known.add(path);
  for (const [, name] of read(path).matchAll(/(?:from|import)"\.\/([\w-]+\.js)"/g))
    needs(`assets/${name}`, known);
  return known;
}

it('the first page is at most 60 kB compressed, every further one at most 25 kB, and all at most 400 kB', () => {
  const { files } = list();
  const sizes = new Map(files.map(({ path, gzip }) => [path, gzip]));
  const sum = (paths: Iterable<string>): number =>
    [...paths].reduce((all, path) => all + (sizes.get(path) ?? 0), 0);
  const html = read('index.html');
  const [entry = ''] = /assets\/console-[\w-]+\.js/.exec(html) ?? [];
  const [style = ''] = /assets\/style-[\w-]+\.css/.exec(html) ?? [];
  const first = needs(entry);
  const pages = [...read(entry).matchAll(/import\("\.\/([\w-]+\.js)"\)/g)].map(
    ([, name]) => `assets/${name}`,
  );
  expect(pages.length).toBeGreaterThan(4);
  const further = pages.map(page => sum([...needs(page)].filter(path => !first.has(path))));
  const overview = pages.find(page => page.includes('overview')) ?? '';
  const shown = sum(new Set([...first, ...needs(overview), style])) + gzipSync(html).length;
  const raw = files.reduce((all, { bytes }) => all + bytes, 0);
  console.log(
    `console: first page ${shown} bytes compressed, further ${Math.max(...further)} at most, ${raw} raw in all`,
  );
  expect(shown).toBeLessThanOrEqual(60 * KB);
  expect(Math.max(...further)).toBeLessThanOrEqual(25 * KB);
  expect(raw).toBeLessThanOrEqual(400 * KB);
});

it('two builds are equal, byte for byte', () => {
  const before = read('list.json') + read('index.html');
  const script = fileURLToPath(new URL('../../../scripts/build-console-pages.ts', import.meta.url));
  // An older Node.js takes TypeScript only when it is told.
  execFileSync(process.execPath, ['--experimental-strip-types', script]);
  expect(read('list.json') + read('index.html')).toBe(before);
});

it('the pages name no other origin but that of the documentation, and hold no source map', () => {
  for (const { path } of list().files) {
    const text = read(path);
    expect(text).not.toContain('sourceMappingURL');
    const addresses = [...text.matchAll(/https?:\/\/[\w.-]+/g)].map(([address]) => address);
    expect(addresses.filter(address => !/w3\.org|localhost|127\.0\.0\.1|example\.com/.test(address))).toEqual(
      [],
    );
  }
});
