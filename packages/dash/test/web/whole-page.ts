import type { Page } from 'playwright-core';

const FRAME_MS = 45_000;
const ATTEMPTS = 3;

/**
 * A picture of the whole page, as PNG. Beside other work Chromium now and then never draws the frame that it was asked for:
 * then it is asked again. What is drawn is the same.
 */
export async function wholePage(page: Page): Promise<Uint8Array> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await page.screenshot({ fullPage: true, timeout: FRAME_MS });
    } catch (error) {
      if (attempt === ATTEMPTS) throw error;
      await page.bringToFront();
    }
  }
}
