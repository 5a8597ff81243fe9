import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isJsonObject, type Json } from '#src/document/json.ts';
import { DashError } from '#src/errors.ts';
import { importGrafana } from '#src/import/grafana.ts';
import { openDocumentEngine } from '#src/reads/document-engine.ts';
import { CORPUS, importFile, unreportedLeaves, untrueEntries } from './corpus.ts';

const SEED = Number(process.env['IMPORT_SEED'] ?? 20_261_123);
const RUNS = Number(process.env['IMPORT_RUNS'] ?? 300);
const engine = openDocumentEngine();

/** Files that trees are made of, and every name and value in them. */
const files = CORPUS.filter(({ name }) => name !== 'classic-120-panels').map(file => importFile(file).file);
const names = new Set<string>();
const values: Json[] = [];
const collect = (value: Json): void => {
  values.push(value);
  if (isJsonObject(value)) for (const name of Object.keys(value)) names.add(name);
  if (typeof value === 'object' && value !== null) Object.values(value).forEach(collect);
};
files.forEach(collect);

const name = fc.constantFrom(...names, '__proto__', 'constructor', '', 'a/b~c', '\ud800');
const scalar = fc.oneof(
  fc.constantFrom(...values.filter(value => typeof value !== 'object')),
  fc.constantFrom<Json>(
    '${',
    '$${a}',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a reference of Grafana
    '${a:b}',
    '[[x]]',
    '$__interval',
    '{{a}}',
    '{{',
    '$__all',
    '9',
    '\u202e',
    'half \ud800 of a pair',
    '\udc00',
  ),
  fc.string(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom<Json>(null, true, 1e9, -1, 2 ** 53),
);
const tree = fc.letrec<{ value: Json }>(tie => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    scalar,
    fc.constantFrom(...values),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(name, tie('value'), { maxKeys: 5 }).map(object => ({ ...object })),
  ),
})).value;

/** A file of the corpus in which some values are others. */
const spoiled = fc
  .tuple(fc.constantFrom(...files), fc.array(fc.tuple(fc.nat(), tree), { minLength: 1, maxLength: 6 }))
  .map(([file, changes]) =>
    changes.reduce<Json>((changed, [place, value]) => {
      const copy: Json = structuredClone(changed);
      const holders = placesOf(copy);
      const [holder, key] = holders[place % Math.max(1, holders.length)] ?? [];
      if (holder !== undefined && key !== undefined) (holder as Record<string, Json>)[key] = value;
      return copy;
    }, file),
  );

function placesOf(value: Json): (readonly [object, string])[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [[value, key] as const, ...placesOf(inner)]);
}

/** A dashboard whose members are anything. */
const made = fc.record(
  {
    title: tree,
    panels: fc.array(tree),
    templating: fc.record({ list: fc.array(tree) }),
    refresh: scalar,
    schemaVersion: scalar,
  },
  { requiredKeys: ['panels'] },
);

it.each([
  ['spoiled', spoiled],
  ['made of anything', made],
] as const)('a dashboard that is %s never crashes the import and leaves no value unreported', (_, trees) => {
  fc.assert(
    fc.property(trees as fc.Arbitrary<Json>, generated => {
      const file: Json = JSON.parse(JSON.stringify(generated));
      try {
        const imported = importGrafana(file, { catalog: engine.catalog });
        expect(unreportedLeaves(file, imported.report)).toEqual([]);
        expect(untrueEntries(file, imported)).toEqual([]);
        engine.resolve(imported.document);
      } catch (error) {
        if (!(error instanceof DashError)) throw error;
        // A refusal has a code; a document that does not resolve is one that the command refuses to write.
        expect(error.code).toBe('IMPORT_INVALID');
      }
    }),
    { seed: SEED, numRuns: RUNS },
  );
});
