import { readFileSync } from 'node:fs';
import { generate, readPatterns } from '@msg/codegen';
import { describe, expect, test } from 'vitest';

const text = (name: string): string => readFileSync(new URL(`./golden/${name}`, import.meta.url), 'utf8');
const registry = JSON.parse(text('registry.json')) as { patterns: unknown[] };
const both = (document: unknown) =>
  generate(readPatterns(document), { languages: ['go', 'ts'], packageName: 'parsecgen', header: '' });

describe('the generated files', () => {
  const [go, ts] = both(registry).map(file => file.text) as [string, string];

  test('are those on record', () => {
    expect(go).toBe(text('parsec_gen.go.txt'));
    expect(ts).toBe(text('index.ts.txt'));
  });

  /** Rows of the tables of messaging details, section 15, read off by hand. */
  test.each([
    [
      'initialisms',
      'const APIHTTPURLPattern = "api.http-url:{type}.*"',
      'export const APIHTTPURLPattern = "api.http-url:{type}.*" as const;',
    ],
    [
      'the second and third of one base',
      'const APIHTTPURL3Pattern = "api:http.url"',
      'export const APIHTTPURL3Pattern = "api:http.url" as const;',
    ],
    [
      'a base from wildcards alone',
      'const Pattern_tenant______Pattern = "{tenant}.*.**"',
      'export const Pattern_tenant______Pattern =',
    ],
    [
      'reserved parameters',
      'func APIHTTPURLChannel(type_ string, arg0 string) string {',
      'export function aPIHTTPURLChannel(type: string, arg0: string): string {',
    ],
    [
      'names that the other language reserves',
      'func _7elevenChannel(class string, strings_ string) string {',
      'export function _7elevenChannel(class_: string, strings: string): string {',
    ],
    [
      'wildcards, counted',
      'return "io." + arg0 + "." + arg1 + ".tail." + arg2',
      'return "io." + arg0 + "." + arg1 + ".tail." + arg2;',
    ],
    [
      'a rest',
      'func Pattern__Channel(rest ...string) string {',
      'export function pattern__Channel(rest: string[]): string {',
    ],
    [
      'an aspect that is called like a declaration',
      'type PlainPattern2 string',
      'export type PlainPattern2 = string;',
    ],
    [
      'placeholders that become one name',
      '(odd_name string, odd_name2 string)',
      '(odd_name: string, odd_name2: string)',
    ],
    ['no schema', 'type UsersProfileRaw = json.RawMessage', 'export type UsersProfileRaw = unknown;'],
    ['an empty schema', 'type UsersProfileEmpty struct{}', 'export interface UsersProfileEmpty {}'],
    ['an integer', 'type UsersProfileCount int64', 'export type UsersProfileCount = number;'],
    ['a number', 'type UsersProfileRatio float64', 'export type UsersProfileRatio = number;'],
    ['a boolean', 'type UsersProfileOn bool', 'export type UsersProfileOn = boolean;'],
    ['null', 'type UsersProfileNil any', 'export type UsersProfileNil = null;'],
    ['a list of scalars', 'type UsersProfileNames []string', 'export type UsersProfileNames = string[];'],
    ['another list', 'type UsersProfileRows json.RawMessage', 'export type UsersProfileRows = unknown;'],
    [
      'a name that is no identifier',
      '\tAvatarURL string          `json:"avatar-url,omitempty"`',
      '  "avatar-url"?: string;',
    ],
    ['a name that begins with a digit', 'X1st', '  "1st"?: string;'],
    ['a nested object, required', '\tAddress struct {', '  address: {\n    city?: string;'],
    [
      'a nested object, optional',
      '*struct {\n\t\tIban string `json:"iban,omitempty"`\n\t} `json:"billing,omitempty"`',
      '  billing?: {\n    iban?: string;\n  };',
    ],
    ['an unknown type', 'json.RawMessage `json:"odd,omitempty"`', '  odd?: unknown;'],
    [
      'a description of a property',
      '\t// As the user wrote it.\n\tName',
      '  /** As the user wrote it. */\n  name: string;',
    ],
    [
      'a description of an aspect',
      '// UsersProfileFull is the body of aspect "full" (UsersProfile).\n// Everything about a user.\ntype',
      '/** Everything about a user. */\nexport interface UsersProfileFull {',
    ],
    [
      'a description that wants to be more',
      '// > - first */ second third',
      '/** - first *\\/ second third */',
    ],
    ['a property that no tag can name', 'type QuotedXYQ json.RawMessage', '  "with \\"quote"?: string;'],
  ])('%s', (_, inGo, inTypeScript) => {
    expect(go).toContain(inGo);
    expect(ts).toContain(inTypeScript);
  });

  test('do not depend on the order of the input', () => {
    const reversed = { patterns: registry.patterns.toReversed() };
    expect(both(reversed).map(file => file.text)).toEqual([go, ts]);
    const aspects = structuredClone(registry.patterns) as { aspects: Record<string, unknown> }[];
    for (const pattern of aspects)
      pattern.aspects = Object.fromEntries(Object.entries(pattern.aspects).toReversed());
    expect(both({ patterns: aspects }).map(file => file.text)).toEqual([go, ts]);
  });

  test('of an empty registry are files too', () => {
    expect(both({ patterns: [] }).map(file => file.text)).toEqual([
      '// Code generated by msg-gen. DO NOT EDIT.\n\npackage parsecgen\n',
      '// Code generated by msg-gen. DO NOT EDIT.\n\n',
    ]);
  });

  test('in Go import what they use, not what they mention', () => {
    const mention = 'json.RawMessage once, now strings.Join(text)';
    const payload_schema = {
      type: 'object',
      description: mention,
      properties: { note: { type: 'string', description: mention } },
    };
    const aspects = { note: { description: mention, payload_schema } };
    expect(both({ patterns: [{ pattern: 'shop', aspects }] })[0]?.text).not.toContain('import');
  });

  test('begin with the header', () => {
    const options = { languages: ['go'], packageName: 'p', header: '// Ours.' } as const;
    expect(generate([], options)[0]?.text).toMatch(
      /^\/\/ Ours\.\n\/\/ Code generated by msg-gen\. DO NOT EDIT\.\n\npackage p\n$/,
    );
  });
});

test.each([
  [null, 'the snapshot has no list of patterns'],
  [{ patterns: {} }, 'the snapshot has no list of patterns'],
  [{ patterns: [{}] }, 'it is empty'],
  [{ patterns: [{ pattern: 'a.**.b' }] }, '** is allowed at the end only'],
  [{ patterns: [{ pattern: 'a' }, { pattern: 'a' }] }, 'patterns[1]: "a" is there twice'],
])('%j is no registry', (document, problem) => {
  expect(() => readPatterns(document)).toThrow(problem);
});
