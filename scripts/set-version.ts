// Substitutes the version that a build reports: `node scripts/set-version.ts v1.2.3`. Without it a build is `dev`.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const FILE = join(import.meta.dirname, '../packages/server/src/config/version.ts');
const [version = ''] = process.argv.slice(2);

if (!/^[0-9A-Za-z][0-9A-Za-z.+_-]{0,127}$/.test(version)) {
  console.error('usage: set-version <version>: letters, digits, . + _ -');
  process.exit(1);
}
const source = readFileSync(FILE, 'utf8');
const changed = source.replace(/(export const VERSION = )'[^']*'/, `$1'${version}'`);
if (!changed.includes(`VERSION = '${version}'`)) throw new Error(`${FILE} declares no VERSION`);
writeFileSync(FILE, changed);
