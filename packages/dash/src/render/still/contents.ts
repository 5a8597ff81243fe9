import { defined } from '@msg/foundation/json';
import type { Json } from '../../document/json.ts';
import type { ResolvedNode } from '../../resolve/tree.ts';
import { drawChart } from '../chart/draw.ts';
import type { ChartConfig, Picture, Row } from '../chart/model.ts';
import { seriesRole } from '../chart/roles.ts';
import { textWidth } from '../chart/text-width.ts';
import { type RenderContext, textMember } from '../context.ts';
import { tableCells } from '../items/columns.ts';
import { figureText } from '../items/figure.ts';
import { cellText, memberOf, rowsAtHand } from '../items/leaf.ts';
import { metricValue } from '../items/metric.ts';
import { emptyReason } from '../states.ts';
import { thresholdsOf, toneAt } from '../tones.ts';
import { htmlText } from './html-text.ts';
import { type Box, lineHeight, type Pen } from './pen.ts';
import { linesOf } from './text.ts';

/** Rows of a table in a file; the page has all. */
const MOST_ROWS = 20;
const ROW = 28;
const SMALL = 12;
const TEXT = 13;
const CHART_HEIGHT = 240;
const FIGURE = 26;
const LEGEND_LINE = 20;

/** Paints a chart that has something to paint, as SVG. */
export type PaintChart = (
  picture: Picture,
  size: { width: number; height: number },
  id: string,
) => Promise<string>;

/** What an item shows, before its place is known. */
export interface Content {
  /** Least height within a width. */
  height(width: number): number;
  draw(pen: Pen, box: Box): Promise<void> | void;
}

/** What a node that holds no other shows. */
export function contentOf(node: ResolvedNode, context: RenderContext, paint: PaintChart): Content {
  const view = context.views.get(node.id);
  const error = view?.data?.state === 'error' ? view.data.error : view?.error;
  if (error !== undefined) return errorText(node, error.code, error.message);
  if (node.role === 'widget') return widget(node, context);
  const make = CONTENTS[node.type.name];
  return make === undefined ? words(htmlText(node, context)) : make(node, context, paint);
}

type MakeContent = (node: ResolvedNode, context: RenderContext, paint: PaintChart) => Content;

const CONTENTS: Readonly<Record<string, MakeContent>> = {
  chart,
  metric,
  table,
  image,
  configurator,
  heading: node => words(textMember(node.config, 'text') ?? '', { size: 20, isStrong: true }),
};

function words(text: string, look: { size?: number; isStrong?: boolean; colour?: string } = {}): Content {
  const { size = TEXT } = look;
  const lines = (width: number): string[] => linesOf(text, width, look.isStrong === true ? size * 1.1 : size);
  return {
    height: width => lines(width).length * lineHeight(size),
    draw: (pen, box) => void pen.lines(lines(box.width), box, look),
  };
}

/** Its title, and `label: value` for each field. */
function configurator(node: ResolvedNode): Content {
  const fields = (node.generated?.widgets ?? []).map(
    ({ label, value }) => `${label}: ${cellText(value) || '–'}`,
  );
  return words([textMember(node.config, 'title'), ...fields].filter(line => line !== undefined).join('\n'));
}

function errorText(node: ResolvedNode, code: string, message: string): Content {
  const title = textMember(node.config, 'title');
  const inner = words(`${title === undefined ? '' : `${title}\n`}${message}`);
  return {
    height: width => inner.height(width - 24) + lineHeight(SMALL) + 16,
    draw(pen, box) {
      pen.mark({ ...box, width: 3 }, pen.colours.of('--bad-mark'));
      pen.text(code, box.x + 12, box.y + 8 + SMALL, {
        size: SMALL,
        colour: pen.colours.of('--bad'),
        within: box.width - 24,
      });
      return inner.draw(pen, {
        ...box,
        x: box.x + 12,
        y: box.y + 8 + lineHeight(SMALL),
        width: box.width - 24,
      });
    },
  };
}

/** `label: value`. */
function widget(node: ResolvedNode, { variables }: RenderContext): Content {
  const name = textMember(node.config, 'variable') ?? '';
  const value: Json = Object.hasOwn(variables, name) ? (variables[name]?.value ?? null) : null;
  const label = textMember(node.config, 'label') ?? name;
  const shown = Array.isArray(value) ? value.map(cellText).join(', ') : cellText(value);
  return words(`${label}: ${shown === '' ? '–' : shown}`);
}

function metric(node: ResolvedNode, context: RenderContext): Content {
  const title = textMember(node.config, 'title');
  const value = metricValue(node, rowsAtHand(node, context)?.rows);
  const figure = figureText(value, textMember(node.config, 'format'), memberOf(node, 'digits'));
  const unit = figure === undefined ? undefined : textMember(node.config, 'unit');
  const tone = typeof value === 'number' ? toneAt(thresholdsOf(node.config), value) : undefined;
  const notes = [tone === 'neutral' ? undefined : tone, emptyReason(context.views.get(node.id)?.data)];
  const below = notes.filter(note => note !== undefined).join(' · ');
  const top = title === undefined ? 0 : lineHeight(TEXT);
  return {
    height: () => top + lineHeight(FIGURE) + (below === '' ? 0 : lineHeight(SMALL)),
    draw(pen, { x, y, width }) {
      const soft = pen.colours.of('--ink-2');
      if (title !== undefined) pen.text(title, x, y + TEXT, { colour: soft, within: width });
      const text = figure ?? '–';
      const colour = pen.colours.ofTone(tone ?? 'neutral');
      pen.text(text, x, y + top + FIGURE, { size: FIGURE, isStrong: true, colour, within: width });
      const end = x + textWidth(text, FIGURE * 1.1) + 6;
      if (unit !== undefined && end < x + width)
        pen.text(unit, end, y + top + FIGURE, { colour: soft, within: x + width - end });
      pen.text(below, x, y + top + lineHeight(FIGURE) + SMALL, { size: SMALL, colour: soft, within: width });
    },
  };
}

