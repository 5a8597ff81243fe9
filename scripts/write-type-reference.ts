// npm run docs:reference: the TypeScript reference of the site, from the declarations that `tsc -b` wrote.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { referenceEntries } from './type-reference/extract.ts';
import { referencePagesOf } from './type-reference/pages.ts';

const FOLDER = 'docs/reference';

rmSync(FOLDER, { recursive: true, force: true });
mkdirSync(FOLDER, { recursive: true });
for (const [file, text] of referencePagesOf('.', referenceEntries('.')))
  writeFileSync(join(FOLDER, file), text);
