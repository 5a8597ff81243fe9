// npm run console:shots: takes the pictures of docs/console.md anew, of a real service in Chromium.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { consolePictures } from '../packages/console/test/documentation-pictures.ts';
import { withPalette } from '../packages/dash/test/web/pixels.ts';

// Two nodes that share a Redis.
process.env['MSG_TEST_CONSOLE_NODES'] = '2';

const PICTURES = join(import.meta.dirname, '../docs/public/pictures');

for await (const { name, png } of consolePictures()) {
  const bytes = withPalette(png);
  writeFileSync(join(PICTURES, `${name}.png`), bytes);
  console.log(`${name}: ${Math.round(bytes.length / 1000)} kB`);
}
