import type { Cursor } from './cursor.ts';
import {
  type DashboardSource,
  GRID_COLUMNS,
  type PanelArea,
  type PanelSource,
  type RowSource,
  type TargetSource,
  type VariableSource,
} from './source.ts';

/** Height of an item of an automatic layout, in rows of the grid. */
const AUTO_HEIGHTS: Readonly<Record<string, number>> = { short: 5, standard: 9, tall: 14 };
const USUAL_AUTO_COLUMNS = 3;
const DEEPEST_LAYOUT = 8;

/** Kinds of variables by the names of the classic model. */
const KINDS: Readonly<Record<string, string>> = {
  QueryVariable: 'query',
  CustomVariable: 'custom',
  TextVariable: 'textbox',
  ConstantVariable: 'constant',
  IntervalVariable: 'interval',
  DatasourceVariable: 'datasource',
  SwitchVariable: 'switch',
};

/** A dashboard of the resource model, version 2. */
export function readResource(spec: Cursor, name: Cursor): DashboardSource {
  const time = spec.at('timeSettings');
  return {
    model: 'v2',
    title: spec.at('title'),
    description: spec.at('description'),
    tags: spec.at('tags'),
    name,
    refresh: time.at('autoRefresh'),
    from: time.at('from'),
    to: time.at('to'),
    elements: spec.at('elements'),
    rows: rowsOf(spec.at('layout'), spec.at('elements'), undefined, 0),
    variables: spec.at('variables').items.map(variableOf),
  };
}

function variableOf(variable: Cursor): VariableSource {
  const kindCursor = variable.at('kind');
  const kind = kindCursor.text ?? '';
  return { kind: KINDS[kind] ?? kind, kindCursor, spec: variable.at('spec') };
}

/** The rows of a layout: rows and tabs stand one below the other, with their titles. */
function rowsOf(layout: Cursor, elements: Cursor, whole: Cursor | undefined, depth: number): RowSource[] {
  const kind = layout.at('kind').text;
  const spec = layout.at('spec');
  const inner = kind === 'RowsLayout' ? spec.at('rows') : kind === 'TabsLayout' ? spec.at('tabs') : undefined;
  if (inner !== undefined && depth < DEEPEST_LAYOUT) {
    const heading = whole === undefined ? [] : [{ whole, title: whole.at('spec', 'title'), panels: [] }];
    const rows = inner.items.flatMap(row => rowsOf(row.at('spec', 'layout'), elements, row, depth + 1));
    return [...heading, ...rows];
  }
  const items = spec.at('items').items;
  const auto = kind === 'AutoGridLayout' ? autoAreas(spec) : undefined;
  const panels = items.map((item, index) => panelOf(item, elements, auto?.(index)));
  return whole === undefined ? [{ panels }] : [{ whole, title: whole.at('spec', 'title'), panels }];
}

function autoAreas(spec: Cursor): (index: number) => PanelArea {
  const most = spec.at('maxColumnCount').number ?? USUAL_AUTO_COLUMNS;
  const columns = Math.min(GRID_COLUMNS, Math.max(1, Math.floor(most)));
  const w = Math.floor(GRID_COLUMNS / columns);
  const h = AUTO_HEIGHTS[spec.at('rowHeightMode').text ?? ''] ?? 9;
  return index => ({ x: (index % columns) * w, y: Math.floor(index / columns) * h, w, h });
}

function panelOf(item: Cursor, elements: Cursor, auto: PanelArea | undefined): PanelSource {
  const place = item.at('spec');
  const name = place.at('element', 'name');
  const element = name.text === undefined ? elements.at('') : elements.at(name.text);
  const spec = element.at('spec');
  const visual = spec.at('vizConfig');
  const group = visual.at('group');
  return {
    whole: element,
    // The first version of this model names the plugin in `kind`.
    type: group.exists
      ? group
      : element.at('kind').text === 'LibraryPanel'
        ? element.at('kind')
        : visual.at('kind'),
    id: spec.at('id'),
    title: spec.at('title'),
    description: spec.at('description'),
    options: visual.at('spec', 'options'),
    defaults: visual.at('spec', 'fieldConfig', 'defaults'),
    span: spec.at('data', 'spec', 'queryOptions', 'timeFrom'),
    targets: spec.at('data', 'spec', 'queries').items.map(targetOf),
    area: auto ?? areaOf(place),
  };
}

function areaOf(place: Cursor): PanelArea {
  const cursors = { x: place.at('x'), y: place.at('y'), w: place.at('width'), h: place.at('height') };
  const { x, y, w, h } = cursors;
  return { x: x.number ?? 0, y: y.number ?? 0, w: w.number ?? 12, h: h.number ?? 8, cursors };
}

function targetOf(query: Cursor): TargetSource {
  const spec = query.at('spec');
  const inner = spec.at('query');
  const group = inner.at('group');
  const first = spec.at('datasource', 'type');
  const plugin = group.exists ? group : first.exists ? first : inner.at('kind');
  return {
    whole: query,
    spec: inner.at('spec'),
    refId: spec.at('refId'),
    hidden: spec.at('hidden'),
    plugin,
    source: group.exists ? inner.at('datasource', 'name') : spec.at('datasource', 'uid'),
  };
}
