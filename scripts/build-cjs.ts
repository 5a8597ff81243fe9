// The browser wrapper for those who still `require` it: each entry in one file, with what is ours and without the
// stock client.
import { join } from 'node:path';
import { build } from 'esbuild';

const client = join(import.meta.dirname, '../packages/client');

await build({
  entryPoints: ['index', 'channels', 'scopes'].map(name => join(client, 'dist', `${name}.js`)),
  outdir: join(client, 'dist/cjs'),
  outExtension: { '.js': '.cjs' },
  bundle: true,
  format: 'cjs',
  target: 'es2022',
  external: ['centrifuge'],
  logLevel: 'warning',
});
