import { describe, expect, it } from 'vitest';
import { runCommand } from '../src/cli/commands.ts';
import { firstDifference } from '../src/cli/diff.ts';
import { EXIT } from '../src/cli/exit.ts';

function said(args: readonly string[]): { exit: number; text: string } {
  const lines: string[] = [];
  const exit = runCommand(args, line => lines.push(line));
  return { exit, text: lines.join('\n') };
}

describe('npm run sim', () => {
  it.each([
    [['--class', 'bear'], 'class "bear" is not known; the nearest is "bare"'],
    [['--sed', '3'], 'option --sed is not known; the nearest is --seed'],
    [['vieuw', 'x.json'], 'command "vieuw" is not known; the nearest is "view"'],
    [['view'], 'view takes one file'],
    [['emit', 'x.json', '--as', 'tset'], 'form "tset" is not known; the nearest is "test"'],
    [['dif'], 'command "dif" is not known; the nearest is "diff"'],
    [['--seed', 'x'], '--seed must be a whole number; got "x"'],
    [['--switch', 'chanels=2'], 'switch "chanels" is not known; the nearest is "channels"'],
    [['--switch', 'recovery=cash'], 'recovery: "cash" is not known; the nearest is "cache"'],
    [['--switch', 'cut=of'], 'cut: "of" is not known; the nearest is "off"'],
    [['--class', 'bare', '--switch', 'cut=on'], 'class bare has no switches'],
    [['--hours', '3'], 'class memory has a length of its own'],
    [['--class', 'storm', '--hours', 'one'], '--hours must be a number above 0; got "one"'],
    [['--class', 'storm', '--hours', '0'], '--hours must be a number above 0; got "0"'],
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
