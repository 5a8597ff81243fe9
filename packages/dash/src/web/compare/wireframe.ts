import { attributes, html, type Markup } from '../../render/markup.ts';
import type { GridPlacement, ResolvedGrid, ResolvedNode } from '../../resolve/tree.ts';
import type { ItemKind } from './touched.ts';

const WIDTH = 148;
const HEIGHT = 64;
const GAP = 4;
/** Cells that the sentence beside the picture names. */
const MOST_NAMED = 12;

/** What a wireframe says about the children of a grid. */
export interface WireframeNames {
  /** What people call a child. */
  nameOf(id: string): string;
  /** What happened to a child; undefined for one that is as before. */
  kindOf(id: string): ItemKind | undefined;
}

/** A grid as a small picture: a frame for each child, those that were touched in the colour of their mark. */
export function wireframe(
  { layout, children = [] }: ResolvedNode,
  { nameOf, kindOf }: WireframeNames,
): Markup {
  if (layout === undefined) return html``;
  const cells = children.flatMap(({ id }, index) => {
    const place = layout.placements[index];
    return place === undefined ? [] : [{ id, place }];
  });
  const frames = cells.map(({ id, place }) => {
    const { left, top, width, height } = rectangle(layout, place);
    const box = { x: left + 0.5, y: top + 0.5, width: width - 1, height: height - 1, rx: 2 };
    return html`<rect${attributes({ ...box, class: `w ${kindOf(id) ?? ''}`.trim() })}/>`;
  });
  const empty = html`<rect class="w none" x="0.5" y="0.5" width="${WIDTH - 1}" height="${HEIGHT - 1}" rx="2"/>`;
  const named = cells.slice(0, MOST_NAMED).map(({ id, place }) => `${nameOf(id)} at ${placeText(place)}`);
  const more = cells.length > MOST_NAMED ? [`${cells.length - MOST_NAMED} more`] : [];
  const count = layout.columns.length === 1 ? '1 column' : `${layout.columns.length} columns`;
  const label = [count, ...named, ...more].join('; ');
  return html`<svg class="wf" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img"${attributes({ 'aria-label': label })}>${frames.length === 0 ? empty : frames}</svg>`;
}

function placeText({ rowStart, colStart, rowSpan, colSpan }: GridPlacement): string {
  const over = [...(rowSpan > 1 ? [`${rowSpan} rows`] : []), ...(colSpan > 1 ? [`${colSpan} columns`] : [])];
  return `row ${rowStart}, column ${colStart}${over.length === 0 ? '' : `, over ${over.join(' and ')}`}`;
}

function rectangle({ columns, rows }: ResolvedGrid, place: GridPlacement) {
  const [left, width] = extent(columns, place.colStart, place.colSpan, WIDTH);
  const [top, height] = extent(rows, place.rowStart, place.rowSpan, HEIGHT);
  return { left, top, width, height };
}

/** Start and length of tracks, of which many share little room without a gap. */
function extent(tracks: readonly number[], start: number, span: number, room: number): [number, number] {
  const gap = Math.min(GAP, room / (4 * tracks.length));
  const shared = room - gap * (tracks.length - 1);
  const sum = (list: readonly number[]): number => list.reduce((total, part) => total + part, 0);
  const first = start - 1;
  const offset = shared * sum(tracks.slice(0, first)) + gap * first;
  const length = shared * sum(tracks.slice(first, first + span)) + gap * (span - 1);
  return [tenths(offset), Math.max(2, tenths(length))];
}

const tenths = (value: number): number => Math.round(value * 10) / 10;
