import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { PLATFORM } from '../../src/cli/run-process.ts';

it('a process that plays seeds holds none of the runs before the last one', () => {
  const script = join(import.meta.dirname, 'kept-runs.ts');
  const kept = execFileSync(process.execPath, [...PLATFORM, script, '{}'], { encoding: 'utf8' });
  expect(Number(kept)).toBeLessThanOrEqual(1);
});
