import { describe, expect, it } from 'vitest';
import { applyChangeset } from '#src/changeset/apply.ts';
import { changesBetween } from '#src/changeset/changes.ts';
import { parseChangeset } from '#src/changeset/parse.ts';
import type { Json } from '#src/document/json.ts';
import { smallTypes } from './small-types.ts';
import { teamPulse } from './team-pulse.ts';

function changes(ops: unknown) {
  const after = applyChangeset('team-pulse', teamPulse(), parseChangeset(ops), smallTypes);
  return changesBetween(teamPulse(), after, smallTypes);
}

describe('the semantic summary', () => {
  it('tells what was added, removed, moved and changed, scopes first', () => {
    const { changes: found } = changes([
      { op: 'replace', path: '/$manifest/title', value: 'Weekly' },
      { op: 'add', path: '/$variables/-', value: { name: 'target', type: 'number' } },
      { op: 'replace', path: '/body/config/grid/columns', value: [3, 2] },
      { op: 'move', from: '/note-block', path: '/body/children/0' },
      { op: 'remove', path: '/team-pick' },
      {
        op: 'add',
        path: '/body/children/-',
        value: { id: 'n', type: 'block', config: { title: 'New', content: { id: 'c', type: 'markdown' } } },
      },
    ]);
    expect(found).toEqual([
      { kind: 'changed', nodeId: '$manifest', field: 'title', from: 'Team pulse', to: 'Weekly' },
      { kind: 'added', nodeId: '$variables', field: 'target', to: { name: 'target', type: 'number' } },
      { kind: 'removed', nodeId: 'team-pick', from: 'filters[0]' },
      { kind: 'changed', nodeId: 'body', field: 'config.grid.columns', from: [2, 1], to: [3, 2] },
      { kind: 'moved', nodeId: 'note-block', from: 'body[1]', to: 'body[0]' },
      { kind: 'added', nodeId: 'n', title: 'New', to: 'body[2]' },
    ]);
  });

  it('is empty without a change, cuts texts at 200 characters and lists at 200 entries', () => {
    expect(changes([])).toEqual({ changes: [] });
    const long = changes([{ op: 'replace', path: '/note/config/source', value: 'x'.repeat(500) }]).changes[0];
    expect(String(long?.to)).toHaveLength(200);
    const key = 'k'.repeat(500);
    const keyed = changes([{ op: 'add', path: '/note/metadata', value: { [key]: { [key]: 1 } } }]).changes[0];
    expect(keyed?.field).toBe(`metadata.${key}`.slice(0, 200));
    const many = Array.from({ length: 250 }, (_, index) => ({
      op: 'add',
      path: '/$variables/-',
      value: { name: `v${index}`, type: 'string' },
    }));
    expect(changes(many)).toMatchObject({ changesTruncated: true, changes: { length: 200 } });
  });

  it('calls a declaration without a name by its position', () => {
    const before = teamPulse();
    (before['variables'] as Json[]).push({ name: { toString: 1 } }, {}, { type: 'string' });
    const names = changesBetween(before, teamPulse(), smallTypes).changes.map(({ field }) => field);
    expect(names).toEqual(['3', '4', '5']);
  });
});
