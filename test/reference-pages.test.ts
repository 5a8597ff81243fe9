import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { referencePages } from '../scripts/reference-pages.ts';

test.each([...referencePages()])('%s is as the code declares it', (path, content) => {
  const hint = 'stale: run node --conditions=msg-source scripts/write-reference.ts';
  expect(readFileSync(path, 'utf8') === content, hint).toBe(true);
});
