import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ShellProcess } from '@msg/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CheckoutCopy } from './support/checkout-copy.ts';

const FILE = 'packages/codegen/src/names.ts';
const PATIENT_MS = 300_000;
/** A watcher that has just begun may miss a save: it is made again after this time. */
const SAVE_AGAIN_MS = 30_000;

/** The variables by which a test runner knows itself: the runner that the watch starts must not meet them. */
const ofThisRunner = (): Record<string, undefined> =>
  Object.fromEntries(
    Object.keys(process.env)
      .filter(name => /^(?:VITEST.*|TEST|MODE|DEV|PROD|SSR|BASE_URL|NODE_ENV)$/.test(name))
      .map(name => [name, undefined]),
  );

describe('npm run watch, in a copy', () => {
  let copy: CheckoutCopy;
  let watch: ShellProcess;

  beforeAll(async () => {
    copy = new CheckoutCopy('watch');
    watch = new ShellProcess('npm run --silent watch', {
      cwd: copy.root,
      env: { ...ofThisRunner(), NO_COLOR: '1' },
    });
    await watch.printed('stdout', /Found 0 errors/, PATIENT_MS);
    await watch.printed('stdout', /Waiting for file changes/, PATIENT_MS);
  }, 2 * PATIENT_MS);
  afterAll(async () => {
    await watch.stop();
    copy.remove();
  });

  /** Replaces a text of the file, and saves until the pattern is printed. */
  async function save(text: string, replacement: string, pattern: RegExp): Promise<void> {
    const path = join(copy.root, FILE);
    const before = readFileSync(path, 'utf8');
    expect(before).toContain(text);
    for (let saved = 1; ; saved++) {
      writeFileSync(path, before.replace(text, replacement));
      const printed = await watch.printed('stdout', pattern, SAVE_AGAIN_MS).then(
        () => true,
        error => {
          if (saved * SAVE_AGAIN_MS >= PATIENT_MS) throw error;
          return false;
        },
      );
      if (printed) return;
    }
  }

  it('runs the unit tests that a change affects', { timeout: PATIENT_MS + SAVE_AGAIN_MS }, () =>
    save("'id url uri ", "'url uri ", /codegen\/test\/golden\.test\.ts \(\d+ tests \| \d+ failed\)/),
  );

  it('checks the types of a change', { timeout: PATIENT_MS + SAVE_AGAIN_MS }, () =>
    save('const INITIALISMS = new', 'const INITIALISMS: string = new', /names\.ts.*error TS2322/),
  );
});
