import { createHash } from 'node:crypto';
import type { Clock } from '@msg/foundation/clock';
import type { Json, JsonObject } from '../../document/json.ts';
import type { ChartPainter, DrawingRequest } from '../drawing.ts';
import { emptyBox } from '../states.ts';
import { drawChart } from './draw.ts';
import { chartFigure } from './figure.ts';
import { withoutSeries } from './hidden.ts';
import type { ChartConfig, Row } from './model.ts';
import { Painter } from './painter.ts';

/** Characters of finished drawings that are kept for pages that ask for the same again. */
const KEPT_CHARACTERS = 16 * 2 ** 20;
const SIZE = { width: 320, height: 200 };

type Drawn = Awaited<ReturnType<ChartPainter['draw']>>;

/** Draws charts, and keeps what it has drawn for as long as there is room. */
export class Charts implements ChartPainter {
  readonly #painter: Painter;
  /** Drawings by the digest of what they show, the one asked for last at the end. */
  readonly #drawings = new Map<string, Promise<Drawn>>();
  readonly #lengths = new Map<string, number>();
  #characters = 0;

  constructor(clock: Clock, painter = new Painter(clock)) {
    this.#painter = painter;
  }

  /** @throws DashError RENDER_FAILED when the chart cannot be painted. */
  draw(request: DrawingRequest): Promise<Drawn> {
    const key = digestOf(request);
    const drawing = this.#drawings.get(key) ?? this.#keep(key, this.#drawing(request));
    this.#drawings.delete(key);
    this.#drawings.set(key, drawing);
    return drawing;
  }

  /** Starts the thread and paints one chart of each kind: the first of a kind takes several times as long. */
  async warmUp(): Promise<void> {
    const kinds: readonly ChartConfig['kind'][] = ['line', 'bar', 'area', 'pie', 'scatter'];
    const rows = [
      { x: 1, y: 1 },
      { x: 2, y: 2 },
    ];
    const charts = kinds.map(kind => drawChart({ kind, x: 'x', series: [{ field: 'y' }] }, rows));
    const pictures = charts.filter(drawing => drawing.kind !== 'none');
    await Promise.allSettled(
      pictures.map(picture => this.#painter.paint({ picture, size: SIZE, id: 'warm' })),
    );
  }

  close(): Promise<void> {
    return this.#painter.close();
  }

  async #drawing(request: DrawingRequest): Promise<Drawn> {
    const { nodeId, config, rows, width, height, reach, hidden = [] } = request;
    const drawing = drawChart(chartConfig(config), rows as readonly Row[], reach);
    if (drawing.kind === 'none') return { html: String(emptyBox(undefined)) };
    const off = new Set(hidden);
    const picture = drawing.kind === 'pie' ? drawing : withoutSeries(drawing, off);
    const svg = await this.#painter.paint({ picture, size: { width, height }, id: `c-${nodeId}` });
    return { html: String(chartFigure(drawing, svg, off)) };
  }

  /** Keeps a drawing while it is made and afterwards; one that fails is made again by the next who asks. */
  #keep(key: string, drawing: Promise<Drawn>): Promise<Drawn> {
    this.#drawings.set(key, drawing);
    drawing.then(
      ({ html }) => this.#count(key, html.length),
      () => this.#drawings.delete(key),
    );
    return drawing;
  }

  #count(key: string, length: number): void {
    if (!this.#drawings.has(key)) return;
    this.#lengths.set(key, length);
    this.#characters += length;
    for (const oldest of this.#drawings.keys()) {
      if (this.#characters <= KEPT_CHARACTERS) return;
      this.#characters -= this.#lengths.get(oldest) ?? 0;
      this.#lengths.delete(oldest);
      this.#drawings.delete(oldest);
    }
  }
}

/** The ends of the axis of values of a chart with these rows; none where there is no such axis. */
export function valueReach(config: JsonObject, rows: DrawingRequest['rows']): readonly number[] {
  const drawing = drawChart(chartConfig(config), rows as readonly Row[]);
  return drawing.kind === 'none' || drawing.kind === 'pie' ? [] : [drawing.y.min, drawing.y.max];
}

function digestOf(request: DrawingRequest): string {
  return createHash('sha256').update(JSON.stringify(request)).digest('base64');
}

/** The config of a resolved chart, which its schema has checked. */
function chartConfig(config: JsonObject): ChartConfig {
  return config satisfies Record<string, Json> as unknown as ChartConfig;
}
