// The compiler leaves out what is no TypeScript: puts the scripts that run inside Redis beside the code that loads them.
import { cpSync, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const packages = join(import.meta.dirname, '../packages');

for (const name of readdirSync(packages)) {
  const source = join(packages, name, 'src');
  if (!existsSync(source)) continue;
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' });
  for (const file of files.filter(path => path.endsWith('.lua'))) {
    cpSync(join(source, file), join(packages, name, 'dist', file));
  }
}
