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

const { outputFiles } = await build({
  stdin: {
    contents: "export * from '@msg/client'",
    resolveDir: join(root, 'packages/client'),
    loader: 'ts',
  },
  bundle: true,
  minify: true,
  format: 'esm',
  platform: 'browser',
  target: 'es2022',
  conditions: ['msg-source'],
  banner: { js: '/*! @msg/client: Apache-2.0. centrifuge: MIT, Centrifugal Labs. */' },
  legalComments: 'none',
  write: false,
  logLevel: 'warning',
});
const module = outputFiles[0]?.text ?? '';

for (const [file, script] of [
  ['msg.js', withGlobal(module)],
  ['msg.mjs', module],
] as const) {
  writeFileSync(join(destination, file), script);
  writeFileSync(join(destination, `${file}.gz`), gzipSync(script, { level: 9 }));
  writeFileSync(join(destination, `${file}.br`), brotliCompressSync(script));
}

/** The module as a script that sets the global `msg`: what it exports at its end is the value of a function. */
function withGlobal(text: string): string {
  const [, head, body, names] = /^(.*?\n)([\s\S]*)export\{([^{}]*)\};\s*$/.exec(text) ?? [];
  if (body === undefined || names === undefined) throw new Error('the module does not end with its exports');
  const members = names.split(',').map(name => {
    const [local, exported = local] = name.split(' as ');
    return `${exported}:${local}`;
  });
  return `${head}var msg=(()=>{${body}return{${members}}})();\n`;
}
