import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Mutant } from '../mutants/mutant.ts';
import { MUTANTS } from '../mutants/mutants.ts';
import type { MutantOutcome } from './mutants.ts';

/** The page with the table of planted bugs. */
export const PROOF_PAGE = join(import.meta.dirname, '../../../../docs/proof.md');

const HEAD = '| Planted bug | Name | Class | Found by | Seed | Core seconds |\n|---|---|---|---|---|---|\n';
const ROW = /^\| .* \| `(?<name>[a-z-]+)` \| [a-z]+ \| (?<oracles>[EO\d ]+) \| (?<seed>\d+) \| [\d.]+ \|$/;

/** What the page says of one planted bug. */
export interface TableRow {
  readonly name: string;
  readonly oracles: readonly string[];
  readonly seed: number;
  readonly line: string;
}

/** The rows of the table in the text of the page. */
export function rowsOf(page: string): readonly TableRow[] {
  const [, table = ''] = page.split(HEAD);
  return linesOf(table).flatMap(line => {
    const groups = ROW.exec(line)?.groups;
    if (groups === undefined) return [];
    const { name = '', oracles = '', seed = '' } = groups;
    return [{ name, oracles: oracles.split(' '), seed: Number(seed), line }];
  });
}

/** Lines of the table that a text begins with. */
function linesOf(text: string): readonly string[] {
  const lines = text.split('\n');
  return lines.slice(
    0,
    lines.findIndex(line => !line.startsWith('|')),
  );
}

/** The row of a bug that was found. */
export function rowOf({ name, means, world, oracles: fitting }: Mutant, outcome: MutantOutcome): string {
  const oracles = outcome.oracles.filter(oracle => fitting.includes(oracle));
  const seconds = (outcome.cpuMs / 1000).toFixed(1);
  return `| ${means} | \`${name}\` | ${world} | ${oracles.join(' ')} | ${outcome.seed} | ${seconds} |`;
}

/** The text of the page with new rows; those of bugs that are gone are left out. */
export function withRows(page: string, lines: ReadonlyMap<string, string>): string {
  const [before, table] = page.split(HEAD);
  if (table === undefined) throw new Error('the page has no table of planted bugs');
  const oldLines = new Map(rowsOf(page).map(({ name, line }) => [name, line]));
  const rows = MUTANTS.flatMap(({ name }) => lines.get(name) ?? oldLines.get(name) ?? []);
  const after = table.split('\n').slice(linesOf(table).length);
  return `${before}${HEAD}${[...rows, ...after].join('\n')}`;
}

/** Writes a row into the page. */
export function writeRow(mutant: Mutant, outcome: MutantOutcome): void {
  const line = rowOf(mutant, outcome);
  writeFileSync(PROOF_PAGE, withRows(readFileSync(PROOF_PAGE, 'utf8'), new Map([[mutant.name, line]])));
}
