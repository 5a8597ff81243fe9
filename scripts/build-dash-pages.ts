// Style sheets and scripts of the pages of dash, bundled into packages/dash/static. `dashdoc serve` reads them from there,
// whether it runs from sources or built.
import { mkdirSync, writeFileSync } from 'node:fs';
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
  entryPoints: ['page', 'manage', 'review'].flatMap(name => [
    join(web, `styles/${name}.css`),
    join(web, `islands/${name}.ts`),
  ]),
  format: 'iife',
  banner: { js: '/*! @msg/dash: Apache-2.0. preact: MIT, Jason Miller. */' },
});
await build({
  ...options,
  entryPoints: [join(web, 'islands/charts.ts')],
  format: 'esm',
  banner: { js: '/*! @msg/dash, echarts: Apache-2.0. zrender: BSD-3-Clause. tslib: 0BSD. */' },
});
writeFileSync(join(destination, 'preview.html'), await previewPage());

/** The page inside of a host: one file, whose policy lets nothing out even where the host sets none. */
async function previewPage(): Promise<string> {
  const { outputFiles } = await build({
    ...options,
    entryPoints: [join(web, 'styles/preview.css'), join(web, 'islands/preview.ts')],
    format: 'esm',
    write: false,
  });
  const inner = (type: string): string => {
    const text = outputFiles.find(({ path }) => path.endsWith(type))?.text.trim();
    if (text === undefined || /<\/(?:style|script)/i.test(text))
      throw new Error(`preview${type} cannot stand in a page`);
    return text;
  };
  const policy = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:";
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<title>Preview of a changeset</title>',
    `<style>${inner('.css')}</style>`,
    '<body>',
    `<script type="module">${inner('.js')}</script>`,
    '',
  ].join('\n');
}
