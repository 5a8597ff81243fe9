import fc from 'fast-check';
import { applyChangeset } from '#src/changeset/apply.ts';
import { parseChangeset } from '#src/changeset/parse.ts';
import { undoOps } from '#src/changeset/undo.ts';
import type { JsonObject } from '#src/document/json.ts';
import { DashError } from '#src/errors.ts';
import { smallTypes } from './small-types.ts';
import { teamPulse } from './team-pulse.ts';

const ID = 'team-pulse';
const nodes = fc.constantFrom(
  'page',
  'body',
  'filters',
  'side',
  'scores-block',
  'scores',
  'note-block',
  'note',
  'team-pick',
  'n1',
  'n2',
  'n3',
);
const holders = fc.constantFrom('page', 'body', 'filters', 'side', 'n1');
const fields = fc.constantFrom(
  'config/title',
  'config/grid/gap',
  'config/grid/columns',
  'config/theme/tone',
  'config/text',
  'config/source',
  'config/query',
  'placement/colStart',
  'placement',
  'metadata',
  'metadata/owner',
  'variables',
  'config/label',
);
const scopes = fc.constantFrom(
  '$manifest/title',
  '$manifest/description',
  '$theme/tone',
  '$theme',
  '$variables/0',
  '$variables/-',
  '$variables',
  '$connections/-',
  '$connections/0',
  '$connections',
);
const values = fc.constantFrom<unknown>(
  'a',
  'positive',
  7,
  1.5,
  true,
  [1, 2],
  [],
  {},
  { tone: 'caution' },
  { name: 'v', type: 'string' },
  { owner: 'x' },
  { $var: 'team' },
  { title: null },
);

/** A node with an id of a few, so that histories remove and add the same one again. */
const node: fc.Arbitrary<JsonObject> = fc.constantFrom<JsonObject>(
  { id: 'n1', type: 'container', children: [{ id: 'n2', type: 'container', children: [] }] },
  {
    id: 'n2',
    type: 'block',
    config: { title: 'Two', content: { id: 'n3', type: 'markdown', config: { source: 'x' } } },
  },
  { id: 'n3', type: 'heading', config: { text: 'Three', level: 2 }, placement: { colStart: 2 } },
  { id: 'side', type: 'container', config: { grid: { gap: 2 } }, children: [] },
  { id: 'scores', type: 'unknown', config: { anything: [1] } },
  { id: 'note', type: 'markdown', config: { other: null } },
);

const edit = fc.oneof(
  fc.record({
    op: fc.constantFrom('add', 'replace'),
    path: fc.tuple(nodes, fields).map(([id, field]) => `/${id}/${field}`),
    value: values,
  }),
  fc.record({
    op: fc.constant('remove'),
    path: fc.oneof(
      nodes.map(id => `/${id}`),
      fc.tuple(nodes, fields).map(([id, field]) => `/${id}/${field}`),
      scopes.map(scope => `/${scope}`),
    ),
  }),
  fc.record({ op: fc.constantFrom('add', 'replace'), path: scopes.map(scope => `/${scope}`), value: values }),
  fc.record({
    op: fc.constant('add'),
    path: fc.tuple(holders, fc.constantFrom('-', '0', '1')).map(([id, at]) => `/${id}/children/${at}`),
    value: node,
  }),
  fc.record({
    op: fc.constant('replace'),
    path: fc.oneof(
      nodes.map(id => `/${id}`),
      fc.constant('/note-block/config/content'),
    ),
    value: node,
  }),
  fc.record({
    op: fc.constant('move'),
    from: nodes.map(id => `/${id}`),
    path: fc.oneof(
      fc.tuple(holders, fc.constantFrom('-', '0', '1')).map(([id, at]) => `/${id}/children/${at}`),
      nodes.map(id => `/${id}`),
    ),
  }),
);

/** Two states of one document, each the result of random edits. */
export interface History {
  readonly before: JsonObject;
  readonly after: JsonObject;
}

/** Edits that cannot be carried out are left out. */
function edited(start: JsonObject, edits: readonly unknown[]): JsonObject {
  let document = start;
  for (const operation of edits) {
    try {
      document = applyChangeset(ID, document, parseChangeset([operation]), smallTypes);
    } catch (error) {
      if (!(error instanceof DashError)) throw error;
    }
  }
  return document;
}

/** Random edit histories: some edits, then more of them. */
export const histories: fc.Arbitrary<History> = fc
  .tuple(fc.array(edit, { maxLength: 8 }), fc.array(edit, { minLength: 1, maxLength: 12 }))
  .map(([first, second]) => {
    const before = edited(teamPulse(), first);
    return { before, after: edited(before, second) };
  });

/** The document that the changeset from `current` to `target` gives, and how many operations it has. */
export function undone(current: JsonObject, target: JsonObject): { document: JsonObject; count: number } {
  const { ops } = undoOps(ID, current, target, smallTypes);
  return { document: applyChangeset(ID, current, parseChangeset([...ops]), smallTypes), count: ops.length };
}
