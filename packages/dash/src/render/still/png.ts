import { existsSync } from 'node:fs';
import { defined } from '@msg/foundation/json';
import { DashError } from '../../errors.ts';

/** Where DejaVu Sans stands on usual systems. */
const DEJAVU = [
  '/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf',
  '/usr/share/fonts/dejavu-sans-fonts/DejaVuSans.ttf',
  '/usr/share/fonts/TTF/DejaVuSans.ttf',
  '/Library/Fonts/DejaVuSans.ttf',
];
const INSTALL = 'npm install @resvg/resvg-js';

/** Makes a PNG of an SVG. @param width in pixels; that of the SVG when absent. */
export type PngOf = (svg: string, width?: number) => Uint8Array;

/**
 * Loads the optional peer `@resvg/resvg-js` and a font.
 * @param font a font file; DejaVu Sans, else the fonts of the system, when absent.
 * @throws DashError RENDER_UNAVAILABLE `{reason}`: `peer` without the package, `font` where no text would be drawn.
 */
export async function openPng(font?: string): Promise<PngOf> {
  const { Resvg } = await loadPeer();
  const file = font ?? DEJAVU.find(path => existsSync(path));
  if (file !== undefined && !existsSync(file)) throw withoutFont();
  const fonts =
    file === undefined
      ? { loadSystemFonts: true }
      : { fontFiles: [file, boldOf(file)], loadSystemFonts: false };
  const options = { font: { ...fonts, defaultFontFamily: 'DejaVu Sans' } };
  // The peer leaves text out without an error when it finds no font.
  if (new Resvg(PROBE, options).getBBox() === undefined) throw withoutFont();
  return (svg, width) => {
    const fitTo = width === undefined ? undefined : { mode: 'width' as const, value: width };
    return new Resvg(svg, { ...options, ...defined({ fitTo }) }).render().asPng();
  };
}

/** The bold face beside a font, where there is one. */
function boldOf(file: string): string {
  const bold = file.replace(/\.ttf$/, '-Bold.ttf');
  return existsSync(bold) ? bold : file;
}

/** A text alone: its box exists only with a font. */
const PROBE =
  '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20"><text x="2" y="15" font-size="14">Ag</text></svg>';

async function loadPeer(): Promise<typeof import('@resvg/resvg-js')> {
  try {
    return await import('@resvg/resvg-js');
  } catch {
    const message = `A PNG needs the package @resvg/resvg-js: ${INSTALL}; an SVG needs none.`;
    throw new DashError('RENDER_UNAVAILABLE', message, { reason: 'peer', install: INSTALL });
  }
}

function withoutFont(): DashError {
  const message =
    'A PNG needs a font: install DejaVu Sans, or name a font file with --font of dashdoc render.';
  return new DashError('RENDER_UNAVAILABLE', message, { reason: 'font' });
}
