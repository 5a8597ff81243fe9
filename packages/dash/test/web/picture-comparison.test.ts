import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PNG } from 'pngjs';
import { afterAll, expect, it } from 'vitest';
import { PictureComparison } from './picture-comparison.ts';
import { GOLDEN } from './pictures.ts';

const folder = mkdtempSync(join(tmpdir(), 'dash-comparison-'));
afterAll(() => rmSync(folder, { recursive: true }));

const NAME = 'inventory-390-light';
const stored = () => ({
  name: NAME,
  boxes: readFileSync(GOLDEN.boxes(NAME), 'utf8'),
  png: readFileSync(GOLDEN.picture(NAME)),
});

/** The picture of the repository with a black square in it. */
function marked(): Uint8Array {
  const png = PNG.sync.read(stored().png);
  for (let y = 100; y < 200; y++)
    for (let x = 100; x < 200; x++) png.data.set([0, 0, 0, 255], (y * png.width + x) * 4);
  return PNG.sync.write(png);
}

it('of equal pictures leaves nothing behind', () => {
  const comparison = new PictureComparison(join(folder, 'equal'));
  expect(comparison.compare(stored(), true)).toBeUndefined();
  expect(existsSync(comparison.page)).toBe(false);
});

it('keeps what differs in pixels with a page that shows before, after and the difference', () => {
  const comparison = new PictureComparison(join(folder, 'pixels'));
  expect(comparison.compare({ ...stored(), png: marked() }, true)?.part).toBeGreaterThan(0.001);
  const page = readFileSync(comparison.page, 'utf8');
  for (const kind of ['before', 'after', 'difference']) {
    expect(page).toContain(`src="${NAME}.${kind}.png"`);
    expect(readdirSync(join(folder, 'pixels'))).toContain(`${NAME}.${kind}.png`);
  }
});

it('keeps what says something else, where pixels cannot be compared, too', () => {
  const comparison = new PictureComparison(join(folder, 'words'));
  const { boxes } = stored();
  expect(comparison.compare({ ...stored(), png: marked() }, false)).toBeUndefined();
  const said = boxes.replace('Bolt', 'Screw');
  expect(said).not.toBe(boxes);
  expect(comparison.compare({ ...stored(), boxes: said }, false)?.boxes.join()).toContain('Screw');
  expect(readFileSync(comparison.page, 'utf8')).toContain('Screw');
});

it('of a picture that the repository does not have is a difference', () => {
  const comparison = new PictureComparison(join(folder, 'new'));
  expect(comparison.compare({ ...stored(), name: 'no-such-picture' }, true)).toMatchObject({ part: 1 });
  expect(readFileSync(comparison.page, 'utf8')).toContain('no-such-picture.after.png');
});
