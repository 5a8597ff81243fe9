import { describe, expect, it } from 'vitest';
import { loadCatalog } from '#src/catalog/index.ts';
import { nodeTypes } from '#src/catalog/reference.ts';
import { applyChangeset } from '#src/changeset/apply.ts';
import { changesBetween } from '#src/changeset/changes.ts';
import { ITEM_NOUNS } from '#src/changeset/node-words.ts';
import { parseChangeset } from '#src/changeset/parse.ts';
import { subjectOf, wordsBetween } from '#src/changeset/words.ts';
import { emptyPage } from '#src/document/empty-page.ts';
import { cloneJson, type Json, type JsonObject } from '#src/document/json.ts';
import type { DashError } from '#src/errors.ts';
import { resolveDocument } from '#src/resolve/index.ts';
import { GOLDEN_CHANGESETS, golden } from './golden-changesets.ts';

const catalog = loadCatalog();
const types = nodeTypes(catalog);

function words(before: JsonObject, after: JsonObject): string[] {
  return wordsBetween(before, after, types).map(({ text }) => text);
}

/** A page that holds one node in a block, or as the region that it is. */
function pageWith(node: JsonObject, more: JsonObject = {}): JsonObject {
  return {
    manifest: { formatVersion: '1.0.0', id: 'd' },
    ...more,
    root: {
      id: 'page',
      type: 'container',
      children: [
        { id: 'body', type: 'container', children: [node] },
        { id: 'side', type: 'container', children: [] },
      ],
    },
  };
}

describe('the words of the golden changesets', () => {
  it.each(GOLDEN_CHANGESETS)('$name', ({ ops, words: expected, create, broken }) => {
    const before = create === true ? emptyPage('golden') : golden();
    const after = applyChangeset('golden', before, parseChangeset([...ops]), types);
    expect(words(before, after)).toEqual(expected);
    const resolve = () => resolveDocument(after, catalog);
    if (broken === undefined) expect(resolve).not.toThrow();
    else expect(resolve).toThrow(expect.objectContaining({ code: broken }) as DashError);
  });

  it('are twelve', () => {
    expect(GOLDEN_CHANGESETS).toHaveLength(12);
  });
});

