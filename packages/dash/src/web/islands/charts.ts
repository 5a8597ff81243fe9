/**
 * The live chart: the picture of the server again, in a canvas that answers to the pointer. It is loaded when the
 * pointer first meets a chart. Its words are drawn, not HTML, so the policy of the page holds.
 */
import { BarChart, CustomChart, LineChart, PieChart, ScatterChart } from 'echarts/charts';
import { GridComponent, TooltipComponent } from 'echarts/components';
import { type ECharts, type EChartsCoreOption, init, use } from 'echarts/core';
import { CanvasRenderer } from 'echarts/renderers';
import { drawChart } from '../../render/chart/draw.ts';
import { withoutSeries } from '../../render/chart/hidden.ts';
import type { ChartConfig, Picture, Plot, Row } from '../../render/chart/model.ts';
import { chartOption, type Size } from '../../render/chart/option.ts';
import { type Palette, ROLES } from '../../render/chart/roles.ts';
import { valueText } from '../../render/chart/summary.ts';
import { zoomed } from '../../render/chart/zoom.ts';

use([
  BarChart,
  CustomChart,
  LineChart,
  PieChart,
  ScatterChart,
  GridComponent,
  TooltipComponent,
  CanvasRenderer,
]);

/** Pixels that a drag has at least; less is a click. */
const SHORTEST_DRAG = 8;

export interface LiveChart {
  /** Shows the whole again. */
  reset(): void;
  /** Gives the place back to the picture of the server. */
  close(): void;
}

/**
 * Puts a live chart over the picture in `plot`: crosshair with the values of all series, drag to zoom, double click or
 * Escape to reset. Undefined where there is nothing to draw.
 */
export function openLive(
  plot: HTMLElement,
  config: ChartConfig,
  rows: readonly Row[],
  hidden: readonly string[] = [],
): LiveChart | undefined {
  const whole = drawChart(config, rows);
  const still = plot.querySelector('svg');
  if (whole.kind === 'none' || still === null) return undefined;
  return new Live(plot, still, whole.kind === 'pie' ? whole : withoutSeries(whole, new Set(hidden)));
}

class Live implements LiveChart {
  readonly #plot: HTMLElement;
  readonly #canvas = document.createElement('canvas');
  readonly #band = document.createElement('div');
  readonly #chart: ECharts;
  readonly #size: Size;
  readonly #whole: Picture;
  readonly #ending = new AbortController();
  #dragFrom: number | undefined;

  constructor(plot: HTMLElement, still: SVGSVGElement, picture: Picture) {
    const { width, height } = still.getBoundingClientRect();
    this.#plot = plot;
    this.#whole = picture;
    this.#size = { width, height };
    this.#canvas.className = 'live';
    this.#canvas.setAttribute('aria-hidden', 'true');
    // ECharts empties its element through innerHTML, which trusted types forbid; a canvas has nothing to empty.
    Object.defineProperty(this.#canvas, 'innerHTML', { value: '', writable: true });
    this.#band.className = 'zoomband';
    this.#band.hidden = true;
    plot.append(this.#canvas, this.#band);
    plot.classList.add('islive');
    this.#chart = init(this.#canvas, null, { renderer: 'canvas', ...this.#size });
    this.#show(picture);
    if (picture.kind !== 'pie') this.#listen();
  }

  reset(): void {
    this.#show(this.#whole);
  }

  close(): void {
    this.#ending.abort();
    this.#chart.dispose();
    this.#canvas.remove();
    this.#band.remove();
    this.#plot.classList.remove('islive');
  }

  #show(picture: Picture): void {
    this.#chart.setOption(liveOption(picture, this.#size, paletteOf(this.#plot)), true);
  }

  #listen(): void {
    const { signal } = this.#ending;
    this.#canvas.addEventListener('pointerdown', event => this.#start(event), { signal });
    this.#canvas.addEventListener('pointermove', event => this.#drag(event), { signal });
    this.#canvas.addEventListener('pointerup', event => this.#end(event), { signal });
    this.#canvas.addEventListener('dblclick', () => this.reset(), { signal });
    document.addEventListener('keydown', ({ key }) => key === 'Escape' && this.reset(), { signal });
  }

