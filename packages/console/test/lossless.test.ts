import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type JsonNode, readJson } from '../src/parts/lossless.ts';

/** The text of a tree, with its members in their order. */
function textOf(node: JsonNode): string {
  if (!('size' in node)) return node.text;
  const members = node.first(node.size).map(([name, value]) => [JSON.stringify(name), textOf(value)]);
  if (node.kind === 'list') return `[${members.map(([, value]) => value).join(',')}]`;
  return `{${members.map(([name, value]) => `${name}:${value}`).join(',')}}`;
}

describe('the tree of a JSON text', () => {
  it('has every value of it, whatever stands between them', () => {
    fc.assert(
      fc.property(fc.json(), fc.constantFrom(undefined, 1, '\t', '  '), (json, space) => {
        const text = ` ${JSON.stringify(JSON.parse(json), null, space)}\n`;
        const tree = readJson(text);
        expect(tree === undefined ? undefined : textOf(tree)).toBe(JSON.stringify(JSON.parse(json)));
      }),
    );
  });

  it.each([
    '918274650918274651',
    '1.0',
    '-0',
    '1E400',
    'true',
    'null',
    '""',
    '{"a":1.50,"a":2}',
    '[ ]',
    '{}',
  ])('keeps %s as it is', text => {
    const tree = readJson(text);
    expect(tree === undefined ? undefined : textOf(tree)).toBe(text.replaceAll(' ', ''));
  });

  it('makes only the members that are asked for', () => {
    const tree = readJson(`[${'7,'.repeat(99_999)}7]`);
    expect(tree).toMatchObject({ kind: 'list', size: 100_000 });
    expect(tree !== undefined && 'size' in tree && tree.first(2)).toEqual([
      ['0', { kind: 'number', text: '7' }],
      ['1', { kind: 'number', text: '7' }],
    ]);
  });

  it.each(['', '{', 'undefined', '01', "{'a':1}"])('is not made of %j', text => {
    expect(readJson(text)).toBeUndefined();
  });
});
