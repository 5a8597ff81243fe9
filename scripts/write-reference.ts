// Writes the generated pages: node --conditions=msg-source scripts/write-reference.ts
import { writeFileSync } from 'node:fs';
import { referencePages } from './reference-pages.ts';

for (const [path, content] of await referencePages()) {
  writeFileSync(path, content);
  console.log(path);
}
