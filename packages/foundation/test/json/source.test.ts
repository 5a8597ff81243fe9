import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EACH, JsonSource, keepSource } from '#src/json/source.ts';

/** What the path leads to in the text, as texts. */
function sourcesOf(text: string, path: readonly string[]): unknown {
  const value: unknown = JSON.parse(text);
  keepSource(text, value, path);
  return value;
}

const source = (text: string) => new JsonSource(text);

describe('keepSource', () => {
  it.each<[title: string, text: string]>([
    ['forms of numbers', '[1.0, 1e3, -0, 12345678901234567890, 0.10]'],
    ['the order of members', '{"b":1,"a":2,"1":3,"0":4}'],
    ['members that are there twice', '{"a":1,"a":2}'],
    ['escapes', '"\\u0041\\/\\ud800 \\"quoted\\" \\\\"'],
    ['brackets and quotes in strings', '{"a]":"}{\\"","[":[{"}":"]"}]}'],
    ['white space inside', '{ "a" :\n [ 1 ,\t2 ] }'],
    ['a word', 'true'],
    ['null', 'null'],
    ['a number before a brace', '5'],
    ['nothing in it', '{}'],
  ])('keeps %s', (_title, json) => {
    expect(sourcesOf(`{"name":"n","json":${json}}`, ['json'])).toEqual({ name: 'n', json: source(json) });
    const spread = ` { "z" : [ ] , "json" : ${json} , "name" : "n" } `;
    expect(sourcesOf(spread, ['json'])).toEqual({ z: [], name: 'n', json: source(json) });
  });

  it('takes the last of several members, as the parser does', () => {
    expect(sourcesOf('{"json":[1],"json":{"a":1.0}}', ['json'])).toEqual({ json: source('{"a":1.0}') });
    const items = '{"items":[1,2,3],"items":[{"json":1.0},{"json":2.0,"json":3.0}],"items2":7}';
    expect(sourcesOf(items, ['items', EACH, 'json'])).toEqual({
      items: [{ json: source('1.0') }, { json: source('3.0') }],
      items2: 7,
    });
  });

  it('knows a name by what it means', () => {
    expect(sourcesOf('{"\\u006ason":1.0,"js\\u006fn\\"":2}', ['json'])).toEqual({
      json: source('1.0'),
      'json"': 2,
    });
  });

  it.each([
    ['{"json":1.0}', ['other']],
    ['[1,2]', ['json']],
    ['"json"', ['json']],
    ['null', ['json']],
    ['{"items":{"json":1}}', ['items', EACH, 'json']],
    ['{"items":[]}', ['items', EACH, 'json']],
    ['{"items":[null,5,[],"x",{}]}', ['items', EACH, 'json']],
    ['{"a":1}', ['hasOwnProperty']],
  ])('leaves %s alone where %j leads nowhere', (text, path) => {
    expect(sourcesOf(text, path)).toEqual(JSON.parse(text));
  });

  it('passes over elements of another shape', () => {
    const text = '{"items":[null,5,[{"json":1}],"x",{},{"json":"]"},{"a":{"json":2}},{"json":1.0}]}';
    expect(sourcesOf(text, ['items', EACH, 'json'])).toEqual({
      items: [
        null,
        5,
        [{ json: 1 }],
        'x',
        {},
        { json: source('"]"') },
        { a: { json: 2 } },
        { json: source('1.0') },
      ],
    });
  });

  it('keeps any value of any text, and is that value when it is written', () => {
    const indentation = fc.constantFrom(undefined, 1, '\t');
    const path = ['items', EACH, 'json'];
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), fc.jsonValue(), indentation, (values, other, space) => {
        const request = { other, items: values.map(json => ({ other, json })) };
        const kept = sourcesOf(JSON.stringify(request, null, space), path);
        const texts = (kept as typeof request).items.map(({ json }) => (json as unknown as JsonSource).text);
        expect(texts.map(text => JSON.parse(text))).toEqual(JSON.parse(JSON.stringify(values)));
        expect(JSON.stringify(kept)).toBe(JSON.stringify(request));
      }),
    );
  });

  it('reads a text once, whatever it holds', () => {
    const text = `{"a":"${'\\\\'.repeat(500_000)}","json":${'['.repeat(20_000)}${']'.repeat(20_000)}}`;
    const value = { a: '', json: [] };
    keepSource(text, value, ['json']);
    expect((value.json as unknown as JsonSource).text).toHaveLength(40_000);
  });
});
