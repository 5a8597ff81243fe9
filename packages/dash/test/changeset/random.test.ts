import fc from 'fast-check';
import { expect, it } from 'vitest';
import { applyChangeset } from '#src/changeset/apply.ts';
import { changesBetween } from '#src/changeset/changes.ts';
import { NodeTree } from '#src/changeset/node-tree.ts';
import { parseChangeset } from '#src/changeset/parse.ts';
import { jsonEqual } from '#src/document/canonical.ts';
import type { JsonObject } from '#src/document/json.ts';
import { DashError } from '#src/errors.ts';
import { MESSAGE_FORM } from '../message-forms.ts';
import { smallTypes } from './small-types.ts';
import { teamPulse } from './team-pulse.ts';

const SEED = Number(process.env['DASH_SEED'] ?? 11_3);
const RUNS = Number(process.env['DASH_RUNS'] ?? 1_500);

const start = fc.constantFrom(
  'page',
  'body',
  'filters',
  'scores-block',
  'scores',
  'note',
  'n1',
  '$root',
  '$theme',
  '$variables',
  '$manifest',
  'ghost',
);
const step = fc.constantFrom(
  'children',
  '0',
  '1',
  '-',
  'config',
  'content',
  'title',
  'grid',
  'gap',
  'tone',
  'metadata',
  'placement',
  'id',
);
const pointer = fc
  .tuple(start, fc.array(step, { maxLength: 5 }))
  .map(([first, rest]) => `/${[first, ...rest].join('/')}`);
const node: fc.Arbitrary<JsonObject> = fc.oneof(
  fc.record({
    id: fc.constantFrom('n1', 'n2', 'note', 'bad/id'),
    type: fc.constantFrom('container', 'markdown', 'nothing'),
  }),
  fc.record({
    id: fc.constantFrom('n1', 'n3'),
    type: fc.constant('block'),
    config: fc.constant({ content: { id: 'n4', type: 'markdown' } }),
  }),
);
const value = fc.oneof(node, fc.constantFrom<unknown>(null, 1, 'text', true, [], {}, { $var: 'team' }));
const operation = fc.oneof(
  fc.record({ op: fc.constantFrom('add', 'replace', 'test'), path: pointer, value }),
  fc.record({ op: fc.constant('remove'), path: pointer }),
  fc.record({ op: fc.constantFrom('move', 'copy'), path: pointer, from: pointer }),
);

it('any changeset gives a coded error, or a document whose ids are unique and whose summary tells an edit', () => {
  let applied = 0;
  const document = teamPulse();
  fc.assert(
    fc.property(fc.array(operation, { minLength: 1, maxLength: 4 }), ops => {
      let after: JsonObject;
      try {
        after = applyChangeset('team-pulse', document, parseChangeset(ops), smallTypes);
      } catch (error) {
        expect(error).toBeInstanceOf(DashError);
        expect((error as DashError).code).toMatch(/^(?:PATCH|CHANGESET)_/);
        expect((error as DashError).message).toMatch(MESSAGE_FORM);
        return;
      }
      applied++;
      const tree = new NodeTree(after, smallTypes);
      expect(tree.ids().filter(id => tree.isRepeated(id))).toEqual([]);
      const { changes } = changesBetween(document, after, smallTypes);
      expect(changes.length === 0).toBe(jsonEqual(document, after));
    }),
    { seed: SEED, numRuns: RUNS },
  );
  expect(jsonEqual(document, teamPulse())).toBe(true);
  expect(applied).toBeGreaterThan(20);
});

/** What a changeset gives: the document or the code. */
function outcome(document: JsonObject, ops: readonly unknown[]): JsonObject | string {
  try {
    return applyChangeset('team-pulse', document, parseChangeset(ops), smallTypes);
  } catch (error) {
    return (error as DashError).code;
  }
}

it('operations give together what they give one after the other, also where ids are repeated', () => {
  const repeated = teamPulse();
  const later = ['note', 'n1', 'note'].map(id => ({ id, type: 'container' }));
  // The first of the nodes with the id "note" is found; after it is gone, the next one.
  (repeated['root'] as { children: JsonObject[] }).children.push({
    id: 'later',
    type: 'container',
    children: later,
  });
  let applied = 0;
  fc.assert(
    fc.property(
      fc.constantFrom(teamPulse(), repeated),
      fc.array(operation, { minLength: 2, maxLength: 12 }),
      (document, ops) => {
        // Only what can be applied: each operation that is refused is left out.
        const accepted: unknown[] = [];
        let state = document;
        for (const op of ops) {
          const next = outcome(state, [op]);
          if (typeof next === 'string') {
            expect(outcome(document, [...accepted, op])).toBe(next);
            continue;
          }
          accepted.push(op);
          state = next;
        }
        applied += accepted.length;
        expect(outcome(document, accepted)).toEqual(state);
      },
    ),
    { seed: SEED, numRuns: RUNS },
  );
  expect(applied).toBeGreaterThan(200);
});
