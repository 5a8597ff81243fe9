// The browser wrapper for those who still `require` it: each entry in one file, with what is ours and without the
// stock client.
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';

const client = join(import.meta.dirname, '../packages/client');
const { exports: entries }: { exports: Record<string, { import?: { default: string }; require?: object }> } =
  JSON.parse(readFileSync(join(client, 'package.json'), 'utf8'));

await build({
  entryPoints: Object.values(entries)
    .filter(entry => entry.require !== undefined)
    .map(entry => join(client, entry.import?.default ?? '')),
  outdir: join(client, 'dist/cjs'),
  outExtension: { '.js': '.cjs' },
  bundle: true,
  format: 'cjs',
  target: 'es2022',
  external: ['centrifuge'],
  logLevel: 'warning',
});

// The same declarations under names that say of what kind the modules are.
for (const file of globSync('**/*.d.ts', { cwd: join(client, 'dist'), exclude: ['cjs/**'] })) {
  const target = join(client, 'dist/cjs', file.replace(/\.d\.ts$/, '.d.cts'));
  mkdirSync(dirname(target), { recursive: true });
  const text = readFileSync(join(client, 'dist', file), 'utf8');
  writeFileSync(target, text.replace(/(from '\.[^']*)\.[jt]s'/g, "$1.cjs'"));
}
