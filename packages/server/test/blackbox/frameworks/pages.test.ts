// The pages about web frameworks: each program runs, its own route publishes, and its page shows it in Chromium.
import { Browser } from '@msg/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PageProgram } from './page-program.ts';

const PAGES = ['docs/express.md', 'docs/fastify.md', 'docs/koa.md', 'docs/hono.md', 'docs/nestjs.md'];

describe('the program of', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await Browser.start();
  });
  afterAll(() => browser.stop());

  it.each(PAGES)(
    '%s takes an order by its own route, shows it, and ends at SIGTERM',
    async path => {
      const program = await PageProgram.start(path);
      try {
        const { frames } = await program.shows(browser);
        expect(frames.join('\n').match(/"subscribe":\{/g)).toHaveLength(1);
        await program.end();
      } finally {
        await program.stop();
      }
    },
    120_000,
  );
});
