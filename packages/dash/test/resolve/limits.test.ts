import { describe, expect, it } from 'vitest';
import type { Violation } from '#src/catalog/violations.ts';
import type { Json, JsonObject } from '#src/document/json.ts';
import { MAX_NESTING } from '#src/document/nesting.ts';
import { parseDocumentText } from '#src/resolve/envelope.ts';
import type { Override } from '#src/resolve/overrides.ts';
import { errorOf, resolveWith } from './team-pulse.ts';

function page(children: JsonObject[], more: JsonObject = {}): JsonObject {
  return {
    manifest: { formatVersion: '1.0.0', id: 'large' },
    root: { id: 'page', type: 'container', children },
    ...more,
  };
}

/** A block and its content: two nodes. */
function note(index: number): JsonObject {
  const content = { id: `note-${index}`, type: 'markdown', config: { source: 'Note' } };
  return { id: `block-${index}`, type: 'block', config: { content } };
}

/** `blocks` blocks in a body, below the root: `2 + 2 * blocks` nodes. */
function wide(blocks: number): JsonObject {
  return {
    id: 'body',
    type: 'container',
    children: Array.from({ length: blocks }, (_, index) => note(index)),
  };
}

/** Containers below the root, the tree `levels` deep with it. */
function deep(levels: number): JsonObject[] {
  let children: JsonObject[] = [];
  for (let level = levels; level > 1; level--) {
    children = [{ id: `level-${level}`, type: 'container', children }];
  }
  return children;
}

function nested(levels: number): Json {
  let value: Json = [];
  for (let level = 1; level < levels; level++) value = [value];
  return value;
}

const extra = { id: 'extra', type: 'container' };
const variables = (count: number): Json[] =>
  Array.from({ length: count }, (_, index) => ({ name: `v${index}`, type: 'number' }));
const connections = (count: number): Json[] =>
  Array.from({ length: count }, (_, index) => ({ id: `c${index}`, type: 'static', config: { rows: [] } }));
/** A list that lies three levels down: document, variables, declaration. */
const holding = (levels: number): JsonObject =>
  page([], { variables: [{ name: 'list', type: 'array', default: nested(levels - 3) }] });

it.each<[string, JsonObject, JsonObject, string, JsonObject]>([
  [
    '5,000 nodes',
    page([wide(2_499)]),
    page([wide(2_499), extra]),
    'RESOLVE_DOCUMENT_INVALID',
    { reason: 'limit' },
  ],
  ['64 levels of the tree', page(deep(64)), page(deep(65)), 'RESOLVE_DOCUMENT_INVALID', { reason: 'limit' }],
  [
    '256 levels of JSON',
    holding(MAX_NESTING),
    holding(MAX_NESTING + 1),
    'RESOLVE_DOCUMENT_INVALID',
    { reason: 'limit' },
  ],
  [
    '1,000 variables',
    page([], { variables: variables(1_000) }),
    page([], { variables: variables(1_001) }),
    'VAR_DECLARATION_INVALID',
    {},
  ],
  [
    '1,000 connections',
    page([], { connections: connections(1_000) }),
    page([], { connections: connections(1_001) }),
    'RESOLVE_DOCUMENT_INVALID',
    { reason: 'limit' },
  ],
])('%s resolve, and one more does not', (_, largest, beyond, code, details) => {
  expect(resolveWith(largest).manifest.id).toBe('large');
  expect(errorOf(() => resolveWith(beyond))).toMatchObject({ code, details });
});

it('the limit of nesting is the documented one', () => {
  expect(MAX_NESTING).toBe(256);
});

it('counts the content of blocks towards the depth', () => {
  const children = deep(62);
  let last = children[0] as { children: JsonObject[] };
  while (last.children.length > 0) last = last.children[0] as typeof last;
  last.children.push(note(1));
  expect(resolveWith(page(children)).manifest.id).toBe('large');
  last.children = [{ id: 'level-63', type: 'container', children: [note(1)] }];
  expect(errorOf(() => resolveWith(page(children))).details).toMatchObject({ reason: 'limit' });
});

it('refuses a file larger than 8 MiB before it is parsed', () => {
  const fault = errorOf(() => parseDocumentText(' '.repeat(8 * 1024 * 1024 + 1), 'large.json'));
  expect(fault).toMatchObject({
    code: 'RESOLVE_DOCUMENT_INVALID',
    details: { source: 'large.json', reason: 'limit' },
  });
});

