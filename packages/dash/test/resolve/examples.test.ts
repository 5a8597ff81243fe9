import { describe, expect, it } from 'vitest';
import type { ResolvedNode } from '#src/resolve/tree.ts';
import { example, exampleNames, golden, goldenNames } from './golden.ts';
import { nodeOf, resolveWith } from './team-pulse.ts';

const resolved = (name: string) => resolveWith(example(name));

function nodesOf(node: ResolvedNode): ResolvedNode[] {
  return [node, ...(node.children ?? []).flatMap(nodesOf)];
}

describe('the examples', () => {
  it.each(exampleNames)('%s resolves to its golden tree and carries its name', name => {
    const tree = resolved(name);
    expect(tree).toStrictEqual(golden(name));
    expect(tree.manifest.id).toBe(name);
  });

  it('are the twelve that are promised, each with a golden tree', () => {
    expect(exampleNames).toHaveLength(12);
    expect(goldenNames()).toEqual(exampleNames);
  });
});

/** Worked out by hand from the specification, so that a wrong golden tree cannot pass. */
describe('by the specification', () => {
  it('first-steps puts its variable into a heading', () => {
    const { root, connections, defaultTheme } = resolved('first-steps');
    const hello = nodesOf(root).find(({ id }) => id === 'hello');
    expect(hello).toMatchObject({
      role: 'leaf',
      container: false,
      config: { text: 'Hello, reader', level: 1 },
    });
    expect(root.varEnv?.['name']).toEqual({
      ...{ name: 'name', type: 'string', value: 'reader', default: 'reader', declaredAt: 'doc' },
    });
    expect([connections, defaultTheme]).toEqual([undefined, undefined]);
  });

  it('release-notes stacks its blocks in equal rows', () => {
    const tree = resolved('release-notes');
    expect(nodeOf(tree, 'head').config?.['text']).toBe('Version 2.1');
    expect(nodeOf(tree, 'body').layout).toEqual({
      ...{ columns: [1], rows: [0.5, 0.5], gap: 1 },
      placements: [
        { colStart: 1, colSpan: 1, rowStart: 1, rowSpan: 1, auto: true },
        { colStart: 1, colSpan: 1, rowStart: 2, rowSpan: 1, auto: true },
      ],
    });
  });

  it('capacity-calculator computes, and computes anew from an override', () => {
    const tree = resolved('capacity-calculator');
    expect(nodeOf(tree, 'need').config?.['value']).toBe(3);
    expect(nodeOf(tree, 'inputs').flow).toEqual({
      ...{ mode: 'flow', columns: 2 },
      cells: [
        { column: 1, row: 1 },
        { column: 2, row: 1 },
      ],
    });
    const more = resolveWith(example('capacity-calculator'), {
      overrides: [{ address: 'users', value: 5001 }],
    });
    expect(nodeOf(more, 'need').config?.['value']).toBe(4);
  });

  it('ops-wallboard shares its width one to three', () => {
    const tree = resolved('ops-wallboard');
    expect(nodeOf(tree, 'body').layout).toMatchObject({ columns: [0.25, 0.75], rows: [1], gap: 1 });
    expect(tree.defaultTheme).toEqual({ density: 'compact' });
    expect(nodeOf(tree, 'rate').binding?.contract.itemType).toBe('metric');
  });

  it('data-sources names the secret it lacks and keeps the reference', () => {
    const [local, remote] = resolved('data-sources').connections ?? [];
    expect(local).toMatchObject({ id: 'local', type: { name: 'static', version: '1.0.0' } });
    expect(remote).toMatchObject({ secrets: ['METRICS_TOKEN'], missingSecrets: ['METRICS_TOKEN'] });
    expect(remote?.config?.['headers']).toEqual({ authorization: { $secret: 'METRICS_TOKEN' } });
  });

  it('inventory binds nothing: its rows stand in the document', () => {
    const tree = resolved('inventory');
    expect(nodesOf(tree.root).filter(({ binding }) => binding !== undefined)).toEqual([]);
    expect(nodeOf(tree, 'body').layout?.columns).toEqual([0.5, 0.5]);
  });

  it('editor-demo offers six tokens and the text of a note', () => {
    const tree = resolved('editor-demo');
    const look = nodeOf(tree, 'look').generated;
    const tokens = ['border', 'density', 'emphasis', 'radius', 'spacing', 'tone'];
    expect(look?.widgets.map(({ field }) => field)).toEqual(tokens);
    expect(look?.widgets.at(-1)).toMatchObject({ widget: 'select', value: 'accent' });
    const [text, ...more] = nodeOf(tree, 'editor').generated?.widgets ?? [];
    expect(text).toMatchObject({ widget: 'textarea', target: 'note', field: 'source', value: 'Edit me.' });
    expect(more).toEqual([]);
  });

  it('region-explorer sees a shadowed variable in one region only', () => {
    const tree = resolved('region-explorer');
    const body = nodeOf(tree, 'body').layout;
    expect([body?.columns, body?.rows]).toEqual([
      [0.25, 0.25, 0.5],
      [0.25, 0.75],
    ]);
    expect(nodeOf(tree, 'history').metadata).toEqual({ owner: 'sales', reviewed: true });
    expect(nodeOf(tree, 'total').config?.['unit']).toBe('orders');
    expect(nodeOf(tree, 'compare').config?.['yLabel']).toBe('orders in all regions');
    expect(nodeOf(tree, 'all').varEnv?.['unit']?.declaredAt).toBe('root.children[1].children[3]');
    expect(nodeOf(tree, 'trend').config?.['series']).toEqual([{ field: 'north', label: 'north' }]);
    expect(nodeOf(tree, 'trend').binding?.query).toEqual({ region: 'north' });
  });

  it('control-gallery has each of the thirteen inputs', () => {
    const tree = resolved('control-gallery');
    const inputs = nodesOf(tree.root).filter(({ role }) => role === 'widget');
    expect(new Set(inputs.map(({ type }) => type.name)).size).toBe(13);
    const text =
      'Ada: 3 x M, with alerts. Days ["mon"], agreed false; written `$' + '{summary}` in the document.';
    expect(nodeOf(tree, 'summary-text').config?.['source']).toBe(text);
  });

  it('incident-intake scores what its forms set', () => {
    const tree = resolved('incident-intake');
    expect(nodeOf(tree, 'route-text').config?.['source']).toBe('Score **1**: note it.');
    expect(nodeOf(tree, 'facts').flow?.cells.at(-1)).toEqual({ column: 1, row: 3 });
    const { layout, flow } = nodeOf(tree, 'details-form');
    expect(layout).toMatchObject({ columns: [0.75, 0.25], rows: [0.5, 0.5], gap: 1 });
    expect(flow).toBeUndefined();
    const overrides = [
      { address: 'severity', value: 'critical' },
      { address: 'services', value: ['web', 'api'] },
      { address: 'affected', value: 2500 },
    ];
    const worse = resolveWith(example('incident-intake'), { overrides });
    expect(nodeOf(worse, 'route-text').config?.['source']).toBe('Score **302**: page on-call.');
  });

  it('brand-preview never merges the theme of a block', () => {
    const tree = resolved('brand-preview');
    expect(tree.defaultTheme).toEqual(example('brand-preview').theme);
    expect(nodeOf(tree, 'tight-block').config).toEqual({
      ...{ title: 'Tight', theme: { spacing: 'compact', density: 'compact' } },
    });
    const fields = nodeOf(tree, 'tight-editor').generated?.widgets.map(({ field }) => field);
    expect(fields).toEqual([
      ...['theme.border', 'theme.density', 'theme.emphasis', 'theme.radius', 'theme.spacing', 'theme.tone'],
      ...['title', 'tone', 'visibility'],
    ]);
  });

  it('everything has all 24 types, shadowing, escapes and added rows', () => {
    const tree = resolved('everything');
    expect(new Set(nodesOf(tree.root).map(({ type }) => type.name)).size).toBe(24);
    const note = 'Room above the goal: 0.5. Shown for **all teams**, in a block that calls it $' + '{team}.';
    expect(nodeOf(tree, 'note').config?.['source']).toBe(note);
    expect(nodeOf(tree, 'scores').binding?.query).toEqual({ weeks: 4, order: 'name' });
    expect(nodeOf(tree, 'body').layout?.rows).toEqual([1, 2, 1, 1, 1, 1, 1].map(weight => weight / 8));
    expect(nodeOf(tree, 'body').layout?.placements[3]).toMatchObject({
      colStart: 1,
      rowStart: 3,
      auto: true,
    });
    expect(nodeOf(tree, 'hidden-block').config).toEqual({ visibility: false });
    expect(tree.connections?.[1]).toMatchObject({
      type: { ref: 'connections/http/1.0.0', id: 'https://dash.example/schemas/connections/http/1.0.0' },
      secretRefs: { token: 'vault:pulse' },
      missingSecrets: ['PULSE_TOKEN'],
    });
  });

  it('everything takes overrides of a variable, a field and the theme together', () => {
    const overrides = [
      { address: 'weeks', value: 8 },
      { address: 'head.level', value: 2 },
      { address: '$theme.tone', value: 'accent' },
    ];
    const tree = resolveWith(example('everything'), { overrides });
    expect(nodeOf(tree, 'head').config).toEqual({ text: 'WEB / last 8 weeks', level: 2 });
    expect(nodeOf(tree, 'scores').binding?.query).toEqual({ weeks: 8, order: 'name' });
    expect(tree.defaultTheme).toEqual({ spacing: 'cosy', tone: 'accent' });
  });
});
