import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { EXIT } from '../../src/cli/exit.ts';
import { runLong } from '../../src/cli/long/long.ts';
import { noTotals } from '../../src/cli/long/totals.ts';
import { isReached, readUntil } from '../../src/cli/long/until.ts';

const state = mkdtempSync(join(tmpdir(), 'msg-long-'));
afterAll(() => rmSync(state, { recursive: true }));

describe('npm run sim:long', () => {
  it.each([
    [[], '--until is missing: deliveries=1e9, hours=1e5 or time=8h'],
    [['--untl', 'time=1h'], 'option --untl is not known; the nearest is --until'],
    [['--until'], '--until needs a value'],
    [['--until', 'hour=1e5'], 'until "hour" is not known; the nearest is "hours"'],
    [['--until', 'time=3'], '--until time= must be a time such as 8h, 90m or 30s; got "3"'],
    [['--until', 'hours=-3'], '--until hours= must be a number such as 1e9; got "-3"'],
    [
      ['--until', 'time=1h', '--class', 'standart'],
      'class "standart" is not known; the nearest is "standard"',
    ],
    [['--until', 'time=1h', '--class', 'bare'], expect.stringMatching(/^class "bare" is not known/)],
    [['--until', 'time=1h', '--workers', '0'], '--workers must be a whole number of at least 1; got "0"'],
    [['--until', 'time=1h', '--max-failures', 'x'], '--max-failures must be a whole number; got "x"'],
    [['--until', 'time=1h', '--from', '0'], '--from must be a whole number of at least 1; got "0"'],
    [['ad'], 'command "ad" is not known; the nearest is "add"'],
    [['add', 'more'], 'one command is expected; got add more'],
    [['add', '--state', state], `${state} holds no finished seed`],
  ])('refuses %j', async (args, text) => {
    const lines: string[] = [];
    expect(await runLong(args, line => lines.push(line))).toBe(EXIT.badUse);
    expect(lines).toEqual([text]);
  });
});

describe('the end of a campaign', () => {
  it.each([
    ['deliveries=1e9', { deliveries: 999_999_999 }, { deliveries: 1e9 }],
    ['hours=1.5', { clusterMs: 5_399_999 }, { clusterMs: 5_400_000 }],
  ])('is %s', (text, before, then) => {
    const until = readUntil(text);
    expect(isReached(until, { ...noTotals(), ...before }, 1e9)).toBe(false);
    expect(isReached(until, { ...noTotals(), ...then }, 0)).toBe(true);
  });

  it('is a real time of the call', () => {
    for (const [text, ms] of [
      ['time=30s', 30_000],
      ['time=90m', 5_400_000],
      ['time=0.5h', 1_800_000],
    ] as const) {
      expect(isReached(readUntil(text), noTotals(), ms - 1)).toBe(false);
      expect(isReached(readUntil(text), noTotals(), ms)).toBe(true);
    }
  });
});
