// npm run docs:pictures: the pictures of the home page, taken of the running example in both themes.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Browser } from '@msg/testkit';
import { exampleDigest, OrderStatus, PICTURES } from './order-status.ts';

/** What a link to the site looks like elsewhere: its sign and its sentence. */
const SOCIAL_CARD = `<style>
body { display: grid; align-content: center; gap: 40px; height: 100vh; margin: 0; padding: 0 96px; background: #f7f7f5; color: #1a1b19; font: 600 76px/1.1 system-ui; }
svg { width: 96px; } svg style { display: none; }
</style>${readFileSync(join(PICTURES, '../icon.svg'), 'utf8')}<div>Realtime messaging that loses nothing quietly</div>`;

const browser = await Browser.startWithWindow();
const app = await OrderStatus.start(browser);
try {
  await app.throughTheTunnel();
  mkdirSync(PICTURES, { recursive: true });
  for (const colorScheme of ['light', 'dark'] as const)
    for (const name of ['shop', 'customer'] as const) {
      await app[name].emulateMedia({ colorScheme });
      // Twice the size, so that the picture is sharp on dense screens.
      await app[name].setViewportSize({ width: 800, height: 100 });
      await app[name].evaluate('document.documentElement.style.zoom = 2');
      const height = await app[name].evaluate<number>('document.documentElement.scrollHeight');
      await app[name].setViewportSize({ width: 800, height });
      await app[name].screenshot({ path: join(PICTURES, `order-status-${name}-${colorScheme}.png`) });
    }
  const card = await browser.page();
  await card.setViewportSize({ width: 1200, height: 630 });
  await card.setContent(SOCIAL_CARD);
  await card.screenshot({ path: join(PICTURES, 'social.png') });
  writeFileSync(join(PICTURES, 'source.txt'), `${exampleDigest()}\n`);
} finally {
  await browser.stop();
  await app.stop();
}
