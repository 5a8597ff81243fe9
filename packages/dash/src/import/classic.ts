import type { Cursor } from './cursor.ts';
import {
  type DashboardSource,
  GRID_COLUMNS,
  type GrafanaModel,
  type PanelArea,
  type PanelSource,
  type RowSource,
  type TargetSource,
} from './source.ts';

/** Columns of the rows that files before schema 16 have. */
const OLD_COLUMNS = 12;
const USUAL_HEIGHT = 8;
/** Pixels of a row of the grid with its gap. */
const ROW_PIXELS = 38;

/** A dashboard of the classic model. */
export function readClassic(dashboard: Cursor, model: GrafanaModel, name: Cursor): DashboardSource {
  const panels = dashboard.at('panels').items;
  const oldRows = dashboard.at('rows').items;
  return {
    model,
    title: dashboard.at('title'),
    description: dashboard.at('description'),
    tags: dashboard.at('tags'),
    name,
    refresh: dashboard.at('refresh'),
    from: dashboard.at('time', 'from'),
    to: dashboard.at('time', 'to'),
    rows: [...rowsOf(panels), ...oldRows.map(oldRow)],
    variables: dashboard
      .at('templating', 'list')
      .items.map(spec => ({ kind: spec.at('type').text ?? '', kindCursor: spec.at('type'), spec })),
  };
}

/** Panels from one row panel to the next; a closed row holds its panels. */
function rowsOf(panels: readonly Cursor[]): RowSource[] {
  const rows: { whole?: Cursor; title?: Cursor; panels: PanelSource[] }[] = [];
  const areas = new Areas();
  for (const panel of panels) {
    if (panel.at('type').text !== 'row') {
      if (rows.length === 0) rows.push({ panels: [] });
      rows.at(-1)?.panels.push(panelOf(panel, areas));
      continue;
    }
    rows.push({
      whole: panel,
      title: panel.at('title'),
      panels: panel.at('panels').items.map(inner => panelOf(inner, areas)),
    });
  }
  return rows;
}

/** A row of the files before schema 16, whose panels stand side by side. */
function oldRow(row: Cursor): RowSource {
  const areas = new Areas(heightOf(row.at('height')));
  const isTitled = row.at('showTitle').value === true;
  const panels = row.at('panels').items.map(panel => panelOf(panel, areas));
  const title = row.at('title');
  return isTitled ? { whole: row, title, panels } : { whole: row, hiddenTitle: title, panels };
}

function heightOf(height: Cursor): number {
  const pixels = height.number ?? Number.parseFloat(height.text ?? '');
  return Number.isFinite(pixels) && pixels > 0 ? Math.ceil(pixels / ROW_PIXELS) : USUAL_HEIGHT;
}

function panelOf(panel: Cursor, areas: Areas): PanelSource {
  const source = panel.at('datasource');
  return {
    whole: panel,
    type: panel.at('type'),
    id: panel.at('id'),
    title: panel.at('title'),
    description: panel.at('description'),
    options: panel.at('options'),
    defaults: panel.at('fieldConfig', 'defaults'),
    span: panel.at('timeFrom'),
    targets: panel.at('targets').items.map(target => targetOf(target, source)),
    source,
    area: areas.of(panel),
  };
}

function targetOf(target: Cursor, panelSource: Cursor): TargetSource {
  const named = target.at('datasource');
  const source = named.exists && named.value !== null ? named : panelSource;
  return {
    whole: target,
    spec: target,
    refId: target.at('refId'),
    hidden: target.at('hide'),
    plugin: source.at('type'),
    source: source.text === undefined ? source.at('uid') : source,
  };
}

/** Where panels stand: where their file says, else side by side. */
class Areas {
  readonly #height: number;
  #x = 0;
  #y = 0;

  constructor(height = USUAL_HEIGHT) {
    this.#height = height;
  }

  of(panel: Cursor): PanelArea {
    const grid = panel.at('gridPos');
    const cursors = { x: grid.at('x'), y: grid.at('y'), w: grid.at('w'), h: grid.at('h') };
    const { w, h } = cursors;
    if (w.number !== undefined && h.number !== undefined) {
      return { x: cursors.x.number ?? 0, y: cursors.y.number ?? 0, w: w.number, h: h.number, cursors };
    }
    const span = panel.at('span').number;
    const width =
      span === undefined
        ? OLD_COLUMNS
        : Math.min(GRID_COLUMNS, Math.max(1, Math.round((span * GRID_COLUMNS) / OLD_COLUMNS)));
    if (this.#x + width > GRID_COLUMNS) this.#break();
    const area = { x: this.#x, y: this.#y, w: width, h: this.#height };
    this.#x += width;
    return area;
  }

  #break(): void {
    this.#x = 0;
    this.#y += this.#height;
  }
}
