// The browser wrapper with the stock client inside, for pages without a bundler. The service answers these files as
// /msg.js (a script with the global `msg`) and /msg.mjs (a module), compressed ahead of time. Built from the sources of
// the client, so that `npm start` has them without a build.
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const root = join(import.meta.dirname, '..');
const destination = join(root, 'packages/server/dist/client-script');
mkdirSync(destination, { recursive: true });
copyFileSync(join(root, 'node_modules/centrifuge/LICENSE'), join(destination, 'centrifuge.LICENSE'));

for (const [file, format] of [
  ['msg.js', 'iife'],
  ['msg.mjs', 'esm'],
] as const) {
  const { outputFiles } = await build({
    stdin: {
      contents: "export * from '@msg/client'",
      resolveDir: join(root, 'packages/client'),
      loader: 'ts',
    },
    bundle: true,
    minify: true,
    format,
    ...(format === 'iife' ? { globalName: 'msg' } : {}),
    platform: 'browser',
    target: 'es2022',
    conditions: ['msg-source'],
    banner: { js: '/*! @msg/client: Apache-2.0. centrifuge: MIT, Centrifugal Labs. */' },
    legalComments: 'none',
    write: false,
    logLevel: 'warning',
  });
  const script = outputFiles[0]?.contents ?? new Uint8Array();
  writeFileSync(join(destination, file), script);
  writeFileSync(join(destination, `${file}.gz`), gzipSync(script, { level: 9 }));
  writeFileSync(join(destination, `${file}.br`), brotliCompressSync(script));
}
