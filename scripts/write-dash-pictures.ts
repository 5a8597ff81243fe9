// npm run pictures: takes the pictures of dash's pages anew. Writes the boxes of every node and the pictures to
// packages/dash/test/web/golden, those that have changed also to .tmp/pictures, where index.html shows them before and after.
// Those of the documentation are written to docs/public/pictures. `-- documentation` writes them alone, `-- <id> …` the
// pictures of these documents alone, and those of pages (`page-list`) and golden reviews (`review-rename`) by their names.
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Browser } from '@msg/testkit';
import { documentationPictures } from '../packages/dash/test/web/documentation-pictures.ts';
import { takePagePictures } from '../packages/dash/test/web/page-pictures.ts';
import { PictureComparison } from '../packages/dash/test/web/picture-comparison.ts';
import {
  GOLDEN,
  pictureMakers,
  type TakenPicture,
  takePictures,
} from '../packages/dash/test/web/pictures.ts';
import { withPalette } from '../packages/dash/test/web/pixels.ts';

const comparison = new PictureComparison(join(import.meta.dirname, '../.tmp/pictures'));
let bytes = 0;

/** Keeps a picture that is not as it was; a picture that is stays as it is, byte for byte. */
function keep(picture: TakenPicture): void {
  const { name, boxes, png } = picture;
  if (comparison.compare(picture, true) !== undefined) {
    writeFileSync(GOLDEN.boxes(name), boxes);
    writeFileSync(GOLDEN.picture(name), withPalette(png));
  }
  bytes += statSync(GOLDEN.picture(name)).size;
}

const asked = process.argv.slice(2);
const browser = await Browser.startWithWindow();
try {
  if (asked.length === 0 || asked.includes('documentation')) await renewDocumentation();
  if (asked[0] !== 'documentation') await renewGolden();
} finally {
  await browser.stop();
}

async function renewDocumentation(): Promise<void> {
  const shown = join(import.meta.dirname, '../docs/public/pictures');
  for await (const { name, png } of documentationPictures(browser))
    writeFileSync(join(shown, `${name}.png`), png);
}

async function renewGolden(): Promise<void> {
  writeFileSync(GOLDEN.madeWith, `${await pictureMakers(browser)}\n`);
  for await (const picture of takePictures(browser, asked)) keep(picture);
  for await (const picture of takePagePictures(browser, asked)) keep(picture);
  const { changed, page } = comparison;
  for (const { name, part } of changed) console.log(`${name}: ${(part * 100).toFixed(2)} % of the pixels`);
  const where = changed.length === 0 ? '' : `: ${page}`;
  console.log(`${changed.length} changed${where}; pictures taken: ${Math.round(bytes / 1_000)} kB`);
}
