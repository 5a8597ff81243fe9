// Strips types of TypeScript and keeps the result by its digest: with `--jitless` Node.js has no WebAssembly, which its
// own stripping needs. A first run without that option fills the folder.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { registerHooks, stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = join(import.meta.dirname, '../../../.tmp/sim/stripped');
mkdirSync(folder, { recursive: true });

registerHooks({
  load(url, context, nextLoad) {
    if (!url.startsWith('file:') || !url.endsWith('.ts')) return nextLoad(url, context);
    const text = readFileSync(fileURLToPath(url), 'utf8');
    return { format: 'module', source: strippedOf(text), shortCircuit: true };
  },
});

function strippedOf(text) {
  const kept = join(folder, `${createHash('sha256').update(text).digest('hex')}.js`);
  try {
    return readFileSync(kept, 'utf8');
  } catch {
    const stripped = stripTypeScriptTypes(text);
    const draft = `${kept}.${process.pid}`;
    writeFileSync(draft, stripped);
    renameSync(draft, kept);
    return stripped;
  }
}
