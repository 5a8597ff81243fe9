// The pages of the console, bundled into packages/console/dist/web with a list of them, each file also compressed. The
// names of scripts and styles hold their hash; `list.json` is what the server answers from.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { repositoryOf } from './pack.ts';
import { addressOf } from './published.ts';

const home = join(import.meta.dirname, '../packages/console');
const source = join(home, 'src');
const served = join(home, 'dist/web');
// Files that are served meanwhile stay until the new ones are whole.
const destination = `${served}-${process.pid}`;
const assets = join(destination, 'assets');
mkdirSync(assets, { recursive: true });

const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
};

/** Where links of the console to the documentation lead, as those of the alerts do. */
const documentation = addressOf(repositoryOf(join(home, '../..')), 'docs/README.md').replace(
  /README\.md$/,
  '',
);

const { outputFiles } = await build({
  entryPoints: { console: join(source, 'app/main.tsx'), style: join(source, 'style/main.css') },
  outdir: assets,
  entryNames: '[name]-[hash]',
  chunkNames: '[name]-[hash]',
  bundle: true,
  splitting: true,
  minify: true,
  write: false,
  format: 'esm',
  platform: 'browser',
  target: ['chrome123', 'firefox125', 'safari17.5'],
  conditions: ['msg-source'],
  define: { DOCUMENTATION: JSON.stringify(documentation) },
  jsx: 'automatic',
  jsxImportSource: 'preact',
  banner: { js: '/*! @msg/console: Apache-2.0. preact, @preact/signals: MIT, Jason Miller, Preact Team. */' },
  legalComments: 'none',
  logLevel: 'warning',
});

/** Path and bytes of every file, the document included. */
const files = outputFiles.map(({ path, contents }) => [`assets/${basename(path)}`, contents] as const);
const entryOf = (beginning: string): string => files.find(([path]) => path.startsWith(beginning))?.[0] ?? '';
const list = files
  .toSorted(([one], [other]) => (one < other ? -1 : 1))
  .map(([path, contents]) => {
    const gzip = gzipSync(contents, { level: 9 });
    const brotli = brotliCompressSync(contents, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } });
    writeFileSync(join(destination, path), contents);
    writeFileSync(join(destination, `${path}.gz`), gzip);
    writeFileSync(join(destination, `${path}.br`), brotli);
    const sha256 = createHash('sha256').update(contents).digest('hex');
    const type = TYPES[path.slice(path.lastIndexOf('.') + 1)] ?? 'application/octet-stream';
    return { path, type, sha256, bytes: contents.length, gzip: gzip.length, brotli: brotli.length };
  });

writeFileSync(
  join(destination, 'index.html'),
  [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    '<base href="{base}">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    '<meta name="description" content="The console of a msg service.">',
    '<title>msg console</title>',
    '<link rel="icon" href="data:,">',
    `<link rel="stylesheet" href="${entryOf('assets/style-')}">`,
    `<script type="module" src="${entryOf('assets/console-')}"></script>`,
    '</head>',
    '<body><div id="app"></div><noscript>The console needs scripts.</noscript></body>',
    '</html>',
    '',
  ].join('\n'),
);
const { version } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')) as { version: string };
writeFileSync(join(destination, 'list.json'), `${JSON.stringify({ version, files: list }, null, 2)}\n`);

const old = `${destination}-old`;
if (existsSync(served)) renameSync(served, old);
renameSync(destination, served);
rmSync(old, { recursive: true, force: true });