  #start({ offsetX, pointerId }: PointerEvent): void {
    this.#dragFrom = offsetX;
    this.#canvas.setPointerCapture(pointerId);
  }

  #drag({ offsetX }: PointerEvent): void {
    if (this.#dragFrom === undefined) return;
    this.#band.hidden = Math.abs(offsetX - this.#dragFrom) < SHORTEST_DRAG;
    this.#band.style.setProperty('left', `${Math.min(offsetX, this.#dragFrom)}px`);
    this.#band.style.setProperty('width', `${Math.abs(offsetX - this.#dragFrom)}px`);
  }

  #end({ offsetX }: PointerEvent): void {
    const from = this.#dragFrom;
    this.#dragFrom = undefined;
    this.#band.hidden = true;
    if (from === undefined || Math.abs(offsetX - from) < SHORTEST_DRAG || this.#whole.kind === 'pie') return;
    const place = (x: number): number => Number(this.#chart.convertFromPixel({ xAxisIndex: 0 }, x));
    const part = zoomed(this.#whole, place(from), place(offsetX));
    if (part !== undefined) this.#show(part);
  }
}

function liveOption(picture: Picture, size: Size, palette: Palette): EChartsCoreOption {
  const option = chartOption(picture, size, palette);
  const isPointedAt = picture.kind === 'pie' || picture.kind === 'scatter';
  const series = (option['series'] as readonly { type?: string }[]).map(drawn => ({
    ...drawn,
    silent: !isPointedAt || drawn.type === 'custom',
  }));
  return { ...option, silent: false, series, tooltip: { ...box(palette), ...words(picture) } };
}

/** The look of the box of values. */
function box(palette: Palette): object {
  return {
    renderMode: 'richText',
    confine: true,
    transitionDuration: 0,
    backgroundColor: palette('--surface'),
    borderColor: palette('--line-strong'),
    borderWidth: 1,
    padding: 10,
    textStyle: { color: palette('--ink'), fontSize: 12, lineHeight: 18 },
    axisPointer: {
      type: 'line',
      label: { show: false },
      lineStyle: { color: palette('--ink-3'), width: 1, type: 'solid' },
    },
  };
}

interface Pointed {
  readonly axisValue?: number | string;
  readonly name?: string;
  readonly seriesName?: string;
  readonly marker?: string;
  readonly value?: unknown;
}

/** What the box says: beside a crosshair all series at this x, else the mark under the pointer. */
function words(picture: Picture): object {
  if (picture.kind === 'pie') {
    return {
      trigger: 'item',
      formatter: ({ name, value }: Pointed) => `${name}  ${valueText(Number(value))}`,
    };
  }
  if (picture.kind === 'scatter') {
    return {
      trigger: 'item',
      formatter: ({ seriesName, value }: Pointed) =>
        `${seriesName}\n${(value as number[]).map(valueText).join(', ')}`,
    };
  }
  return {
    trigger: 'axis',
    formatter: (pointed: readonly Pointed[]) => valuesAt(picture, pointed),
  };
}

function valuesAt(plot: Plot, pointed: readonly Pointed[]): string {
  const at = pointed[0]?.axisValue;
  const place = plot.x.kind === 'categories' ? plot.x.names.indexOf(String(at)) : Number(at);
  const lines = plot.series.flatMap(({ name, runs }) => {
    const point = runs.flat().find(({ x }) => x === place);
    const marker = pointed.find(({ seriesName }) => seriesName === name)?.marker ?? '';
    return point === undefined ? [] : [`${marker} ${escaped(name)}  ${valueText(point.value)}`];
  });
  return [placeText(plot, at, place), ...lines].join('\n');
}

function placeText(plot: Plot, at: number | string | undefined, place: number): string {
  if (plot.x.kind === 'time')
    return new Date(place)
      .toISOString()
      .replace('T', ' ')
      .replace(/(?::00)?\.000Z$/, ' UTC');
  return plot.x.kind === 'linear' ? valueText(place) : escaped(String(at));
}

/** Braces are markup in drawn text. */
const escaped = (text: string): string => text.replace(/[{}]/g, ' ');

/** The colours that the roles have where the chart stands. */
function paletteOf(host: HTMLElement): Palette {
  const probe = document.createElement('span');
  host.append(probe);
  const colours = new Map<string, string>(
    ROLES.map(role => {
      probe.style.setProperty('color', `var(${role})`);
      return [role, getComputedStyle(probe).color];
    }),
  );
  probe.remove();
  return role => colours.get(role) ?? '';
}
