import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCommand } from '../../src/cli/commands.ts';
import { CORPUS } from '../../src/cli/corpus.ts';
import { brokenCases, modelFailure } from '../../src/cli/emit/levels.ts';
import { EXIT } from '../../src/cli/exit.ts';

function emitted(plan: string, ...more: string[]): { exit: number; text: string } {
  const lines: string[] = [];
  const exit = runCommand(['emit', join(CORPUS, `${plan}.json`), ...more], line => lines.push(line));
  return { exit, text: lines.join('\n') };
}

describe('npm run sim -- emit', { timeout: 240_000 }, () => {
  it('prints a scenario of the model where one node shows the defect', () => {
    const { exit, text } = emitted('new-epoch-after-a-restart', '--mutant', 'epoch-ignored');
    expect(exit).toBe(EXIT.clean);
    expect(text).toMatch(/^\/\/ packages\/engine\/test\/model: O5 of packages\/sim\/corpus\/new-epoch-after/);
    expect(text).toContain('{"do":"subscribe"');
  });

  it('prints a test of the plan where nothing smaller shows the defect', () => {
    const { exit, text } = emitted('no-stop-before-fifteen-seconds', '--mutant', 'stopped-too-soon');
    expect(exit).toBe(EXIT.clean);
    expect(text).toMatch(/^\/\/ packages\/sim\/test\/blackbox: O38 of /);
  });

  it('finds what the store alone shows, and nothing without a planted bug', () => {
    expect(brokenCases('ring-off-by-one')).not.toEqual([]);
    expect(brokenCases(undefined)).toEqual([]);
    expect(modelFailure(undefined, 200)).toBeUndefined();
  });

  it('refuses a plan that breaks nothing, and says with what it did', () => {
    const { exit, text } = emitted('new-epoch-after-a-restart');
    expect(exit).toBe(EXIT.badUse);
    expect(text).toContain(
      'breaks nothing: there is nothing to test; it was found with --mutant epoch-ignored',
    );
  });
});
