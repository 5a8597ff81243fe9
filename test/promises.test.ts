import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Source } from './support/constant-source.ts';
import type { Evidence } from './support/evidence.ts';
import { LIMITS } from './support/limit-rows.ts';
import { promisesOf, rowsOf, sectionOf } from './support/promises.ts';
import { PROMISES } from './support/security-promises.ts';

const DAY_MS = 24 * 3_600_000;
const ROOT = new URL('..', import.meta.url).pathname;

function textOf(file: string): string {
  return existsSync(ROOT + file) ? readFileSync(ROOT + file, 'utf8') : '';
}

/** Tests that are named and are not there. */
function missing(tests: readonly Evidence[]): string[] {
  return tests
    .filter(([file, title]) => {
      const text = textOf(file);
      return !['`', "'", '"'].some(quote => text.includes(quote + title + quote));
    })
    .map(([file, title]) => `${file}: ${title}`);
}

/** The number that a source file gives a constant, which may be a product. */
function constantOf([file, name, value]: Source): number {
  if (value !== undefined) return value;
  const match = new RegExp(`\\b${name}(?:: number)?(?: =|:) ([\\d_]+(?: \\* [\\d_]+)*)(?:[,;]| \\})`).exec(
    textOf(file),
  );
  if (match === null) throw new Error(`${file} has no constant ${name}`);
  const factors = match[1]?.replaceAll('_', '').split(' * ').map(Number) ?? [];
  return factors.reduce((product, factor) => product * factor, 1);
}

/** A constant as the page shows it: bytes in KiB or MiB, milliseconds in seconds, counts with commas. */
function shown(source: Source): string[] {
  const value = constantOf(source);
  const [, name] = source;
  if (/bytes$/i.test(name)) {
    return [`${value} bytes`, `${value / 1024} KiB`, `${value / 1024 / 1024} MiB`];
  }
  if (/(?:Ms|MS|[Tt]imeout|TIMEOUT)$/.test(name))
    return [`${value} ms`, `${value / 1000} s`, `${value / DAY_MS} days`];
  return [value.toLocaleString('en-US')];
}

describe('the promises of SECURITY.md', () => {
  const sentences = promisesOf(sectionOf(textOf('SECURITY.md'), '## What the service promises'));

  it('are those of the table: a new sentence comes with its test', () => {
    expect(sentences.filter(sentence => !(sentence in PROMISES))).toEqual([]);
    expect(Object.keys(PROMISES).filter(sentence => !sentences.includes(sentence))).toEqual([]);
  });

  it.each(sentences)('%s', sentence => {
    const tests = PROMISES[sentence] ?? [];
    expect(tests.length).toBeGreaterThan(0);
    expect(missing(tests)).toEqual([]);
  });
});

describe('the rows of docs/limits.md', () => {
  const rows = rowsOf(textOf('docs/limits.md'));

  it('are those of the table: a new row comes with its constant and its test', () => {
    const names = rows.map(([name = '']) => name);
    expect(names.filter(name => !(name in LIMITS))).toEqual([]);
    expect(Object.keys(LIMITS).filter(name => !names.includes(name))).toEqual([]);
  });

  it.each(rows.map(row => [row[0] ?? '', row.slice(1).join(' | ')] as const))('%s: %s', (name, cells) => {
    const { constants, tests } = LIMITS[name] ?? { constants: [], tests: [] };
    expect(constants.length).toBeGreaterThan(0);
    for (const source of constants) {
      const found = shown(source).some(text => new RegExp(`(?<![\\d,.])${text}(?![\\d])`).test(cells));
      expect([source, found], `${shown(source).join(' or ')} in ${cells}`).toEqual([source, true]);
    }
    expect(tests.length).toBeGreaterThan(0);
    expect(missing(tests)).toEqual([]);
  });
});

it('the check bites', () => {
  expect(missing([['SECURITY.md', 'no such title']])).toHaveLength(1);
  expect(promisesOf('- One `a.b`. Two\n  goes on.\n- `c` is three; and four.')).toEqual([
    'One `a.b`.',
    'Two goes on.',
    '`c` is three; and four.',
  ]);
  expect(() => constantOf(['packages/engine/src/limits.ts', 'noSuchLimit'])).toThrow('noSuchLimit');
});
