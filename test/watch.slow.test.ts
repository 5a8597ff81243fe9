import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ShellProcess } from '@msg/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CheckoutCopy } from './support/checkout-copy.ts';

const FILE = 'packages/foundation/src/suggest/suggest.ts';
const PATIENT_MS = 240_000;

describe('npm run watch, in a copy', () => {
  let copy: CheckoutCopy;
  let watch: ShellProcess;
  const source = () => readFileSync(join(copy.root, FILE), 'utf8');
  const printed = (pattern: RegExp) => watch.printed('stdout', pattern, PATIENT_MS);

  beforeAll(async () => {
    copy = new CheckoutCopy('watch');
    watch = new ShellProcess('npm run --silent watch', { cwd: copy.root });
    await printed(/Found 0 errors/);
  }, PATIENT_MS);
  afterAll(async () => {
    await watch.stop();
    copy.remove();
  });

  it('checks the types, and runs the unit tests of a changed file, again at each save', {
    timeout: 3 * PATIENT_MS,
  }, async () => {
    const before = source();
    const changed = before.replace('const MAX_NEAREST = 50;', 'const MAX_NEAREST = 1;');
    expect(changed).not.toBe(before);
    writeFileSync(join(copy.root, FILE), changed);
    await printed(/FAIL .*packages\/foundation\/test\/suggest/);
    writeFileSync(
      join(copy.root, FILE),
      before.replace('const MAX_NEAREST = 50;', "const MAX_NEAREST: number = 'many';"),
    );
    await printed(/suggest\.ts.*error TS2322/s);
  });
});
