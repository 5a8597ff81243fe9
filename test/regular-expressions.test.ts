import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { expressionsOf, listRegularExpressions } from '../scripts/regular-expressions.ts';
import { type Ambiguity, findAmbiguity, type Pumped } from './support/patterns/ambiguity.ts';
import { countSteps } from './support/patterns/count-steps.ts';
import { type Program, readPattern } from './support/patterns/positions.ts';
import { COMPOSED, NEVER_FROM_A_PEER } from './support/patterns/table.ts';

const ROOT = new URL('..', import.meta.url).pathname;
const REPETITIONS = 50;

interface Row {
  readonly name: string;
  readonly source: string;
  readonly flags: string;
}

const listed = listRegularExpressions(ROOT);

/** A pattern as it is named in the tables: a row moves when a line above it does, the pattern stays. */
const nameOf = (file: string, source: string | undefined, flags: string) =>
  `${file.replace('packages/', '')} ${source === undefined ? 'composed' : `/${source}/${flags}`}`;

const written: Row[] = listed.flatMap(({ file, source, flags }) =>
  source === undefined ? [] : [{ name: nameOf(file, source, flags), source, flags }],
);
const composed: Row[] = Object.entries(COMPOSED).map(([name, { source, flags }]) => ({
  name,
  source,
  flags,
}));
const rows = [...written, ...composed, ...schemaPatterns()].filter(
  ({ name }) => !(name in NEVER_FROM_A_PEER),
);

/** `pattern` and `patternProperties` of the shipped JSON Schemas, which judge documents of anybody. */
function schemaPatterns(): Row[] {
  const folder = join(ROOT, 'packages/dash/schemas');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(file =>
    file.endsWith('.json'),
  );
  const found: Row[] = [];
  for (const file of files) {
    JSON.parse(readFileSync(join(folder, file), 'utf8'), (key, value: unknown) => {
      const patterns =
        key === 'pattern' && typeof value === 'string'
          ? [value]
          : key === 'patternProperties'
            ? Object.keys(value as object)
            : [];
      for (const source of patterns)
        found.push({ name: `dash/schemas/${file} /${source}/u`, source, flags: 'u' });
      return value;
    });
  }
  return found;
}

/** Steps are counted, not timed: a large alphabet on a busy machine takes longer than other cases. */
const PATIENT_MS = 180_000;

/** Texts that keep every loop of a pattern going, and every character and pair of characters many times. */
function worstTexts({ alphabet }: Program, { loops, ambiguous }: Ambiguity): Pumped[] {
  const pairs = alphabet.flatMap(left => alphabet.map(right => ({ prefix: '', pump: left + right })));
  return [...(ambiguous === undefined ? [] : [ambiguous]), ...loops, ...pairs];
}

/** The largest growth of steps when one of the worst texts becomes twice as long. */
function growth(program: Program, ambiguity: Ambiguity): { times: number; text: Pumped | undefined } {
  let worst: { times: number; text: Pumped | undefined } = { times: 0, text: undefined };
  for (const text of worstTexts(program, ambiguity)) {
    for (const last of ['', '\0', ...program.alphabet.slice(0, 6)]) {
      const stepsOf = (times: number) => countSteps(program, text.prefix + text.pump.repeat(times) + last);
      const once = stepsOf(REPETITIONS);
      const times = once === Number.POSITIVE_INFINITY ? once : stepsOf(2 * REPETITIONS) / once;
      if (times > worst.times) worst = { times, text };
      if (times === Number.POSITIVE_INFINITY) return worst;
    }
  }
  return worst;
}

describe('every regular expression that meets input of a peer', () => {
  it.each(rows)(
    '$name takes linear time',
    ({ source, flags }) => {
      const program = readPattern(source, flags);
      const ambiguity = findAmbiguity(program);
      expect(ambiguity.ambiguous, 'a text that can be read in ever more ways').toBeUndefined();
      const { times, text } = growth(program, ambiguity);
      expect(times, JSON.stringify(text)).toBeLessThanOrEqual(2.1);
    },
    PATIENT_MS,
  );
});

describe('the tables of the other patterns', () => {
  it('name every pattern that the program puts together, and no other', () => {
    const found = listed
      .filter(({ source }) => source === undefined)
      .map(({ file }) => nameOf(file, undefined, ''));
    expect(Object.keys(COMPOSED).toSorted()).toEqual([...new Set(found)].toSorted());
  });

  it('name only patterns that there are and that are not linear', () => {
    for (const name of Object.keys(NEVER_FROM_A_PEER)) {
      const row = written.find(candidate => candidate.name === name);
      expect(row, name).toBeDefined();
      expect(isLinear(row?.source ?? '', row?.flags ?? ''), `${name} is linear and needs no row`).toBe(false);
    }
  });
});

function isLinear(source: string, flags: string): boolean {
  try {
    return findAmbiguity(readPattern(source, flags)).ambiguous === undefined;
  } catch {
    return false;
  }
}

describe('the analysis of patterns', () => {
  it.each([
    ['^[+-]?(?:\\d+\\.?\\d*|\\.\\d+)(?:[eE][+-]?\\d+)?$', ''],
    ['0+$', ''],
    ['\\s+$', ''],
    ['[?#].*$', ''],
    ['^(a+)+$', ''],
    ['^(?:a|a)*b', ''],
    ['^(?:a*)*b', ''],
    ['^(?:a|ab|b)*c', ''],
    ['^\\d*\\.?\\d+$', ''],
    ['^a*b?a*c', ''],
    ['"(?:[^"\\\\]|\\\\.)*"', 'g'],
    ['<a.*b>', ''],
    ['^(?:[\\w-]+\\.?)+$', ''],
  ])('finds a text for /%s/%s whose steps grow faster than it', (source, flags) => {
    const program = readPattern(source, flags);
    const ambiguity = findAmbiguity(program);
    expect(ambiguity.ambiguous).toBeDefined();
    expect(growth(program, ambiguity).times).toBeGreaterThan(3);
  });

  it.each([
    ['^[a-z]+$', ''],
    ['a+', 'g'],
    ['^\\d+(?:\\.\\d+)?(?:[eE]\\d+)?$', ''],
    ['"(?:[^"\\\\]|\\\\.)*"', 'y'],
    ['^(?:[a-z]+\\.)*[a-z]+$', ''],
    ['^[\\w-]+(?:\\.[\\w-]+)*$', ''],
    ['[a-z]', 'gi'],
    ['(?:^|x)a*b', ''],
    ['^(?:a?)*b', ''],
    ['^(?:a*b)*c', ''],
    ['\\$\\{[A-Z]+\\}', ''],
  ])('finds none for /%s/%s', (source, flags) => {
    const program = readPattern(source, flags);
    const ambiguity = findAmbiguity(program);
    expect(ambiguity.ambiguous).toBeUndefined();
    expect(growth(program, ambiguity).times).toBeLessThanOrEqual(2.1);
  });

  it('finds patterns by the grammar of the language', () => {
    const text = [
      'const a = /x+/g; // /no/',
      "const b = '/no/' + 4 / 2 / 1;",
      "const c = new RegExp('y*', 'u'), d = RegExp('z' + a), e = a.source.match('w+');",
      'const f: string = e!.replace(/v/, "/no/");',
    ].join('\n');
    expect(expressionsOf('f.ts', text).map(({ line, source, flags }) => [line, source, flags])).toEqual([
      [1, 'x+', 'g'],
      [3, 'y*', 'u'],
      [3, undefined, ''],
      [3, 'w+', ''],
      [4, 'v', ''],
    ]);
  });
});
