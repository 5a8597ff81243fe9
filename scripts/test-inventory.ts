// node scripts/test-inventory.ts <report> …: every case of test/inventory/cases.txt.gz ran, or stands in
// test/inventory/replaced.json with the case that replaces it. Reports are those of MSG_TEST_REPORT.
// `--write` makes the list of what the reports hold: when lanes or suites were changed on purpose and no case is lost.
import { readFileSync, writeFileSync } from 'node:fs';
import { gunzipSync, gzipSync } from 'node:zlib';

const LIST = 'test/inventory/cases.txt.gz';
const REPLACED = 'test/inventory/replaced.json';

/** The part of vitest's JSON report that is read. */
interface Report {
  readonly testResults: readonly {
    readonly assertionResults: readonly {
      readonly ancestorTitles: readonly string[];
      readonly title: string;
      readonly status: string;
    }[];
  }[];
}

/** A case without what differs from run to run or moves with a line. The file is no part of it, since files move. */
export function caseName(titles: readonly string[]): string {
  return titles
    .join(' > ')
    .replace(/\bseed -?\d+/g, 'seed N')
    .replace(/\.md:\d+/g, '.md')
    .replace(/\s+/g, ' ')
    .trim();
}

/** Cases made of what the sources hold, one for each place: when a place goes, so does its case. */
const MADE_FROM_SOURCES = 'every regular expression that meets input of a peer > ';

function isListed(name: string): boolean {
  return !name.startsWith(MADE_FROM_SOURCES);
}

/** Names of the cases that a report holds. One that says why this machine cannot run it is there all the same. */
export function casesOf({ testResults }: Report): string[] {
  return testResults.flatMap(({ assertionResults }) =>
    assertionResults
      .filter(({ status }) => status !== 'todo')
      .map(({ ancestorTitles, title }) => caseName([...ancestorTitles, title])),
  );
}

/**
 * Cases of the list that did not run and that no row replaces by one that did, and rows whose case still runs. A case
 * that was there several times must be there as often.
 */
export function inventoryFaults(
  list: readonly string[],
  ran: readonly string[],
  replaced: Readonly<Record<string, string>>,
): string[] {
  const left = new Map<string, number>();
  for (const name of ran) left.set(name, (left.get(name) ?? 0) + 1);
  const faults: string[] = [];
  for (const name of list) {
    const count = left.get(name) ?? 0;
    left.set(name, count - 1);
    if (count > 0) continue;
    const instead = replaced[name];
    if (instead === undefined) faults.push(`gone, and nothing replaces it: ${name}`);
    else if (!ran.includes(instead))
      faults.push(`gone, and what replaces it did not run: ${name} → ${instead}`);
  }
  return faults;
}

if (import.meta.main) {
  const [, , ...words] = process.argv;
  const reports = words.filter(word => word !== '--write');
  const ran = reports.flatMap(path => casesOf(JSON.parse(readFileSync(path, 'utf8')) as Report));
  if (words.includes('--write')) writeFileSync(LIST, gzipSync(`${ran.toSorted().join('\n')}\n`));
  const lines = gunzipSync(readFileSync(LIST)).toString().trimEnd().split('\n');
  const list = lines.map(name => caseName([name])).filter(isListed);
  const replaced = JSON.parse(readFileSync(REPLACED, 'utf8')) as Record<string, string>;
  const faults = inventoryFaults(list, ran, replaced);
  for (const fault of faults) console.error(fault);
  console.log(`inventory: ${list.length} cases listed, ${ran.length} ran, ${faults.length} missing`);
  process.exitCode = faults.length === 0 ? 0 : 1;
}
