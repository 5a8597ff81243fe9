import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { allowedBy, barsOf, holds } from '../bench/src/bars.ts';
import { NIGHTLY_PARTS, type NightlyReport, runNightly } from '../scripts/nightly-parts.ts';
import { readManifest } from '../scripts/packages.ts';
import { releasedChangelog, versionFault, withVersion } from '../scripts/release-steps.ts';

describe('the bars of bench:smoke', () => {
  const line = (ratio: string, wanted: string) =>
    `  CPU, µs: engine 8 (7–9), ratio ${ratio} (1–2) over 5 pairs${wanted}`;

  it('are the ratios with something wanted', () => {
    const bars = barsOf(
      [line('1.10', ', wanted ≤ 1.15'), line('0.70', ', wanted ≥ 0.6'), line('3', '')].join('\n'),
    );
    expect(bars.map(({ measured, bound, wanted }) => [measured, bound, wanted])).toEqual([
      [1.1, '≤', 1.15],
      [0.7, '≥', 0.6],
    ]);
  });

  it.each([
    ['1.55', '≤ 1.15', true],
    ['1.56', '≤ 1.15', false],
    ['0.45', '≥ 0.6', true],
    ['0.44', '≥ 0.6', false],
  ])('hold %s against %s: %s', (ratio, wanted, expected) => {
    const [bar] = barsOf(line(ratio, `, wanted ${wanted}`));
    expect(bar && [holds(bar), allowedBy(bar) > 0]).toEqual([expected, true]);
  });

  it('fail for what is not a number', () => {
    expect(holds({ line: '', measured: Number.NaN, bound: '≤', wanted: 1 })).toBe(false);
  });
});

describe('the nightly run', () => {
  const parts = [
    { name: 'a', command: 'a <seed>' },
    { name: 'b', command: 'b' },
  ];
  const go = async (before: NightlyReport, failing: readonly string[] = []) => {
    const ran: string[] = [];
    const saved: NightlyReport[] = [];
    const report = await runNightly({
      parts,
      before,
      now: () => 0,
      save: state => saved.push(state),
      async execute(command) {
        ran.push(command);
        return { passed: !failing.includes(command), output: 'one\ntwo\n' };
      },
    });
    return { ran, saved, report };
  };

  it('runs each part with the seed, and saves after each', async () => {
    const { ran, saved, report } = await go({ seed: 7, parts: [] });
    expect(ran).toEqual(['a 7', 'b']);
    expect(saved.map(state => state.parts.length)).toEqual([1, 2]);
    expect(report.parts[0]).toEqual({
      name: 'a',
      command: 'a 7',
      passed: true,
      seconds: 0,
      lastLines: ['one', 'two'],
    });
  });

  it('goes on with what has not passed', async () => {
    const { report } = await go({ seed: 7, parts: [] }, ['a 7']);
    expect(report.parts.map(({ passed }) => passed)).toEqual([false, true]);
    const again = await go(report);
    expect(again.ran).toEqual(['a 7']);
    expect(again.report.parts.map(({ name, passed }) => [name, passed])).toEqual([
      ['b', true],
      ['a', true],
    ]);
  });

  it('has parts of different names, each a script of this repository', () => {
    expect(new Set(NIGHTLY_PARTS.map(({ name }) => name)).size).toBe(NIGHTLY_PARTS.length);
    const { scripts } = readManifest('.', '.') as unknown as { scripts: Record<string, string> }; // ours
    for (const { command } of NIGHTLY_PARTS)
      expect(scripts).toHaveProperty([
        /^(?:[A-Z_]+=\S+ )?npm run --silent (\S+)/.exec(command)?.[1] ?? command,
      ]);
  });
});

describe('a release', () => {
  it.each([
    ['0.2.0', '0.1.9', undefined],
    ['1.0.0', '0.9.9', undefined],
    ['0.1.0', '0.1.0', 'version must be above 0.1.0; got 0.1.0'],
    ['0.1.9', '0.2.0', 'version must be above 0.2.0; got 0.1.9'],
    ['1.0', '0.1.0', 'version must be <major>.<minor>.<patch>; got "1.0"'],
    ['01.0.0', '0.1.0', 'version must be <major>.<minor>.<patch>; got "01.0.0"'],
  ])('%s after %s', (next, current, fault) => {
    expect(versionFault(next, current)).toBe(fault);
  });

  it('gives the version to released packages and to those who depend on them', () => {
    const manifest = { name: 'a', version: '1.0.0', dependencies: { b: '1.0.0', x: '^3' }, private: true };
    expect(withVersion(manifest, new Set(['a', 'b']), '1.1.0')).toEqual({
      ...manifest,
      version: '1.1.0',
      dependencies: { b: '1.1.0', x: '^3' },
    });
    expect(withVersion({ name: 'p', version: '0.0.0' }, new Set(['a']), '1.1.0').version).toBe('0.0.0');
  });

  it('moves what was unreleased below its version, and needs something', () => {
    const text = '# Changelog\n\n## Unreleased\n\n- new\n\n## 0.1.0 - 2026-01-01\n\n- old\n';
    expect(releasedChangelog(text, '0.2.0', '2026-02-02')).toBe(
      '# Changelog\n\n## Unreleased\n\n## 0.2.0 - 2026-02-02\n\n- new\n\n## 0.1.0 - 2026-01-01\n\n- old\n',
    );
    const empty = '## Unreleased\n\n## 0.1.0\n\n- old\n';
    expect(() => releasedChangelog(empty, '0.2.0', '2026-02-02')).toThrow('nothing below');
  });
});

describe('the scripts of pages, which are built and not committed', () => {
  const { scripts } = readRootScripts();

  it('are built by npm ci, so that dashdoc serves from a fresh clone', () => {
    expect(scripts['prepare']).toBe('npm run --silent build:pages');
  });

  it.each(['test', 'test:unit', 'test:long', 'test:proofs', 'test:pages', 'test:site', 'test:standalone'])(
    'are built before %s on a fresh clone',
    lane => {
      expect(scripts[`pre${lane}`]).toMatch(/npm run --silent build(:pages)?$/);
    },
  );

  it('are part of a whole build', () => {
    expect(scripts['build']).toMatch(/npm run --silent build:pages$/);
  });
});

function readRootScripts(): { scripts: Readonly<Record<string, string>> } {
  return JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
}
