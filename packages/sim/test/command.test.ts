import { describe, expect, it } from 'vitest';
import { EXIT, runCommand } from '../src/cli/commands.ts';
import { firstDifference } from '../src/cli/diff.ts';

function said(args: readonly string[]): { exit: number; text: string } {
  const lines: string[] = [];
  const exit = runCommand(args, line => lines.push(line));
  return { exit, text: lines.join('\n') };
}

describe('npm run sim', () => {
  it.each([
    [['--class', 'bear'], 'class "bear" is not known; the nearest is "bare"'],
    [['--sed', '3'], 'option --sed is not known; the nearest is --seed'],
    [['dif'], 'command "dif" is not known; the nearest is "diff"'],
    [['--seed', 'x'], '--seed must be a whole number; got "x"'],
    [['play', 'diff'], 'one command is expected; got play diff'],
  ])('refuses %j with the nearest known word', (args, text) => {
    expect(said(args)).toEqual({ exit: EXIT.badUse, text });
  });
});

describe('the difference of two records', () => {
  it('is the first line that differs, with 20 before it', () => {
    const whole = Array.from({ length: 50 }, (_, i) => `event ${i}`);
    const changed = whole.map(line => (line === 'event 40' ? 'another' : line));
    const lines = firstDifference(whole, changed);
    expect(lines[0]).toBe('    event 20');
    expect(lines.slice(-3)).toEqual([
      'first  event 40',
      'second another',
      'event 41 is the first that differs',
    ]);
    expect(firstDifference(whole, whole)).toEqual([]);
    expect(firstDifference(whole, whole.slice(1, 0)).at(-2)).toBe('second ends');
  });
});
