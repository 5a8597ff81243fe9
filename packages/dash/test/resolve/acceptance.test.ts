// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references of the document language
import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { catalog, errorOf, nodeOf, resolveWith, teamPulse } from './team-pulse.ts';

const text = (address: string, value: string) => ({ overrides: [{ address, text: value }] });

/** Team pulse with `leaf` in a block of its own. */
function withLeaf(type: string, config: object, connectionRows?: object[]) {
  const document = teamPulse();
  if (connectionRows) document.connections[0].config.rows = connectionRows;
  document.root.children[1].children.push({
    id: 'x-block',
    type: 'block',
    config: { content: { id: 'x', type, config } },
  });
  return document;
}

describe('the document of dashboard details 1.4', () => {
  it('resolves with its caption, its typed query and fractions that sum to one (A1)', () => {
    const tree = resolveWith(teamPulse());
    expect(nodeOf(tree, 'scores').config?.['title']).toBe('WEB / last 4 weeks');
    expect(nodeOf(tree, 'scores').binding?.query).toEqual({ weeks: 4 });
    expect(nodeOf(tree, 'body').layout?.columns).toEqual([2 / 3, 1 / 3]);
  });

  it('follows an override everywhere and leaves the document as it is (A2)', () => {
    const document = teamPulse();
    const tree = resolveWith(document, text('team', 'core'));
    expect(nodeOf(tree, 'scores').config?.['title']).toBe('CORE / last 4 weeks');
    expect(nodeOf(tree, 'note').config?.['source']).toBe('Shown for **core**.');
    expect(document).toEqual(teamPulse());
  });

  it('refuses an override outside the options (A3)', () => {
    expect(errorOf(() => resolveWith(teamPulse(), text('team', 'ops'))).code).toBe('VAR_OPTIONS_INVALID');
  });

  it('lets a field override beat interpolation, on the surface only (A4, A5)', () => {
    expect(nodeOf(resolveWith(teamPulse(), text('scores.title', 'Pinned')), 'scores').config?.['title']).toBe(
      'Pinned',
    );
    const fault = errorOf(() => resolveWith(teamPulse(), text('scores.rows', '[]')));
    expect(fault.code).toBe('CONFIG_OVERRIDE_FIELD_UNKNOWN');
  });

  it('refuses a bare table and names where it stands (A6)', () => {
    const document = teamPulse();
    const body = document.root.children[1];
    body.children[0] = body.children[0].config.content;
    const { code, details } = errorOf(() => resolveWith(document));
    expect(code).toBe('GRAMMAR_REGION_CHILD_INVALID');
    expect(details).toMatchObject({ path: 'root.children[1].children[0]', nodeId: 'scores' });
  });

  it('refuses a slider on an enum and null in a table row (A7, A8)', () => {
    const slider = teamPulse();
    slider.root.children[0].children.push({ id: 's', type: 'slider', config: { variable: 'team' } });
    expect(errorOf(() => resolveWith(slider)).code).toBe('WIDGET_TYPE_MISMATCH');
    const nulls = teamPulse();
    nulls.connections[0].config.rows[0].score = null;
    expect(errorOf(() => resolveWith(nulls)).code).toBe('RESULT_SHAPE_INVALID');
  });

  it('validates with a secret and never shows it (A9)', () => {
    const document = teamPulse();
    const config = { url: { $secret: 'PULSE_URL' } };
    document.connections.push({ id: 'live', type: 'http', config });
    expect(resolveWith(document).connections?.[1]?.missingSecrets).toEqual(['PULSE_URL']);
    expect(errorOf(() => resolveWith(document, { requireSecrets: true })).code).toBe('SECRET_MISSING');
    const tree = resolveWith(document, { environment: { PULSE_URL: 'https://hidden.example/' } });
    expect(tree.connections?.[1]).toMatchObject({ config, secrets: ['PULSE_URL'] });
    expect(JSON.stringify(tree)).not.toContain('hidden');
    const bad = errorOf(() => resolveWith(document, { environment: { PULSE_URL: 'hidden value' } }));
    expect(bad.code).toBe('CONNECTION_CONFIG_INVALID');
    expect(JSON.stringify(bad)).not.toContain('hidden');
  });

  it('answers alike whether or not a key of the document is the value of a secret (18, rule 5)', () => {
    const answer = (guess: string, PIN?: string) => {
      const document = teamPulse();
      const config = { columns: ['name', { $secret: 'PIN' }], rows: [{ name: 'Ada', [guess]: 1 }] };
      document.connections.push({ id: 'guessing', type: 'static', config });
      const tree = resolveWith(document, PIN === undefined ? {} : { environment: { PIN } });
      return JSON.stringify(tree.connections?.[1]).replaceAll(guess, '');
    };
    expect(answer('1234', '1234')).toBe(answer('4321', '1234'));
    expect(answer('1234')).toContain('"missingSecrets":["PIN"]');
  });

  it('keeps an escaped reference as text (A10) and needs no title (A11)', () => {
    const document = teamPulse();
    document.root.children[1].children[1].config.content.config.source = 'Write $${team}, get ${team}';
    delete document.manifest.title;
    const tree = resolveWith(document);
    expect(nodeOf(tree, 'note').config?.['source']).toBe('Write ${team}, get web');
    expect(tree.manifest).not.toHaveProperty('title');
  });
});