function table(node: ResolvedNode, context: RenderContext): Content {
  const view = context.views.get(node.id)?.data;
  const { columns, rows } = tableCells(node, view !== undefined && 'data' in view ? view.data : undefined);
  const title = textMember(node.config, 'title');
  const shown = rows.slice(0, MOST_ROWS);
  if (shown.length === 0) return none(title, emptyReason(view));
  const count = Math.max(1, ...[columns, ...shown].map(row => row.length));
  const more = rows.length - shown.length;
  const head = columns.some(({ header = '' }) => header !== '') ? ROW : 0;
  const top = title === undefined ? 0 : lineHeight(TEXT) + 4;
  return {
    height: () => top + head + shown.length * ROW + (more > 0 ? lineHeight(SMALL) : 0),
    draw(pen, { x, y, width }) {
      if (title !== undefined) pen.text(title, x, y + TEXT, { isStrong: true, within: width });
      const cell = width / count;
      const put = (text: string, at: number, base: number, isNumber: boolean, colour?: string): void => {
        const look = defined({ within: cell - 12, colour });
        if (isNumber) pen.text(text, x + (at + 1) * cell - 8, base, { ...look, anchor: 'end' });
        else pen.text(text, x + at * cell, base, look);
      };
      const isNumber = (at: number): boolean => shown.every(row => typeof (row[at] ?? 0) === 'number');
      for (const [at, { header = '' }] of columns.entries())
        put(header, at, y + top + 18, isNumber(at), pen.colours.of('--ink-3'));
      for (const [line, row] of shown.entries()) {
        const above = y + top + head + line * ROW;
        if (head > 0 || line > 0) pen.line(x, above, x + width, above);
        for (const [at, value] of row.entries()) put(cellText(value), at, above + 19, isNumber(at));
      }
      if (more > 0)
        pen.text(`${more} more`, x, y + top + head + shown.length * ROW + SMALL + 2, {
          size: SMALL,
          colour: pen.colours.of('--ink-3'),
        });
    },
  };
}

function none(title: string | undefined, reason: string | undefined): Content {
  return words([title, 'No data', reason].filter(line => line !== undefined).join('\n'));
}

/** A picture of the document; in the place of another one its words and its address. */
function image(node: ResolvedNode): Content {
  const source = textMember(node.config, 'src') ?? '';
  const text = [textMember(node.config, 'alt'), source, textMember(node.config, 'caption')];
  const isInDocument = /^data:image\/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/=]+$/i.test(source);
  const inner = words(text.filter(line => line !== undefined).join('\n'));
  if (isInDocument) return { height: () => CHART_HEIGHT, draw: (pen, box) => pen.picture(source, box) };
  return {
    height: width => inner.height(width - 24) + 24,
    draw(pen, box) {
      pen.rectangle({ ...box, height: inner.height(box.width - 24) + 24 }, 'none', '--line-strong');
      return inner.draw(pen, { ...box, x: box.x + 12, y: box.y + 12, width: box.width - 24 });
    },
  };
}

function chart(node: ResolvedNode, context: RenderContext, paint: PaintChart): Content {
  const rows = rowsAtHand(node, context)?.rows ?? [];
  const title = textMember(node.config, 'title');
  // The schema of the item has checked the config, and the sources the rows.
  const drawing = drawChart(node.config as unknown as ChartConfig, rows as readonly Row[]);
  if (drawing.kind === 'none') return none(title, emptyReason(context.views.get(node.id)?.data));
  const names = drawing.kind === 'pie' || drawing.series.length < 2 ? [] : drawing.series;
  const top = title === undefined ? 0 : lineHeight(TEXT) + 4;
  const legend = (width: number): { x: number; y: number; name: string; slot: number }[] => {
    let [x, y] = [0, 0];
    return names.map(({ name, slot }) => {
      const wide = Math.min(width, 20 + textWidth(name, SMALL) + 16);
      if (x > 0 && x + wide > width) [x, y] = [0, y + LEGEND_LINE];
      const place = { x, y, name, slot };
      x += wide;
      return place;
    });
  };
  const above = (width: number): number => {
    const last = legend(width).at(-1);
    return top + (last === undefined ? 0 : last.y + LEGEND_LINE + 4);
  };
  return {
    height: width => above(width) + CHART_HEIGHT,
    async draw(pen, { x, y, width, height }) {
      if (title !== undefined) pen.text(title, x, y + TEXT, { isStrong: true, within: width });
      for (const entry of legend(width)) {
        const mark = { x: x + entry.x, y: y + top + entry.y + 4, width: 12, height: 4 };
        pen.mark(mark, pen.colours.of(seriesRole(entry.slot)));
        pen.text(entry.name, x + entry.x + 18, y + top + entry.y + SMALL - 2, {
          size: SMALL,
          colour: pen.colours.of('--ink-2'),
          within: width - 18,
        });
      }
      const size = { width: Math.round(width), height: Math.round(height - above(width)) };
      const svg = await paint(drawing, size, `c-${node.id}`);
      pen.drawing(svg, { x, y: y + above(width), ...size });
    },
  };
}