describe('a sentence', () => {
  const names = [...catalog.items.keys()];

  it('calls every shipped type by a noun', () => {
    expect(names.filter(name => ITEM_NOUNS[name] === undefined)).toEqual([]);
  });

  it.each(names)('tells each kind of change of a %s', type => {
    const node = { id: 'x', type, config: { title: 'Old', other: 1 }, placement: { colStart: 1 } };
    const changed: [string, JsonObject, JsonObject][] = [
      [
        'Added',
        pageWith({ id: 'y', type: 'block' }),
        pageWith({ id: 'y', type: 'block', config: { content: node } }),
      ],
      ['Removed', pageWith(node), pageWith({ id: 'z', type: 'container' })],
      ['Renamed “Old” to “New”', pageWith(node), pageWith({ ...node, config: { title: 'New', other: 1 } })],
      ['Other of “Old”: 1 → 2', pageWith(node), pageWith({ ...node, config: { title: 'Old', other: 2 } })],
      [
        'Moved “Old” from row 1, column 1 to row 1, column 2',
        pageWith(node),
        pageWith({ ...node, placement: { colStart: 2 } }),
      ],
      [
        'Note “owner” of “Old”: none → ops',
        pageWith(node),
        pageWith({ ...node, metadata: { owner: 'ops' } }),
      ],
      ['Changed the type of “Old”', pageWith(node), pageWith({ ...node, type: `${type}@9.9.9` })],
      [
        'Variables of “Old”: none → [{"name":"v"}]',
        pageWith(node),
        pageWith({ ...node, variables: [{ name: 'v' }] }),
      ],
    ];
    for (const [start, before, after] of changed) {
      const sentences = words(before, after);
      expect(
        sentences.some(sentence => sentence.startsWith(start)),
        `${start} in ${sentences.join(' | ')}`,
      ).toBe(true);
    }
  });

  it('names what a container brings or takes along, the first three items of it', () => {
    const empty = pageWith({ id: 'z', type: 'container', children: [] });
    const item = (id: string, type: string): JsonObject => ({ id, type, config: { title: id } });
    const full = pageWith({
      id: 'z',
      type: 'container',
      children: [
        {
          id: 'top',
          type: 'container',
          children: [
            { id: 'frame', type: 'block', config: { content: item('Errors', 'metric') } },
            item('Routes', 'table'),
          ],
        },
      ],
    });
    const [added, removed] = [words(empty, full), words(full, empty)];
    expect(added).toEqual(['Added container “top” to “z”, with metric “Errors” and table “Routes”']);
    expect(removed).toEqual(['Removed container “top” from “z”, with metric “Errors” and table “Routes”']);
    const many = pageWith({
      id: 'z',
      type: 'container',
      children: ['a', 'b', 'c', 'd', 'e'].map(id => item(id, 'metric')),
    });
    expect(words(pageWith({ id: 'y', type: 'container' }), many)).toContain(
      'Added container “z” to “body”, with metric “a”, metric “b”, metric “c” and 2 more',
    );
  });

  it('tells each kind of change of each scope', () => {
    const node = { id: 'x', type: 'container' };
    const scopes = (more: JsonObject) => pageWith(node, more);
    const env: Json = { name: 'env', type: 'string', default: 'a' };
    const db: Json = { id: 'db', type: 'http', config: { url: 'http://a' } };
    const table: [JsonObject, JsonObject, string][] = [
      [{}, { variables: [env] }, 'Added variable env: string, default a'],
      [{ variables: [env] }, {}, 'Removed variable env: string, default a'],
      [{ variables: [env] }, { variables: [{ ...env, default: 'b' }] }, 'Variable env: default a → b'],
      [{}, { connections: [db] }, 'Added connection db: http, config {"url":"http://a"}'],
      [{ connections: [db] }, {}, 'Removed connection db: http, config {"url":"http://a"}'],
      [
        { connections: [db] },
        { connections: [{ ...db, id: 'store' }] },
        'Connection db is now called store (0 uses)',
      ],
      [{ theme: { tone: 'accent' } }, { theme: { tone: 'neutral' } }, 'Tone of the theme: accent → neutral'],
      [{ theme: { tone: 'accent' } }, {}, 'Tone of the theme: accent → none'],
      [
        {},
        { manifest: { formatVersion: '1.0.0', id: 'd', description: 'x' } },
        'Description of the dashboard: none → x',
      ],
    ];
    for (const [before, after, sentence] of table)
      expect(words(scopes(before), scopes(after))).toEqual([sentence]);
  });

  it('is there for every change of the summary', () => {
    const before = golden();
    for (const { ops, create } of GOLDEN_CHANGESETS) {
      const base = create === true ? emptyPage('golden') : before;
      const after = applyChangeset('golden', base, parseChangeset([...ops]), types);
      const told = new Set(wordsBetween(base, after, types).map(({ nodeId }) => nodeId));
      const { changes } = changesBetween(base, after, types);
      expect(changes.length).toBeGreaterThan(0);
      for (const { nodeId } of changes) expect(told.has(nodeId)).toBe(true);
    }
  });

  it('marks the words that differ and shows equal text around them only nearby', () => {
    const long = 'the same words as before '.repeat(10);
    const node = (source: string) =>
      pageWith({ id: 'x', type: 'markdown', config: { source: `${long}old${long}`.replace('old', source) } });
    const [sentence] = wordsBetween(node('first'), node('second'), types);
    expect(sentence?.parts.filter(({ mark }) => mark !== undefined)).toEqual([
      { text: expect.stringContaining('first'), mark: 'was' },
      { text: expect.stringContaining('second'), mark: 'is' },
    ]);
    expect(sentence?.text.length).toBeLessThan(300);
  });

  it('escapes controls and marks of the writing direction', () => {
    const before = pageWith({ id: 'x', type: 'block', config: { title: 'a' } });
    const after = pageWith({ id: 'x', type: 'block', config: { title: 'b\n\u202egnp' } });
    expect(words(before, after)).toEqual(['Renamed “a” to “b\\u000a\\u202egnp”']);
  });

  it('gives a commit its subject, with how many more there are, in at most 200 characters', () => {
    const before = golden();
    const after = cloneJson(before);
    (after['manifest'] as JsonObject)['title'] = 'x'.repeat(500);
    (after['connections'] as Json[]).pop();
    const subject = subjectOf(wordsBetween(before, after, types)) ?? '';
    expect(subject).toMatch(/^Renamed the dashboard “Service” to “x+….* and 1 more$/);
    expect(subject.length).toBeLessThanOrEqual(200);
    expect(subjectOf([])).toBeUndefined();
  });
});
