import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PROOF_PAGE, rowOf, rowsOf, withRows } from '../src/cli/mutants-table.ts';
import type { Mutant } from '../src/mutants/mutant.ts';
import { MUTANTS } from '../src/mutants/mutants.ts';
import { REDIS_MUTANTS } from '../src/mutants/redis.ts';
import { ORACLES } from '../src/oracles/all.ts';
import { switchesOf } from '../src/plan/classes.ts';
import { plant } from '../src/platform/plant.ts';

function expectOnce(file: string, text: string): void {
  const source = readFileSync(join(import.meta.dirname, '../../..', file), 'utf8');
  expect(source.split(text)).toHaveLength(2);
}

describe('a planted bug', () => {
  it.each(MUTANTS.map(mutant => [mutant.name, mutant] as const))('is not stale: %s', (_, mutant) => {
    const { file, text, replacement, oracles } = mutant;
    expectOnce(file, text);
    expect(replacement).not.toBe(text);
    // O39: an error that no code catches.
    const known = [...ORACLES.map(({ id }) => id), 'O39'];
    for (const oracle of oracles) expect(known).toContain(oracle);
  });

  it.each(MUTANTS.map(mutant => [mutant.name, mutant] as const))(
    'has switches of its class: %s',
    (_, mutant) => {
      for (const [name, value] of Object.entries(mutant.switches ?? {})) {
        const known = switchesOf(mutant.world).find(each => each.name === name);
        expect(known?.values, name).toContain(value);
      }
    },
  );

  it.each(REDIS_MUTANTS)('of the simulated Redis is not stale: $name', ({ file, text, replacement }) => {
    expectOnce(file, text);
    expect(replacement).not.toBe(text);
  });
});

describe('the table of planted bugs', () => {
  const page = readFileSync(PROOF_PAGE, 'utf8');
  const rows = rowsOf(page);

  it('has one row for each, in their order', () => {
    expect(rows.map(({ name }) => name)).toEqual(MUTANTS.map(({ name }) => name));
  });

  it.each(MUTANTS.map(mutant => [mutant.name, mutant] as const))('says what finds %s', (_, mutant) => {
    const row = rows.find(({ name }) => name === mutant.name);
    expect(row?.line).toContain(`| ${mutant.means} | \`${mutant.name}\` | ${mutant.world} |`);
    for (const oracle of row?.oracles ?? []) expect(mutant.oracles).toContain(oracle);
    expect(row?.seed).toBeGreaterThan(0);
  });

  it('takes a new row in place of the old one, and leaves the rest of the page', () => {
    const mutant = MUTANTS[1] as Mutant;
    const line = rowOf(mutant, { seed: 77, oracles: ['O39', ...mutant.oracles], cpuMs: 1234 });
    expect(line).toMatch(/ \| 77 \| 1\.2 \|$/);
    expect(line).not.toContain('O39');
    const changed = withRows(page, new Map([[mutant.name, line]]));
    expect(rowsOf(changed)[1]).toMatchObject({ name: mutant.name, seed: 77 });
    expect(changed.replace(line, rows[1]?.line ?? '')).toBe(page);
  });
});

describe('a planted bug of a script', () => {
  const mutant = MUTANTS.find(({ file }) => file.endsWith('.lua')) as Mutant;
  const reading = (text: string) => new Map([['fs', { readFileSync: () => text }]]);

  it('is in what the service reads', () => {
    const modules = reading(`-- first\n${mutant.text}\n-- last`);
    plant(mutant.name, modules);
    const fs = modules.get('fs') as { readFileSync: (file: URL) => string };
    expect(fs.readFileSync(new URL(`file:///root/${mutant.file}`))).toBe(
      `-- first\n${mutant.replacement}\n-- last`,
    );
    expect(fs.readFileSync(new URL('file:///root/another.lua'))).toContain(mutant.text);
  });

  it.each([
    ['gone', ''],
    ['there twice', `${mutant.text} ${mutant.text}`],
  ])('is stale when its text is %s', (_, text) => {
    const modules = reading(text);
    plant(mutant.name, modules);
    const fs = modules.get('fs') as { readFileSync: (file: URL) => string };
    expect(() => fs.readFileSync(new URL(`file:///root/${mutant.file}`))).toThrow(/is stale/);
  });
});
