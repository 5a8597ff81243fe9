import type { Json, JsonObject } from '../document/json.ts';
import { type ImportContext, type ImportedItem, putText } from './context.ts';
import type { Cursor } from './cursor.ts';
import { Names, NODE_ID } from './names.ts';
import { importPanel } from './panels.ts';
import { GRID_COLUMNS, type PanelSource, type RowSource } from './source.ts';

/** Most rows of a grid without declared ones. */
const MOST_ROWS = 1_000;
const TITLE_ROWS = 1;
const GAP = 0.5;

/** The regions of a document: the controls, then one container for each row. */
export function importRows(rows: readonly RowSource[], context: ImportContext): JsonObject[] {
  const layout = new Layout(context);
  const regions: JsonObject[] = [];
  const controls = layout.controls();
  if (controls !== undefined) regions.push(controls);
  for (const row of rows) regions.push(...layout.row(row));
  return regions;
}

class Layout {
  readonly #context: ImportContext;
  readonly #ids = new Names(NODE_ID);
  #rows = 0;

  constructor(context: ImportContext) {
    this.#context = context;
    this.#ids.take('page');
  }

  controls(): JsonObject | undefined {
    const { controls } = this.#context.variables;
    if (controls.length === 0) return undefined;
    const id = this.#ids.take('filters');
    const children: Json[] = controls.map(({ name, type, config }) => ({
      id: this.#ids.take(`pick-${name}`),
      type,
      config,
    }));
    return { id, type: 'variable-box', config: { arrangement: 'inline' }, children };
  }

  /** The containers of a row: more than one where a grid cannot have all of its rows. */
  row({ whole, title, hiddenTitle, panels }: RowSource): JsonObject[] {
    if (whole !== undefined) this.#reportRow(whole);
    if (hiddenTitle !== undefined) this.#context.report.same(hiddenTitle, 'the title was not shown');
    if (title === undefined && panels.length === 0) return [];
    const blocks: JsonObject[] = [];
    const isTitled = title?.text !== undefined && title.text.trim() !== '';
    if (title !== undefined && isTitled) blocks.push(this.#heading(title));
    else if (title !== undefined) this.#context.report.same(title, 'the row has no title');
    const containers = [blocks];
    let top = lowest(panels);
    let offset = isTitled ? TITLE_ROWS : 0;
    for (const panel of inOrder(panels)) {
      const { y, h } = panel.area;
      const row = Math.max(0, Math.floor(y - top));
      if (row + offset + heightOf(h) > MOST_ROWS) {
        containers.push([]);
        top = y;
        offset = 0;
      }
      containers.at(-1)?.push(this.#block(panel, Math.max(0, Math.floor(y - top)) + offset));
    }
    return containers.filter(children => children.length > 0).map(children => this.#container(children));
  }

  #container(children: readonly JsonObject[]): JsonObject {
    this.#rows += 1;
    const columns: Json[] = Array.from({ length: GRID_COLUMNS }, () => 1);
    const id = this.#ids.take(`row-${this.#rows}`);
    return { id, type: 'container', config: { grid: { columns, gap: GAP } }, children: [...children] };
  }

  #reportRow(whole: Cursor): void {
    const { report } = this.#context;
    report.change(whole.at('type'), 'a container');
    report.change(whole.at('kind'), 'a container');
    for (const name of ['x', 'y', 'w', 'h'])
      report.change(whole.at('gridPos', name), 'containers stand one below the other');
    for (const name of ['height', 'showTitle', 'titleSize'])
      report.change(whole.at(name), 'containers stand one below the other');
    for (const name of ['collapsed', 'collapse'])
      if (whole.at(name).value === true) report.change(whole.at(name), 'a container is always open');
  }

  #heading(title: NonNullable<RowSource['title']>): JsonObject {
    const config: JsonObject = { level: 2 };
    putText(title, config, 'text', this.#context);
    const id = this.#ids.take(`title-${this.#rows + 1}`);
    const content = { id: this.#ids.take(`${id}-text`), type: 'heading', config };
    return { id, type: 'block', config: { content }, placement: { colStart: 1, colSpan: GRID_COLUMNS } };
  }

  #block(panel: PanelSource, row: number): JsonObject {
    const { report } = this.#context;
    const wish = panel.id.number ?? panel.id.text ?? '';
    const id = this.#ids.take(`panel-${wish === '' ? 'x' : wish}`);
    const config: JsonObject = {};
    if (panel.title.text !== undefined && panel.title.text !== '')
      putText(panel.title, config, 'title', this.#context);
    else report.same(panel.title, 'the panel has no title');
    const item = importPanel(panel, this.#context);
    const placement = placementOf(panel, row);
    const block: JsonObject = { id, type: 'block', config, placement };
    config['content'] = withId(this.#ids.take(`${id}-item`), item);
    if (panel.description.text !== undefined && panel.description.text !== '') {
      const metadata: JsonObject = { description: panel.description.text };
      report.keep(panel.description, metadata, 'description');
      block['metadata'] = metadata;
    }
    report.change(panel.id, 'the id of the block', block, 'id');
    for (const part of [panel.source, panel.source?.at('type'), panel.source?.at('uid')])
      if (
        part !== undefined &&
        (part === panel.source ? part.text !== undefined || part.value === null : true)
      )
        report.same(part, 'its queries name their data sources');
    this.#reportArea(panel, placement);
    return block;
  }

  #reportArea({ area }: PanelSource, placement: JsonObject): void {
    if (area.cursors === undefined) return;
    const { report } = this.#context;
    const { x, y, w, h } = area.cursors;
    report.change(x, 'columns count from 1', placement, 'colStart');
    report.change(y, 'rows count from 1 in each container', placement, 'rowStart');
    for (const [cursor, key] of [
      [w, 'colSpan'],
      [h, 'rowSpan'],
    ] as const) {
      if (cursor.value === placement[key]) report.keep(cursor, placement, key);
      else report.change(cursor, 'fitted into the grid', placement, key);
    }
  }
}

const withId = (id: string, { type, config }: ImportedItem): JsonObject => ({ id, type, config });

function placementOf({ area: { x, w, h } }: PanelSource, row: number): JsonObject {
  const column = Math.min(GRID_COLUMNS - 1, Math.max(0, Math.floor(x)));
  const width = Math.min(GRID_COLUMNS - column, Math.max(1, Math.round(w)));
  return { colStart: column + 1, colSpan: width, rowStart: row + 1, rowSpan: heightOf(h) };
}

const heightOf = (rows: number): number => Math.min(MOST_ROWS - TITLE_ROWS, Math.max(1, Math.round(rows)));

function lowest(panels: readonly PanelSource[]): number {
  return panels.reduce((least, { area }) => Math.min(least, area.y), Number.POSITIVE_INFINITY);
}

/** By row, then by column. */
function inOrder(panels: readonly PanelSource[]): PanelSource[] {
  return panels.toSorted((a, b) => a.area.y - b.area.y || a.area.x - b.area.x);
}
