import { PNG } from 'pngjs';
import { expect, it } from 'vitest';
import { differenceOf, MOST_DIFFERING, withPalette } from './pixels.ts';

/** A picture of 200 × 100 with a square of `size` at the left, on a slope of colours. */
function picture(size: number, colours = 64): Uint8Array {
  const png = new PNG({ width: 200, height: 100 });
  for (let y = 0; y < 100; y++) {
    for (let x = 0; x < 200; x++) {
      const shade = x < size && y < size ? 0 : 255 - Math.floor((x * y * colours) / 20_000);
      png.data.set([shade, shade, 255 - (shade >> 1), 255], (y * 200 + x) * 4);
    }
  }
  return PNG.sync.write(png);
}

it('a picture is not different from itself, with a palette either', () => {
  for (const colours of [1, 64, 256]) {
    const png = picture(20, colours);
    expect(differenceOf(png, png).part).toBe(0);
    expect(differenceOf(withPalette(png), png).part).toBe(0);
    expect(PNG.sync.read(withPalette(png)).width).toBe(200);
  }
});

it('a square that grows by two pixels is a change', () => {
  const { part, draw } = differenceOf(picture(20), picture(22));
  expect(part).toBeGreaterThan(MOST_DIFFERING);
  expect(part).toBeLessThan(0.01);
  expect(PNG.sync.read(Buffer.from(draw?.() ?? []))).toMatchObject({ width: 200, height: 100 });
});

it('a picture of another size is another picture', () => {
  const taller = PNG.sync.write(new PNG({ width: 200, height: 101 }));
  expect(differenceOf(picture(20), taller)).toEqual({ part: 1 });
});
