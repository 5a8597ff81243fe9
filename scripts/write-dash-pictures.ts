// npm run pictures: takes the pictures of dash's pages anew. Writes the boxes of every node to packages/dash/test/web/golden,
// the pictures themselves to .tmp/pictures, and says which boxes differ from those that were there.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Browser } from '@msg/testkit';
import { pictureMakers, takePictures } from '../packages/dash/test/web/pictures.ts';

const root = join(import.meta.dirname, '..');
const golden = join(root, 'packages/dash/test/web/golden');
const pictures = join(root, '.tmp/pictures');
for (const folder of [golden, pictures]) mkdirSync(folder, { recursive: true });

/** The boxes that were there; nothing for a new picture. */
function before(name: string): string {
  try {
    return readFileSync(join(golden, `${name}.txt`), 'utf8');
  } catch {
    return '';
  }
}

const browser = await Browser.start();
try {
  writeFileSync(join(golden, 'made-with.txt'), `${await pictureMakers(browser)}\n`);
  for await (const { name, boxes, png } of takePictures(browser)) {
    const old = new Set(before(name).split('\n'));
    const changed = boxes.split('\n').filter(line => !old.has(line));
    if (changed.length > 0) console.log(`${name}:\n${changed.map(line => `  ${line}`).join('\n')}`);
    writeFileSync(join(golden, `${name}.txt`), boxes);
    writeFileSync(join(pictures, `${name}.png`), png);
  }
  console.log(`pictures: ${pictures}`);
} finally {
  await browser.stop();
}
