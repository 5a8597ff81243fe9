import { describe, expect, it } from 'vitest';
import { runBridge } from '../../src/bridge/command.ts';
import { STORE_KINDS } from '../../src/bridge/real-store.ts';
import { EXIT } from '../../src/cli/exit.ts';

const seed = process.env['MSG_SEED'] ?? '1';

async function played(args: readonly string[]): Promise<{ code: number; lines: readonly string[] }> {
  const lines: string[] = [];
  const code = await runBridge(args, line => lines.push(line));
  return { code, lines };
}

describe('the bridge to reality', () => {
  it.each(STORE_KINDS)(
    `keeps every promise in a drawn plan on a real store: %s (seed ${seed})`,
    async store => {
      const { code, lines } = await played([
        '--only',
        'storm',
        '--plans',
        '1',
        '--seconds',
        '15',
        '--store',
        store,
        '--seed',
        seed,
      ]);
      expect(lines.join('\n')).toMatch(/ [1-9]\d{2,} deliveries, \d+ recoveries, [1-9]\d* faults played/);
      expect(lines.join('\n')).toContain(' 0 broken promises');
      expect(code === EXIT.clean || lines.some(line => / steps skipped \([2-9]\d/.test(line))).toBe(true);
    },
    240_000,
  );

  it('finds a bug that is planted into the nodes', async () => {
    const { code, lines } = await played([
      ...['--only', 'storm 3', '--seconds', '15'],
      ...['--mutant', 'announced-an-offset-early'],
    ]);
    expect(code, lines.join('\n')).toBe(EXIT.violation);
  }, 240_000);
});
