/**
 * Writes what ECharts has painted as SVG that the strict policy of a page allows and that text from data cannot
 * change: elements and attributes come from lists, styles become attributes, colours are properties of the design.
 */

import { ROLES } from './roles.ts';
import { TEXT_SIZE } from './text-size.ts';

/** A node of a painting, as zrender gives it. */
export interface VNode {
  readonly tag: string;
  readonly attrs: Readonly<Record<string, unknown>>;
  readonly children?: readonly (VNode | string)[] | undefined;
  readonly text?: string | undefined;
}

/** Elements that a chart consists of. Others, a style sheet among them, are left out with their content. */
const ELEMENTS: ReadonlySet<string> = new Set([
  'svg',
  'g',
  'path',
  'rect',
  'circle',
  'polygon',
  'polyline',
  'line',
  'text',
  'defs',
  'clipPath',
]);
/** Attributes of a number each. */
const NUMBERS: ReadonlySet<string> = new Set([
  'x',
  'y',
  'x1',
  'y1',
  'x2',
  'y2',
  'cx',
  'cy',
  'r',
  'rx',
  'ry',
  'width',
  'height',
  'opacity',
  'stroke-width',
  'stroke-opacity',
  'fill-opacity',
  'stroke-dashoffset',
]);
const PATH = /^[MmLlHhVvAaCcQqSsTtZz\d\s.,eE-]*$/;
const PLACES = /^[\d\s.,eE-]*$/;
/** Attributes of words and lists, each with what its value may be. */
const VALUES: ReadonlyMap<string, RegExp> = new Map([
  ['d', PATH],
  ['points', PLACES],
  ['viewBox', PLACES],
  ['transform', /^(?:(?:matrix|translate|rotate|scale)\([\d\s.,eE-]*\)\s*)*$/],
  ['stroke-dasharray', PLACES],
  ['stroke-linecap', /^(?:butt|round|square)$/],
  ['stroke-linejoin', /^(?:bevel|round|miter)$/],
  ['text-anchor', /^(?:start|middle|end)$/],
  ['dominant-baseline', /^[a-z-]+$/],
]);
const COLOURS: ReadonlySet<unknown> = new Set(['none', 'transparent', ...ROLES.map(role => `var(${role})`)]);
const CLIP = /^url\(#(.+)\)$/;
const FONT_SIZE = /(?:^|;)font-size:([^;]*)/;
const ACTIVE = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu;
const MARKUP: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** A painting that holds what no rule allows: a colour outside the design, a font of another size, a malformed value. */
export class UnsafePaintingError extends Error {}

/**
 * @param id Prefix of the ids in the drawing: two drawings of a page never share one, and equal input gives equal bytes.
 * @throws UnsafePaintingError when a colour or a value is outside the lists.
 */
export function writeSvg(root: VNode, id: string): string {
  const ids = new Map<string, string>();
  const idOf = (painted: string): string => {
    const written = ids.get(painted) ?? `${id}-${ids.size + 1}`;
    ids.set(painted, written);
    return written;
  };
  return element(root, idOf, false);
}

type IdOf = (painted: string) => string;

function element({ tag, attrs, children, text }: VNode, idOf: IdOf, clipping: boolean): string {
  if (!ELEMENTS.has(tag)) return '';
  const names = Object.entries(attrs).map(([name, value]) => attribute(name, value, idOf, clipping));
  const inner = (children ?? []).map(child =>
    typeof child === 'string' ? escapeText(child) : element(child, idOf, clipping || tag === 'clipPath'),
  );
  return `<${tag}${names.join('')}>${escapeText(text ?? '')}${inner.join('')}</${tag}>`;
}

/** An attribute with a blank before it, empty for one that no list has. What clips has no colour. */
function attribute(name: string, value: unknown, idOf: IdOf, clipping: boolean): string {
  if (name === 'fill' || name === 'stroke') return clipping ? '' : written(name, value, COLOURS.has(value));
  if (NUMBERS.has(name)) return written(name, rounded(Number(value)), Number.isFinite(Number(value)));
  if (name === 'style') return fontSize(String(value));
  if (name === 'id') return ` id="${idOf(String(value))}"`;
  const clip = name === 'clip-path' ? CLIP.exec(String(value))?.[1] : undefined;
  if (clip !== undefined) return ` clip-path="url(#${idOf(clip)})"`;
  const allowed = VALUES.get(name);
  return allowed === undefined ? '' : written(name, value, allowed.test(String(value)));
}

function written(name: string, value: unknown, isAllowed: boolean): string {
  if (!isAllowed) throw new UnsafePaintingError(`The attribute ${name} of a chart has no allowed value.`);
  return ` ${name}="${value}"`;
}

/** The size of a text stays; its family is that of the page. */
function fontSize(style: string): string {
  const size = FONT_SIZE.exec(style)?.[1];
  return size === undefined ? '' : written('font-size', size, size === `${TEXT_SIZE}px`);
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}

/** Text that no parser takes for markup, without characters that act instead of being shown. */
function escapeText(text: string): string {
  return text.replace(ACTIVE, '\ufffd').replace(/[&<>"]/g, character => MARKUP[character] ?? '');
}
