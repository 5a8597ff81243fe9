import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Something that a rule does not want. */
export interface Finding {
  /** What is counted together; no path, so that a file may move. */
  readonly key: string;
  /** For people: the place and what is wrong there. */
  readonly text: string;
}

type Counts = Readonly<Record<string, number>>;

function fileOf(root: string, name: string): string {
  return join(root, 'scripts/allowances', `${name}.json`);
}

function read(root: string, name: string): Counts {
  return JSON.parse(readFileSync(fileOf(root, name), 'utf8')) as Counts; // written by `shrink`, and by hand
}

/** How often each key was found. */
export function countByKey(findings: readonly Finding[]): Counts {
  const groups = Map.groupBy(findings, ({ key }) => key);
  return Object.fromEntries(
    [...groups].map(([key, all]) => [key, all.length] as const).sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

/** What is above a counted allowance. An allowance is what stood when the rule came: it may only shrink. */
export function faultsBeyond(allowed: Counts, findings: readonly Finding[]): string[] {
  const found = countByKey(findings);
  return Object.entries(found).flatMap(([key, count]) => {
    const most = allowed[key] ?? 0;
    if (count <= most) return [];
    const places = findings.filter(finding => finding.key === key).map(({ text }) => text);
    return [`${key}: ${count} found, ${most} allowed`, ...places.map(place => `  ${place}`)];
  });
}

/** The keys whose allowance is above the count: a note for the author of the change, never a fault. */
export function notesOf(allowed: Counts, findings: readonly Finding[]): string[] {
  const found = countByKey(findings);
  return Object.entries(allowed).flatMap(([key, most]) => {
    const count = found[key] ?? 0;
    return count < most ? [`${key}: ${most} allowed, ${count} found; lower it with --shrink`] : [];
  });
}

/** Holds findings to the allowance `scripts/allowances/<name>.json`. */
export function faultsOf(root: string, name: string, findings: readonly Finding[]): string[] {
  return faultsBeyond(read(root, name), findings);
}

/** Lowers an allowance to what is found. It never raises one. */
export function shrink(root: string, name: string, findings: readonly Finding[]): void {
  const found = countByKey(findings);
  const rows = Object.entries(read(root, name)).map(
    ([key, most]) => [key, Math.min(most, found[key] ?? 0)] as const,
  );
  const left = Object.fromEntries(rows.filter(([, count]) => count > 0));
  writeFileSync(fileOf(root, name), `${JSON.stringify(left, null, 2)}\n`);
}

/** Runs a check as a program: prints its faults, and fails for them. `--shrink` lowers the allowance first. */
export function runCheck(title: string, name: string, findings: readonly Finding[]): void {
  if (process.argv.includes('--shrink')) shrink('.', name, findings);
  const faults = faultsOf('.', name, findings);
  for (const line of [...faults, ...notesOf(read('.', name), findings)]) console.error(line);
  const rest = findings.length === 0 ? 'nothing' : `${findings.length}, all of them allowed until they go`;
  console.log(`${title}: ${faults.length === 0 ? rest : 'against the rules'}`);
  if (faults.length > 0) process.exitCode = 1;
}