describe('faults in great number', () => {
  const empty = (count: number): JsonObject[] => Array.from({ length: count }, () => ({}));
  const invalidPlaces = (document: JsonObject) => {
    const { code, details } = errorOf(() => resolveWith(document));
    expect(code).toBe('RESOLVE_DOCUMENT_INVALID');
    return (details['violations'] as Violation[]).map(({ pointer }) => pointer);
  };

  it('are reported up to 20, the first alone where there may be thousands', () => {
    expect(invalidPlaces(page([], { connections: empty(100) }))).toHaveLength(20);
    const many = invalidPlaces(page([], { connections: empty(32_000) }));
    expect(new Set(many)).toEqual(new Set(['/connections/0']));
  });

  it('are looked for in the same way below a block', () => {
    const content = { id: 'content', type: 'container', children: empty(32_000) };
    const many = invalidPlaces(page([{ id: 'body', type: 'block', config: { content } }]));
    expect(new Set(many)).toEqual(new Set(['/children/0']));
  });

  it('beside an unset secret are all looked at: one excused fault hides no other', () => {
    const rows = [...empty(6_000), 1];
    const config = { columns: [{ $secret: 'UNSET' }], rows };
    const document = page([], { connections: [{ id: 'c', type: 'static', config }] } as JsonObject);
    expect(errorOf(() => resolveWith(document))).toMatchObject({
      code: 'CONNECTION_CONFIG_INVALID',
      details: { violations: [{ pointer: '/rows/6000', keyword: 'type' }] },
    });
  });
});

it('a repeated option is found among 100,000', () => {
  const options = Array.from({ length: 100_000 }, (_, index) => `option-${index}`);
  const declared = (list: string[]) =>
    page([], { variables: [{ name: 'choice', type: 'enum', options: list }] });
  expect(resolveWith(declared(options)).manifest.id).toBe('large');
  expect(errorOf(() => resolveWith(declared([...options, 'option-7'])))).toMatchObject({
    code: 'VAR_OPTIONS_INVALID',
    details: { value: 'option-7' },
  });
});

it.each<[string, Override[]]>([
  ['value of a variable', [{ address: 'list', value: nested(20_000) }]],
  ['text of a variable', [{ address: 'list', text: '['.repeat(20_000) + ']'.repeat(20_000) }]],
  ['value of a field', [{ address: 'block-0.title', value: nested(20_000) }]],
  ['text of a field', [{ address: 'page.grid.columns', text: '['.repeat(20_000) + ']'.repeat(20_000) }]],
])('refuses an override that nests too deep: the %s', (_, overrides) => {
  const document = page([wide(1)], { variables: [{ name: 'list', type: 'array' }] });
  expect(errorOf(() => resolveWith(document, { overrides }))).toMatchObject({
    code: 'RESOLVE_DOCUMENT_INVALID',
    details: { source: overrides[0]?.address, reason: 'limit' },
  });
});

it('an override holds finite numbers only', () => {
  const document = page([wide(1)], { variables: [{ name: 'list', type: 'array' }] });
  const [text, value] = ['[1e400]', [Number.POSITIVE_INFINITY]];
  for (const given of [{ text }, { value }]) {
    const variable = { overrides: [{ address: 'list', ...given }] };
    expect(errorOf(() => resolveWith(document, variable)).code).toBe('VAR_TYPE');
    const field = { overrides: [{ address: 'page.grid.columns', ...given }] };
    expect(errorOf(() => resolveWith(document, field)).code).toBe('CONFIG_OVERRIDE_VALUE_INVALID');
  }
});

const mebibyte = 'x'.repeat(1024 * 1024);
/** Containers that each declare a variable and so repeat what is visible: the default and the value. */
const repeating = (count: number) =>
  page(
    Array.from({ length: count }, (_, index) => ({
      id: `c${index}`,
      type: 'container',
      variables: [{ name: `v${index}`, type: 'number' }],
    })),
    { variables: [{ name: 'text', type: 'string', default: mebibyte }] },
  );
/** Editors that each repeat the source of one note. */
function editors(count: number): JsonObject {
  const body = wide(count + 1);
  const [first, ...others] = body['children'] as { config: { content: JsonObject } }[];
  if (first !== undefined) first.config.content['config'] = { source: mebibyte };
  for (const [index, { config }] of others.entries()) {
    config.content = { id: `edit-${index}`, type: 'configurator', config: { target: 'note-0' } };
  }
  return page([body]);
}

it.each([
  ['what is visible', repeating, 6, 7],
  ['what editors show', editors, 15, 16],
] as const)('%s may repeat up to 16 MiB', (_, document, most, beyond) => {
  expect(resolveWith(document(most)).manifest.id).toBe('large');
  expect(errorOf(() => resolveWith(document(beyond)))).toMatchObject({
    code: 'RESOLVE_DOCUMENT_INVALID',
    details: { reason: 'limit' },
  });
});
