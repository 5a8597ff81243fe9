// Style sheets and scripts of the pages of dash, bundled into packages/dash/static. `dashdoc serve` reads them from there,
// whether it runs from sources or built.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type BuildOptions, build } from 'esbuild';

const web = join(import.meta.dirname, '../packages/dash/src/web');
const destination = join(import.meta.dirname, '../packages/dash/static');
mkdirSync(destination, { recursive: true });

const options: BuildOptions = {
  entryNames: '[name]',
  outdir: destination,
  bundle: true,
  minify: true,
  platform: 'browser',
  target: ['chrome123', 'firefox125', 'safari17.5'],
  conditions: ['msg-source'],
  jsx: 'automatic',
  jsxImportSource: 'preact',
  legalComments: 'none',
  logLevel: 'warning',
};

await build({
  ...options,
  entryPoints: [join(web, 'styles/page.css'), join(web, 'islands/page.ts')],
  format: 'iife',
  banner: { js: '/*! @msg/dash: Apache-2.0. preact: MIT, Jason Miller. */' },
});
await build({
  ...options,
  entryPoints: [join(web, 'islands/charts.ts')],
  format: 'esm',
  banner: { js: '/*! @msg/dash, echarts: Apache-2.0. zrender: BSD-3-Clause. tslib: 0BSD. */' },
});
