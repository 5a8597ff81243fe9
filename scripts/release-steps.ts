/** The part of a `package.json`, or of its entry in the lock file, that a release changes. */
interface Versioned {
  name?: string;
  version?: string;
  [kind: string]: unknown;
}

const KINDS = ['dependencies', 'devDependencies', 'peerDependencies', 'optionalDependencies'];

/** Numbers of a version `1.2.3`; `undefined` for another text. */
function numbersOf(version: string): readonly number[] | undefined {
  return /^(?:0|[1-9]\d*)(?:\.(?:0|[1-9]\d*)){2}$/.test(version) ? version.split('.').map(Number) : undefined;
}

/** What is wrong with the version of a release; `undefined` for one that may follow the current one. */
export function versionFault(next: string, current: string): string | undefined {
  const [numbers, before] = [numbersOf(next), numbersOf(current)];
  if (numbers === undefined) return `version must be <major>.<minor>.<patch>; got ${JSON.stringify(next)}`;
  const first = numbers.findIndex((number, index) => number !== before?.[index]);
  if (first >= 0 && (numbers[first] ?? 0) > (before?.[first] ?? 0)) return undefined;
  return `version must be above ${current}; got ${next}`;
}

/** What is wrong with the address that published links lead to; `undefined` for one that can be read. */
export function addressFault(address: string): string | undefined {
  const { protocol, hostname } = new URL(address);
  if (protocol === 'https:' && !/(^|\.)example\.(com|org|net)$/.test(hostname)) return undefined;
  return `"repository" of package.json must be the https address of the repository; got ${JSON.stringify(address)}`;
}

/** Gives a manifest the new version when it is one of the released, and the new version of those it depends on. */
export function withVersion<M extends Versioned>(
  manifest: M,
  released: ReadonlySet<string>,
  version: string,
): M {
  const result: Versioned = { ...manifest };
  if (released.has(manifest.name ?? '')) result.version = version;
  for (const kind of KINDS) {
    const entries = manifest[kind];
    if (typeof entries !== 'object' || entries === null) continue;
    result[kind] = Object.fromEntries(
      Object.entries(entries).map(([name, range]) => [name, released.has(name) ? version : range]),
    );
  }
  return result as M; // the same members
}

/**
 * The change log with what was unreleased under the version.
 * @throws Error when there is nothing to release
 */
export function releasedChangelog(text: string, version: string, date: string): string {
  const heading = '## Unreleased\n';
  const [before = '', after] = text.split(heading);
  const entries = after?.split(/^## /m)[0]?.trim() ?? '';
  if (entries === '') throw new Error('CHANGELOG.md has nothing below "## Unreleased"');
  return `${before}${heading}\n## ${version} - ${date}\n${after}`;
}
