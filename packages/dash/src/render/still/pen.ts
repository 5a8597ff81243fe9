import type { Colours } from './colours.ts';
import { escapeXml, fitted } from './text.ts';

/** Where something stands, in pixels. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

interface TextLook {
  readonly size?: number;
  readonly colour?: string;
  readonly isStrong?: boolean;
  readonly anchor?: 'start' | 'middle' | 'end';
  /** Widest that it may be. */
  readonly within?: number;
}

const FAMILY = 'DejaVu Sans, system-ui, sans-serif';
const TEXT_SIZE = 13;

/** Collects the elements of a picture. */
export class Pen {
  readonly colours: Colours;
  readonly #parts: string[] = [];

  constructor(colours: Colours) {
    this.colours = colours;
  }

  rectangle({ x, y, width, height }: Box, fill: string, stroke?: string, radius = 8): void {
    const edge = stroke === undefined ? '' : ` stroke="${this.colours.of(stroke)}"`;
    this.#parts.push(
      `<rect x="${at(x)}" y="${at(y)}" width="${at(width)}" height="${at(height)}" rx="${radius}" fill="${fill === 'none' ? fill : this.colours.of(fill)}"${edge}/>`,
    );
  }

  line(x1: number, y1: number, x2: number, y2: number): void {
    this.#parts.push(
      `<path d="M${at(x1)} ${at(y1)}L${at(x2)} ${at(y2)}" stroke="${this.colours.of('--line')}"/>`,
    );
  }

  /** A bar in the colour of a mark, as a legend and the frame of a tone have it. */
  mark({ x, y, width, height }: Box, colour: string): void {
    this.#parts.push(
      `<rect x="${at(x)}" y="${at(y)}" width="${at(width)}" height="${at(height)}" fill="${colour}"/>`,
    );
  }

  /** One line of text; `y` is its baseline. */
  text(text: string, x: number, y: number, look: TextLook = {}): void {
    const { size = TEXT_SIZE, colour, isStrong = false, anchor = 'start', within } = look;
    const shown = within === undefined ? text : fitted(text, within, isStrong ? size * 1.1 : size);
    if (shown.trim() === '') return;
    const weight = isStrong ? ' font-weight="600"' : '';
    const side = anchor === 'start' ? '' : ` text-anchor="${anchor}"`;
    this.#parts.push(
      `<text x="${at(x)}" y="${at(y)}" font-size="${size}"${weight}${side} fill="${colour ?? this.colours.of('--ink')}">${escapeXml(shown)}</text>`,
    );
  }

  /** Lines of text from the top of a box. @returns where they end. */
  lines(lines: readonly string[], { x, y, width }: Box, look: TextLook = {}): number {
    const { size = TEXT_SIZE } = look;
    const height = lineHeight(size);
    for (const [index, line] of lines.entries())
      this.text(line, x, y + index * height + size, { ...look, within: width });
    return y + lines.length * height;
  }

  /** A finished drawing with its own colours. */
  drawing(svg: string, { x, y, width, height }: Box): void {
    const inner = this.colours
      .filled(svg)
      .replace(
        /^<svg[^>]*>/,
        `<svg x="${at(x)}" y="${at(y)}" width="${at(width)}" height="${at(height)}" viewBox="0 0 ${at(width)} ${at(height)}">`,
      );
    this.#parts.push(inner);
  }

  /** A picture that stands in the document. */
  picture(source: string, { x, y, width, height }: Box): void {
    this.#parts.push(
      `<image href="${escapeXml(source)}" x="${at(x)}" y="${at(y)}" width="${at(width)}" height="${at(height)}"/>`,
    );
  }

  /** The whole as a file. */
  file(width: number, height: number): string {
    const size = `width="${at(width)}" height="${at(height)}" viewBox="0 0 ${at(width)} ${at(height)}"`;
    return `<svg xmlns="http://www.w3.org/2000/svg" ${size} font-family="${FAMILY}">${this.#parts.join('\n')}</svg>\n`;
  }
}

/** Distance of lines. */
export const lineHeight = (size: number): number => Math.round(size * 1.5);

const at = (value: number): number => Math.round(value * 100) / 100;
