import { isJsonObject, ownMember } from '../../document/json.ts';
import type { ResolvedNode } from '../../resolve/tree.ts';
import {
  contextInBlock,
  contextWithin,
  type PictureSource,
  type RenderContext,
  textMember,
} from '../context.ts';
import { memberOf } from '../items/leaf.ts';
import { titleOf, topContext } from '../picture.ts';
import { Colours, type Scheme } from './colours.ts';
import { type Content, contentOf, type PaintChart } from './contents.ts';
import { type Box, lineHeight, Pen } from './pen.ts';
import { linesOf } from './text.ts';
import { columnsOf, rowsOf } from './tracks.ts';

const MARGIN = 24;
const TITLE = 20;
const PAD = 16;
const HEAD = 36;
const BETWEEN = 12;
const TONES: ReadonlySet<string> = new Set(['accent', 'positive', 'caution', 'critical']);

/** What a picture is made of besides its dashboard. */
export interface StillParts {
  /** Pixels. */
  readonly width: number;
  readonly scheme: Scheme;
  readonly paint: PaintChart;
  /** Ids of the only nodes that are drawn, each with everything in it; the whole dashboard when absent. */
  readonly only?: ReadonlySet<string>;
  /** Columns that the chosen nodes stand in; 1 when absent. */
  readonly columns?: number;
  /** Most pixels of the height; what is below is not shown. */
  readonly tallest?: number;
}

/** A picture and its size. */
export interface StillPicture {
  readonly svg: string;
  /** Pixels that are shown. */
  readonly height: number;
  /** True when more than that was drawn. */
  readonly isCut: boolean;
}

/**
 * A dashboard as SVG, laid out from its grids and drawn from the models of its charts. Equal dashboards and parts give
 * equal bytes; colours are those of the scheme, because what shows a picture knows no style sheet.
 */
export async function renderStill(source: PictureSource, parts: StillParts): Promise<StillPicture> {
  const { width, scheme, paint, only, columns = 1, tallest = Number.POSITIVE_INFINITY } = parts;
  const pen = new Pen(new Colours(scheme));
  const inner = width - 2 * MARGIN;
  const context = topContext(source);
  const { root } = source.tree;
  const title = only === undefined ? linesOf(titleOf(source.tree), inner, TITLE * 1.1, 3) : [];
  const top = MARGIN + (title.length === 0 ? 0 : title.length * lineHeight(TITLE) + BETWEEN);
  const area =
    only === undefined
      ? areaOf(root, context, paint)
      : flowOf(chosenAreas(root, context, only, paint), columns);
  const height = area.height(inner);
  const whole = top + height + MARGIN;
  const shown = Math.min(whole, tallest);
  pen.rectangle({ x: 0, y: 0, width, height: shown }, '--canvas', undefined, 0);
  pen.lines(title, { x: MARGIN, y: MARGIN, width: inner, height: 0 }, { size: TITLE, isStrong: true });
  await area.draw(pen, { x: MARGIN, y: top, width: inner, height });
  return { svg: pen.file(width, shown), height: shown, isCut: whole > shown };
}

/** The chosen nodes in document order, each in the context of the nodes around it. */
function chosenAreas(
  node: ResolvedNode,
  around: RenderContext,
  only: ReadonlySet<string>,
  paint: PaintChart,
): Content[] {
  if (only.has(node.id)) return [areaOf(node, around, paint)];
  const context = contextWithin(around, node);
  const inside =
    node.role === 'wrapper' ? contextInBlock(context, textMember(node.config, 'title')) : context;
  return (node.children ?? []).flatMap(child => chosenAreas(child, inside, only, paint));
}

/** What a node takes and shows, with everything in it. */
function areaOf(node: ResolvedNode, around: RenderContext, paint: PaintChart): Content {
  const context = contextWithin(around, node);
  if (node.role === 'wrapper') return blockOf(node, context, paint);
  if (node.role !== 'region') return contentOf(node, context, paint);
  const children = (node.children ?? []).map(child => areaOf(child, context, paint));
  if (node.layout !== undefined) return gridOf(node, node.layout, children);
  return flowOf(children, node.flow?.columns ?? (memberOf(node, 'arrangement') === 'inline' ? 4 : 1));
}

