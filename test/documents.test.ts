import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ROOMS } from '../scripts/import-rules.ts';
import { ROOMS_AS_BUILT } from '../scripts/rooms-as-built.ts';

const read = (path: string): string => readFileSync(path, 'utf8');

/** Names in backticks. */
function quoted(text: string): string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
}

/** The cells of a table's rows below a heading. */
function rowsBelow(page: string, heading: string): string[][] {
  const [, text = ''] = page.split(`\n${heading}\n`);
  const rows = text.split(/\n##+ /)[0]?.match(/^\|.*\|$/gm) ?? [];
  return rows.slice(2).map(row =>
    row
      .slice(2, -2)
      .split(' | ')
      .map(cell => cell.trim()),
  );
}

/** Folders directly below a package's `src`. */
function folders(name: string): string[] {
  return readdirSync(`packages/${name}/src`, { withFileTypes: true })
    .filter(entry => entry.isDirectory())
    .map(entry => entry.name);
}

/** Rooms that the heading "Rooms of" names, against those that are there; empty when they are the same. */
function roomFaults(page: string, name: string, rooms: readonly string[]): string[] {
  const named = rowsBelow(page, `## Rooms of \`${name}\``).flatMap(([cell = '']) => quoted(cell));
  return [
    ...rooms.filter(room => !named.includes(room)).map(room => `${name}: ${room} is not named`),
    ...named.filter(room => !rooms.includes(room)).map(room => `${name}: ${room} does not exist`),
  ];
}

describe('ARCHITECTURE.md', () => {
  const page = read('ARCHITECTURE.md');
  const tables = { ...ROOMS_AS_BUILT, ...ROOMS };

  it.each(Object.entries(tables))('names the rooms of %s', (name, table) => {
    expect(roomFaults(page, name, Object.keys(table))).toEqual([]);
    const outside = Object.keys(table).filter(room => !existsSync(`packages/${name}/src/${room}`));
    expect(outside).toEqual([]);
    const districts = Object.keys(table).map(room => room.split('/')[0]);
    expect(folders(name).filter(folder => !districts.includes(folder))).toEqual([]);
  });

  it('names the rooms of foundation', () => {
    expect(roomFaults(page, 'foundation', folders('foundation'))).toEqual([]);
  });

  it('names each package, with the folders of those that have no room table', () => {
    const rows = new Map(
      rowsBelow(page, '## Packages').map(([cell = '', holds = '']) => [quoted(cell)[0], holds]),
    );
    for (const name of readdirSync('packages')) {
      expect(rows.has(name), `${name} is not named`).toBe(true);
      if (name in tables || name === 'foundation') continue;
      const missing = folders(name).filter(folder => !rows.get(name)?.includes(`\`${folder}/\``));
      expect(missing, `folders of ${name}`).toEqual([]);
    }
  });

  it('is compared in both directions', () => {
    const text = '\n## Rooms of `a`\n\n| Room | Holds |\n|---|---|\n| `x`, `y` | both |\n\n## Other\n';
    expect(roomFaults(text, 'a', ['x', 'z'])).toEqual(['a: z is not named', 'a: y does not exist']);
  });
});

describe('docs/debugging.md', () => {
  const answers = rowsBelow(read('docs/debugging.md'), '## Where in the code');

  it('answers at least twelve questions', () => {
    expect(answers.length).toBeGreaterThanOrEqual(12);
  });

  it.each(answers)('%s', (_, file = '', word = '') => {
    const [path = ''] = quoted(file);
    expect(existsSync(path), `${path} does not exist`).toBe(true);
    expect(read(path)).toContain(quoted(word)[0]);
  });
});

describe('docs/decisions', () => {
  const pages = readdirSync('docs/decisions').filter(name => name !== 'README.md');

  it('has at least twenty pages', () => {
    expect(pages.length).toBeGreaterThanOrEqual(20);
  });

  it.each(pages)('%s says context, choice and consequence, and is in the index', name => {
    const parts = [...read(`docs/decisions/${name}`).matchAll(/^\*\*(\w+)\.\*\* \S/gm)].map(
      ([, part]) => part,
    );
    expect(parts).toEqual(['Context', 'Choice', 'Consequence']);
    expect(read('docs/decisions/README.md')).toContain(`](${name})`);
  });
});

it('README.md names the Debian packages that npm test installs', () => {
  const [needs = ''] = /const NEEDS[\s\S]*?\];/.exec(read('scripts/system-packages.ts')) ?? [];
  const packages = [...needs.matchAll(/debian: '([^']+)'/g)].map(([, name]) => name);
  expect(packages).not.toEqual([]);
  const [paragraph = ''] = read('README.md').match(/^As root on Debian[\s\S]*?\n\n/m) ?? [];
  const named = quoted(paragraph).filter(name => !name.startsWith('npm '));
  expect(named.toSorted()).toEqual(packages.toSorted());
});

/** Pages that a reader looks things up in, that list remedies themselves, or that lead to other pages. */
const WITHOUT_FAILURES = [
  ...[
    'README',
    'capacity',
    'cli',
    'configuration',
    'conformance',
    'dependencies',
    'faq',
    'glossary',
    'index',
    'limits',
  ],
  ...[
    'keys-runbook',
    'migrating-from-pusher',
    'migrating-from-socket-io',
    'monitoring',
    'not-supported',
    'operations',
  ],
  ...[
    'quickstart',
    'rpc',
    'sinks-runbook',
    'troubleshooting',
    'tutorial',
    'dash/cli',
    'dash/troubleshooting',
  ],
];

describe('a page of a feature', () => {
  const pages = ['docs', 'docs/dash'].flatMap(folder =>
    readdirSync(folder)
      .filter(file => file.endsWith('.md'))
      .map(file => `${folder}/${file}`),
  );
  const features = pages.filter(path => !WITHOUT_FAILURES.some(name => path === `docs/${name}.md`));

  it.each(features)('%s says what goes wrong, with a remedy for each symptom', path => {
    const [, section = ''] = read(path).split(/^#{2,3} When it goes wrong$/m);
    const [table = ''] = section.split(/^#{1,3} /m);
    const rows = (table.match(/^\|.*\|$/gm) ?? []).slice(2);
    expect(rows.length).toBeGreaterThanOrEqual(3);
    for (const row of rows) expect(row.split(' | ').length, row).toBeGreaterThanOrEqual(2);
  });

  it('is every page that is not listed as another kind', () => {
    expect(WITHOUT_FAILURES.filter(name => !pages.includes(`docs/${name}.md`))).toEqual([]);
  });
});
