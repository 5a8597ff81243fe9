import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Figures } from '../bench/src/figures.ts';
import { claimsBand, claimsFor, languagesOf } from '../docs/.vitepress/site/home/claims.ts';

const conformance = readFileSync('docs/conformance.md', 'utf8');
const figures = JSON.parse(readFileSync('bench/figures.json', 'utf8')) as Figures; // ours

describe('the claims of the home page', () => {
  it('have the figures that the bench wrote', () => {
    const [storm, fanout] = claimsFor(figures.version, figures, conformance);
    expect(storm?.figure).toBe(String(figures.storm.missing));
    expect(fanout?.figure).toBe(figures.fanout.ratio.toFixed(2));
    expect(storm?.baseline).toContain(figures.date);
  });

  it('are the ones of other measurements when the file says something else', () => {
    const other = {
      ...figures,
      storm: { ...figures.storm, missing: 3 },
      fanout: { ...figures.fanout, ratio: 1.5 },
    };
    expect(claimsFor(figures.version, other, conformance).map(({ figure }) => figure)).toEqual([
      '3',
      '1.50',
      String(languagesOf(conformance).length),
    ]);
  });

  it('are not shown when they were measured with an older version, or not at all', () => {
    const older = claimsFor('9.9.9', figures, conformance).map(({ command }) => command);
    expect(older).toEqual(['npm run conformance']);
    expect(claimsFor('9.9.9', undefined, '')).toEqual([]);
  });

  it('count each language once, whatever its releases', () => {
    const page =
      '\n## Releases of the clients\n\n| Go a 0.1.0 | x |\n| Go a 0.2.0 | x |\n| Java b 1.0.0 | x |\n\n## More\n';
    expect(languagesOf(page)).toEqual(['Go', 'Java']);
  });

  it('name commands and pages that exist', () => {
    for (const { command, method } of claimsFor(figures.version, figures, conformance)) {
      const [, , script = '', , bench = ''] = command.split(' ');
      expect(JSON.parse(readFileSync('package.json', 'utf8')).scripts).toHaveProperty(script);
      if (bench !== '') expect(existsSync(`bench/src/${bench}.ts`)).toBe(true);
      const [path = '', anchor] = method.split('#');
      const page = readFileSync(`docs/${path}`, 'utf8');
      if (anchor !== undefined) expect(page).toContain(`\n## ${anchor}\n`);
    }
    expect(claimsBand()).toContain('each with its test');
  });
});