function blockOf(node: ResolvedNode, context: RenderContext, paint: PaintChart): Content {
  if (memberOf(node, 'visibility') === false) return { height: () => 0, draw: () => undefined };
  const title = textMember(node.config, 'title');
  const tone = textMember(node.config, 'tone') ?? '';
  const inside = contextInBlock(context, title);
  const children = (node.children ?? []).map(child => areaOf(child, inside, paint));
  const head = title === undefined ? PAD : HEAD;
  return {
    height: width => head + flowOf(children, 1).height(width - 2 * PAD) + PAD,
    draw(pen, box) {
      pen.rectangle(box, '--surface', '--line');
      if (TONES.has(tone)) pen.mark({ ...box, width: 3 }, pen.colours.ofTone(tone as 'accent'));
      const within = box.width - 2 * PAD;
      if (title !== undefined) pen.text(title, box.x + PAD, box.y + 24, { isStrong: true, within });
      const inner = { x: box.x + PAD, y: box.y + head, width: within, height: box.height - head - PAD };
      return flowOf(children, 1).draw(pen, inner);
    },
  };
}

function gridOf(
  node: ResolvedNode,
  grid: NonNullable<ResolvedNode['layout']>,
  children: readonly Content[],
): Content {
  const weights = declaredWeights(node);
  const tracks = (width: number) => {
    const column = columnsOf(grid, width);
    const heights = children.map((child, at) => {
      const place = grid.placements[at];
      return place === undefined ? 0 : child.height(column(place).size);
    });
    return { column, rows: rowsOf(grid, heights, weights) };
  };
  return {
    height: width => (children.length === 0 ? 0 : tracks(width).rows.height),
    async draw(pen, { x, y, width }) {
      const { column, rows } = tracks(width);
      for (const [at, child] of children.entries()) {
        const place = grid.placements[at];
        if (place === undefined) continue;
        const [across, down] = [column(place), rows.of(place)];
        await child.draw(pen, {
          x: x + across.start,
          y: y + down.start,
          width: across.size,
          height: down.size,
        });
      }
    },
  };
}

/** Children side by side in columns of one width, row after row; the last row takes the height that is left. */
function flowOf(children: readonly Content[], columns: number): Content {
  const cell = (width: number): number => (width - BETWEEN * (columns - 1)) / columns;
  const heights = (width: number): number[] => {
    const rows: number[] = [];
    for (const [at, child] of children.entries()) {
      const row = Math.floor(at / columns);
      rows[row] = Math.max(rows[row] ?? 0, child.height(cell(width)));
    }
    return rows;
  };
  return {
    height: width => sum(heights(width)) + BETWEEN * Math.max(0, heights(width).length - 1),
    async draw(pen, { x, y, width, height }) {
      const rows = heights(width);
      let top = y;
      for (const [row, least] of rows.entries()) {
        const isLast = row === rows.length - 1;
        const tall = isLast ? Math.max(least, y + height - top) : least;
        for (const [at, child] of children.slice(row * columns, (row + 1) * columns).entries()) {
          const box: Box = { x: x + at * (cell(width) + BETWEEN), y: top, width: cell(width), height: tall };
          await child.draw(pen, box);
        }
        top += tall + BETWEEN;
      }
    },
  };
}

/** Weights of the rows that a region declares. */
function declaredWeights({ config }: ResolvedNode): number[] {
  const grids = ['grid', 'layout'].map(name => (config === undefined ? undefined : ownMember(config, name)));
  for (const grid of grids) {
    const rows = isJsonObject(grid) ? ownMember(grid, 'rows') : undefined;
    if (Array.isArray(rows)) return rows.filter(weight => typeof weight === 'number');
  }
  return [];
}

const sum = (sizes: readonly number[]): number => sizes.reduce((total, size) => total + size, 0);
