import { describe, expect, it } from 'vitest';
import { documentEngine } from '#src/reads/document-engine.ts';
import { getNode } from '#src/reads/node.ts';
import { getSchema } from '#src/reads/schemas.ts';
import { parseDocumentText } from '#src/resolve/envelope.ts';
import { catalog, errorOf, resolveWith, teamPulse } from './team-pulse.ts';

// biome-ignore lint/suspicious/noExplicitAny: edits reach into the document by path
type Edit = (document: any, body: any, block: any) => void;
const widget =
  (type: string, config: object): Edit =>
  document =>
    document.root.children[0].children.push({ id: 'w', type, config });
const variable =
  (declaration: object): Edit =>
  document =>
    document.variables.push(declaration);
const content =
  (node: object): Edit =>
  (_, __, block) => {
    block.config.content = node;
  };
const page = { id: 'x', type: 'container' };

describe('a fault in a document', () => {
  it.each<[string, Edit]>([
    [
      'RESOLVE_DOCUMENT_INVALID',
      document => {
        document.extra = 1;
      },
    ],
    [
      'RESOLVE_DOCUMENT_INVALID',
      document => {
        document.manifest.formatVersion = '2.0.0';
      },
    ],
    [
      'RESOLVE_ID_DUPLICATE',
      (_, __, block) => {
        block.config.content.id = 'page';
      },
    ],
    [
      'RESOLVE_CONFIG_INVALID',
      (_, body) => {
        body.config.grid.gap = -1;
      },
    ],
    [
      'RESOLVE_CHILDREN_NOT_ALLOWED',
      (_, __, block) => {
        block.children = [];
      },
    ],
    [
      'SCHEMA_REF_UNRESOLVED',
      (_, body) => {
        body.type = 'contaner';
      },
    ],
    [
      'SCHEMA_VERSION_MISMATCH',
      (_, body) => {
        body.type = 'container@9.0.0';
      },
    ],
    [
      'SCHEMA_VERSION_MISMATCH',
      (_, body) => {
        delete body.type;
        body.$ref = 'items/container/9.0.0';
      },
    ],
    [
      'VAR_UNDEFINED',
      (_, __, block) => {
        block.config.title = '$' + '{ghost}';
      },
    ],
    ['VAR_TYPE', variable({ name: 'x', type: 'integer', default: 1.5 })],
    ['VAR_EXPR', variable({ name: 'x', type: 'number', expr: '1 +' })],
    ['VAR_DECLARATION_INVALID', variable({ name: 'team', type: 'string' })],
    ['VAR_OPTIONS_INVALID', variable({ name: 'x', type: 'enum' })],
    ['VAR_CYCLE', variable({ name: 'x', type: 'number', expr: 'x + 1' })],
    [
      'CONNECTION_DUPLICATE_ID',
      document => {
        document.connections.push(document.connections[0]);
      },
    ],
    [
      'CONNECTION_TYPE_UNRESOLVED',
      document => {
        document.connections[0].type = 'ftp';
      },
    ],
    [
      'CONNECTION_CONFIG_INVALID',
      document => {
        document.connections[0].config.columns = ['person'];
      },
    ],
    [
      'SECRET_INVALID',
      document => {
        document.connections.push({ id: 'h', type: 'http', config: { url: { $secret: 'a-b' } } });
      },
    ],
    [
      'BINDING_INVALID',
      (_, __, block) => {
        delete block.config.content.config.connectionId;
      },
    ],
    [
      'BINDING_CONNECTION_NOT_FOUND',
      (_, __, block) => {
        block.config.content.config.connectionId = 'puls';
      },
    ],
    ['WIDGET_VARIABLE_COMPUTED', widget('text-input', { variable: 'caption' })],
    ['WIDGET_OPTION_INVALID', widget('select', { variable: 'team', options: [{ value: 'ops' }] })],
    ['RESOLVE_CONFIG_INVALID', widget('slider', { variable: 'weeks', min: 2, max: 1 })],
    [
      'LAYOUT_PLACEMENT_INVALID',
      (_, __, block) => {
        block.placement.colStart = 0;
      },
    ],
    [
      'LAYOUT_FORM_CHILD_INVALID',
      document => {
        document.root.children.push({ id: 'f', type: 'form', children: [page] });
      },
    ],
    [
      'GRAMMAR_ROOT_INVALID',
      document => {
        document.root = { id: 'f', type: 'form' };
      },
    ],
    [
      'GRAMMAR_ROOT_CHILD_INVALID',
      (document, _, block) => {
        document.root.children = [block];
      },
    ],
    [
      'GRAMMAR_VARIABLE_BOX_CHILD_INVALID',
      document => {
        document.root.children[0].children.push(page);
      },
    ],
    [
      'GRAMMAR_WRAPPER_NESTED',
      content({ id: 'x', type: 'block', config: { content: { id: 'y', type: 'table' } } }),
    ],
    ['GRAMMAR_WRAPPER_CONTENT_INVALID', content(page)],
    [
      'GRAMMAR_REGION_THEME_FORBIDDEN',
      (_, body) => {
        body.config.theme = {};
      },
    ],
    [
      'WRAPPER_CHILD_COUNT_INVALID',
      (_, __, block) => {
        block.config.content = [];
      },
    ],
    [
      'WRAPPER_ID_MISMATCH',
      (_, __, block) => {
        block.config.id = 'other';
      },
    ],
    [
      'METADATA_NOT_ELIGIBLE',
      document => {
        document.root.children[0].metadata = { a: 1 };
      },
    ],
    [
      'METADATA_VALUE_NOT_SCALAR',
      document => {
        document.root.metadata = { a: [] };
      },
    ],
    ['CONFIGURATOR_TARGET_MISSING_ID', content({ id: 'c', type: 'configurator', config: { target: ' ' } })],
    [
      'CONFIGURATOR_TARGET_NOT_FOUND',
      content({ id: 'c', type: 'configurator', config: { target: 'ghost' } }),
    ],
    [
      'CONFIGURATOR_TARGET_SCOPE_UNKNOWN',
      content({ id: 'c', type: 'configurator', config: { target: '$ghost' } }),
    ],
  ])('%s', (code, edit) => {
    const document = teamPulse();
    const body = document.root.children[1];
    edit(document, body, body.children[0]);
    expect(errorOf(() => resolveWith(document)).code).toBe(code);
  });

  it('is reported with the independent ones of its stage', () => {
    const document = teamPulse();
    for (const block of document.root.children[1].children) block.placement = { colStart: 1 };
    for (const block of document.root.children[1].children) block.config.tone = 'loud';
    const { code, details } = errorOf(() => resolveWith(document));
    expect(code).toBe('RESOLVE_CONFIG_INVALID');
    expect(details['also']).toMatchObject([{ code, details: { nodeId: 'note-block' } }]);
  });
});

it.each([
  ['VAR_OVERRIDE_INVALID', { address: 'a.', value: 1 }],
  ['VAR_OVERRIDE_INVALID', { address: 'caption', value: 'x' }],
  ['CONFIG_OVERRIDE_VALUE_INVALID', { address: 'body.grid.gap', value: 'wide' }],
  ['CONFIG_OVERRIDE_VALUE_INVALID', { address: '$theme.tone', value: 'loud' }],
])('an override gives %s', (code, override) => {
  expect(errorOf(() => resolveWith(teamPulse(), { overrides: [override] })).code).toBe(code);
});

it('what is not there or not JSON has its code', () => {
  expect(errorOf(() => getSchema(catalog, 'tabel'))).toMatchObject({ code: 'SCHEMA_NOT_FOUND' });
  expect(errorOf(() => getSchema(catalog, 'tabel')).details['known']).toContain('table');
  expect(errorOf(() => getNode('team-pulse', teamPulse(), 'ghost', documentEngine(catalog))).code).toBe(
    'CHANGESET_TARGET_NOT_FOUND',
  );
  expect(errorOf(() => parseDocumentText('{', 'x.json')).code).toBe('RESOLVE_DOCUMENT_INVALID');
});
