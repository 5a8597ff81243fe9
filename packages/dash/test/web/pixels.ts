import { crc32, deflateSync } from 'node:zlib';
import pixelmatch from 'pixelmatch';
import { PNG } from 'pngjs';

/** The part of the pixels of a picture that may differ (page and review 1.8). */
export const MOST_DIFFERING = 0.001;

/** How two pictures differ. */
export interface Difference {
  /** Part of the pixels, from 0 to 1; 1 for pictures of other sizes. */
  readonly part: number;
  /** Draws the pixels that differ, in red; absent for pictures of other sizes. It takes longer than to compare. */
  readonly draw?: () => Uint8Array;
}

/** Compares two pictures pixel by pixel; smoothed edges do not count. */
export function differenceOf(before: Uint8Array, after: Uint8Array): Difference {
  const [old, now] = [PNG.sync.read(Buffer.from(before)), PNG.sync.read(Buffer.from(after))];
  const { width, height } = now;
  if (old.width !== width || old.height !== height) return { part: 1 };
  const compare = (drawn?: Buffer): number =>
    pixelmatch(old.data, now.data, drawn, width, height, { threshold: 0.1 });
  const draw = (): Uint8Array => {
    const difference = new PNG({ width, height });
    compare(difference.data);
    return PNG.sync.write(difference);
  };
  return { part: compare() / (width * height), draw };
}

/** Colours of a picture of the repository. */
const MOST_COLOURS = 256;
const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** The same picture with a palette: a third of the bytes, and no colour further off than the comparison sees. */
export function withPalette(png: Uint8Array): Buffer {
  const { width, height, data } = PNG.sync.read(Buffer.from(png));
  const { palette, indexes } = paletteOf(data);
  const lines = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; y++) {
    lines.set(indexes.subarray(y * width, (y + 1) * width), y * (width + 1) + 1); // before it 0: no filter
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 3, 0, 0, 0], 8); // 8 bits, palette
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('PLTE', Buffer.from(palette)),
    chunk('IDAT', deflateSync(lines, { level: 9, memLevel: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** The commonest colours of a picture as they are, the others as the nearest of them; and the place of each pixel. */
function paletteOf(data: Uint8Array): { palette: number[]; indexes: Uint8Array } {
  const colours = new Uint32Array(data.length / 4);
  const counts = new Map<number, number>();
  for (let at = 0; at < colours.length; at++) {
    const [red = 0, green = 0, blue = 0] = data.subarray(at * 4, at * 4 + 3);
    const colour = (red << 16) | (green << 8) | blue;
    colours[at] = colour;
    counts.set(colour, (counts.get(colour) ?? 0) + 1);
  }
  const kept = [...counts]
    .sort(([, a], [, b]) => b - a)
    .slice(0, MOST_COLOURS)
    .map(([colour]) => colour);
  const places = new Map([...counts.keys()].map(colour => [colour, nearest(kept, colour)]));
  return {
    palette: kept.flatMap(channels),
    indexes: Uint8Array.from(colours, colour => places.get(colour) ?? 0),
  };
}

const channels = (colour: number): [number, number, number] => [
  colour >> 16,
  (colour >> 8) & 255,
  colour & 255,
];

function nearest(kept: readonly number[], colour: number): number {
  const wanted = channels(colour);
  let best = 0;
  let least = Number.POSITIVE_INFINITY;
  for (const [place, other] of kept.entries()) {
    const distance = channels(other).reduce((sum, value, at) => sum + (value - (wanted[at] ?? 0)) ** 2, 0);
    if (distance < least) [best, least] = [place, distance];
  }
  return best;
}

function chunk(type: string, content: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), content]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(content.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}