describe('charts and metrics', () => {
  it('carry a binding with their contract (A12)', () => {
    const chart = { kind: 'bar', connectionId: 'pulse', x: 'person', series: [{ field: 'score' }] };
    expect(nodeOf(resolveWith(withLeaf('chart', chart)), 'x').binding?.contract.itemType).toBe('chart');
    const metric = { connectionId: 'pulse', field: 'score', aggregate: 'avg' };
    expect(nodeOf(resolveWith(withLeaf('metric', metric)), 'x').binding?.contract.itemType).toBe('metric');
    const gap = {
      kind: 'line',
      x: 'a',
      series: [{ field: 'b' }],
      rows: [
        { a: 1, b: null },
        { a: 2, b: 3 },
      ],
    };
    expect(nodeOf(resolveWith(withLeaf('chart', gap)), 'x').config).toEqual(gap);
  });

  const rows = [{ a: 'x', b: 1 }];
  it.each([
    [
      'a second series on a pie',
      'chart',
      { kind: 'pie', x: 'a', series: [{ field: 'b' }, { field: 'b' }], rows },
      '/series',
    ],
    [
      'a stacked line',
      'chart',
      { kind: 'line', stacked: true, x: 'a', series: [{ field: 'b' }], rows },
      '/stacked',
    ],
    [
      'two sources',
      'chart',
      { kind: 'bar', x: 'a', series: [{ field: 'b' }], rows, connectionId: 'pulse' },
      '/connectionId',
    ],
    ['no source', 'metric', { title: 'x' }, 'connectionId'],
    ['value beside field', 'metric', { value: 1, field: 'score' }, '/field'],
  ])('refuse %s and name the member (A13)', (_, type, config, member) => {
    const { code, details } = errorOf(() => resolveWith(withLeaf(type, config)));
    expect(code).toBe('RESOLVE_CONFIG_INVALID');
    expect(JSON.stringify(details['violations'])).toContain(member);
  });

  it.each([
    ['an unknown key', { kind: 'bar', x: 'a', series: [{ field: 'nope' }], rows }, '', 'nope'],
    ['text under a series', { kind: 'bar', x: 'b', series: [{ field: 'a' }], rows }, '/0/a', 'a'],
    [
      'a negative slice',
      { kind: 'pie', x: 'a', series: [{ field: 'b' }], rows: [{ a: 'x', b: -1 }] },
      '/0/b',
      'b',
    ],
  ])('refuse %s in their rows and say where (A14)', (_, config, pointer, key) => {
    const { code, details } = errorOf(() => resolveWith(withLeaf('chart', config)));
    expect(code).toBe('RESULT_SHAPE_INVALID');
    const [violation] = details['violations'] as { pointer: string; keyword: string; message: string }[];
    expect(violation).toMatchObject({ pointer, keyword: 'rowFields' });
    expect(violation?.message).toContain(`"${key}"`);
  });
});

describe('bounds', () => {
  it('refuses a row far away at once (A15)', () => {
    const document = teamPulse();
    delete document.root.children[1].config.grid.rows;
    document.root.children[1].children[0].placement.rowStart = 1e9;
    expect(errorOf(() => resolveWith(document)).code).toBe('LAYOUT_PLACEMENT_OUT_OF_BOUNDS');
  });

  it.each([
    ['text', 'string', (name: string) => `${name} + ${name}`, 'VAR_EXPR'],
    ['nested arrays', 'array', (name: string) => `[${name}, ${name}]`, 'RESOLVE_DOCUMENT_INVALID'],
  ])('stops %s that doubles 64 times (A15)', (_, type, expr, code) => {
    const document = teamPulse();
    document.variables.push({ name: 'd0', type: 'string', default: 'ab' });
    for (let i = 1; i <= 64; i++) document.variables.push({ name: `d${i}`, type, expr: expr(`d${i - 1}`) });
    expect(errorOf(() => resolveWith(document)).code).toBe(code);
  });
});

describe('the catalogue', () => {
  it('has schemas whose examples validate (C3)', () => {
    const types = [...catalog.items.values()].flat();
    expect(types).toHaveLength(readdirSync(new URL('../../schemas/items', import.meta.url)).length);
    for (const { validate, schema, name } of types) {
      const examples = schema['examples'] as unknown[];
      expect(examples.length, name).toBeGreaterThan(0);
      for (const example of examples) expect(validate(example), name).toBe(true);
    }
  });
});
