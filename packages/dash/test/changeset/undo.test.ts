import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyChangeset } from '#src/changeset/apply.ts';
import { parseChangeset } from '#src/changeset/parse.ts';
import { undoOps } from '#src/changeset/undo.ts';
import { jsonEqual } from '#src/document/canonical.ts';
import { cloneJson, type JsonObject } from '#src/document/json.ts';
import type { DashError } from '#src/errors.ts';
import { histories, undone } from './histories.ts';
import { smallTypes } from './small-types.ts';
import { teamPulse } from './team-pulse.ts';

const SEED = Number(process.env['DASH_SEED'] ?? 4_17);

/** The changeset back from a state that `ops` made. */
function back(ops: unknown) {
  const before = teamPulse();
  const after = applyChangeset('team-pulse', before, parseChangeset(ops), smallTypes);
  const undo = undoOps('team-pulse', after, before, smallTypes);
  expect(applyChangeset('team-pulse', after, parseChangeset([...undo.ops]), smallTypes)).toEqual(before);
  return undo.ops;
}

describe('undo as a changeset', () => {
  it('gives the old document back from random histories, and undo of undo the new one', () => {
    let changed = 0;
    fc.assert(
      fc.property(histories, ({ before, after }) => {
        const old = undone(after, before);
        expect(jsonEqual(old.document, before)).toBe(true);
        expect(jsonEqual(undone(old.document, after).document, after)).toBe(true);
        if (old.count > 1) changed++;
      }),
      { seed: SEED, numRuns: 600 },
    );
    expect(changed).toBeGreaterThan(200);
  });

  it('names the smallest part: a field, a move, a node, an entry', () => {
    expect(back([{ op: 'replace', path: '/scores/config/title', value: 'New' }])).toMatchObject([
      { op: 'replace', path: '/scores/config/title' },
    ]);
    expect(back([{ op: 'move', from: '/note-block', path: '/body/children/0' }])).toEqual([
      { op: 'move', from: '/scores-block', path: '/body/children/0' },
    ]);
    expect(back([{ op: 'remove', path: '/team-pick' }])).toMatchObject([
      { op: 'add', path: '/filters/children/0', value: { id: 'team-pick' } },
    ]);
    expect(back([{ op: 'add', path: '/body/children/-', value: { id: 'x', type: 'container' } }])).toEqual([
      { op: 'remove', path: '/x' },
    ]);
    expect(back([{ op: 'remove', path: '/$variables/1' }])).toMatchObject([
      { op: 'add', path: '/$variables/1' },
    ]);
    expect(back([{ op: 'remove', path: '/$theme' }])).toMatchObject([{ op: 'add', path: '/$theme' }]);
    expect(back([])).toEqual([]);
  });

  it('replaces a node that differs off the surface, and nothing around it', () => {
    const value = { id: 'scores', type: 'table', config: { columns: [], connectionId: 'other' } };
    expect(back([{ op: 'replace', path: '/scores', value }])).toMatchObject([
      { op: 'replace', path: '/scores' },
    ]);
  });

  it.each([
    ['more than 200 operations', 201, 'x'],
    ['more than 64 kB', 2, 'x'.repeat(40_000)],
  ])('replaces root and scopes whole above %s', (_name, count, text) => {
    const many = teamPulse();
    const children = Array.from({ length: count }, (_, index) => ({
      id: `m${index}`,
      type: 'heading',
      config: { text, level: 1 },
    }));
    const body = (document: JsonObject) =>
      (document['root'] as { children: JsonObject[] }).children[1] as JsonObject;
    body(many)['children'] = children;
    const changed = cloneJson(many);
    for (const child of body(changed)['children'] as JsonObject[]) {
      child['config'] = { text: 'changed', level: 2 };
    }
    const { ops } = undoOps('team-pulse', changed, many, smallTypes);
    expect(ops).toMatchObject([{ op: 'replace', path: '/$root' }]);
    expect(applyChangeset('team-pulse', changed, parseChangeset([...ops]), smallTypes)).toEqual(many);
  });

  it('names the fields that no changeset can touch, and leaves them', () => {
    const target: JsonObject = { ...teamPulse(), $schema: 'https://x/y' };
    target['manifest'] = { formatVersion: '1.0.0', id: 'team-pulse', title: 'Old', author: 'Ada' };
    const { ops, kept } = undoOps('team-pulse', teamPulse(), target, smallTypes);
    expect([...kept].sort()).toEqual(['$schema', 'manifest.author']);
    expect(ops).toEqual([{ op: 'replace', path: '/$manifest/title', value: 'Old' }]);
  });

  it('refuses an old state that no changeset may write', () => {
    const target = teamPulse();
    (target['root'] as { children: JsonObject[] }).children.push({ id: 'bad/id', type: 'container' });
    expect(() => undoOps('team-pulse', teamPulse(), target, smallTypes)).toThrow(
      expect.objectContaining({ code: 'PATCH_ID_INVALID' }) as DashError,
    );
  });
});
