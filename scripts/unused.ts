import { execFileSync } from 'node:child_process';
import type { Finding } from './allowance.ts';

/** The part of knip's JSON report that is read: for each file, lists of what is wrong by kind. */
interface Report {
  readonly issues: readonly ({ readonly file: string } & Readonly<Record<string, unknown>>)[];
}

/** Exports nobody imports, dependencies nobody uses, and imports that a package does not declare. */
export function findUnused(root: string): Finding[] {
  const args = ['--no-exit-code', '--reporter', 'json'];
  const output = execFileSync('knip', args, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 });
  return readReport(JSON.parse(output) as Report); // knip's own form
}

/** One finding per name, counted by package and kind. */
export function readReport({ issues }: Report): Finding[] {
  return issues.flatMap(({ file, ...kinds }) => {
    const [first = '', second = ''] = file.split('/');
    const home = first === 'packages' ? second : first;
    return Object.entries(kinds).flatMap(([kind, items]) =>
      Array.isArray(items)
        ? items.map(({ name }: { name: string }) => ({ key: `${home}: ${kind}`, text: `${file}: ${name}` }))
        : [],
    );
  });
}
