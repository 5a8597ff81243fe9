// Style sheets and scripts of the pages of dash, bundled into packages/dash/static. `dashdoc serve` reads them from there,
// whether it runs from sources or built.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

const web = join(import.meta.dirname, '../packages/dash/src/web');
const destination = join(import.meta.dirname, '../packages/dash/static');
mkdirSync(destination, { recursive: true });

await build({
  entryPoints: [join(web, 'styles/page.css'), join(web, 'islands/page.tsx')],
  entryNames: '[name]',
  outdir: destination,
  bundle: true,
  minify: true,
  format: 'iife',
  platform: 'browser',
  target: ['chrome123', 'firefox125', 'safari17.5'],
  conditions: ['msg-source'],
  jsx: 'automatic',
  jsxImportSource: 'preact',
  banner: { js: '/*! @msg/dash: Apache-2.0. preact: MIT, Jason Miller. */' },
  legalComments: 'none',
  logLevel: 'warning',
});
