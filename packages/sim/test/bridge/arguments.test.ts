import { describe, expect, it } from 'vitest';
import { runBridge } from '../../src/bridge/command.ts';
import { EXIT } from '../../src/cli/exit.ts';

describe('npm run sim:bridge', () => {
  it.each([
    [['--sed', '1'], 'option --sed is not known; the nearest is --seed'],
    [['--seed'], '--seed needs a value'],
    [['--seed', 'one'], '--seed must be a whole number; got "one"'],
    [['--seconds', '61'], '--seconds must be from 10 to 60; got 61'],
    [['--seconds', '9'], '--seconds must be from 10 to 60; got 9'],
    [['--store', 'sentinels'], 'store "sentinels" is not known; the nearest is "sentinel"'],
    [['--plans', '0'], '--plans must be at least 1; got 0'],
    [['--mutant', 'own-publish'], expect.stringMatching(/^mutant "own-publish" is not known/)],
    [['storm'], 'only options are expected; got storm'],
    [['--only', 'calm'], expect.stringMatching(/^no plan has "calm" in its name; they are .*, storm 1, /)],
  ])('refuses %j', async (args, message) => {
    const lines: string[] = [];
    expect(await runBridge(args, line => lines.push(line))).toBe(EXIT.badUse);
    expect(lines).toEqual([message]);
  });
});
