// Next.js: the page of the documentation in development, then msg in a built application, before its handler and in a route.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Browser } from '@msg/testkit';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { endApplications, startApplication, worksIn } from './mounted.ts';
import { MOUNTINGS, nameOf } from './names.ts';
import { buildNext, installNext } from './next-app.ts';
import { PageProgram } from './page-program.ts';

const INSTALL_MS = 240_000;

/** The application's own route, and the one that hands over what is below `/api/msg`. */
const ROUTES = {
  'app/echo/route.js': `export const POST = async request => Response.json({ echo: await request.json() });\n`,
  'pages/api/msg/[...path].js': `export const config = { api: { externalResolver: true } };
export default function handler(request, response) {
  globalThis.handle(request, response);
}
`,
};

function write(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

let folder: string;
beforeAll(() => {
  folder = installNext('next-app');
}, INSTALL_MS);

describe('the page docs/next.md', () => {
  let browser: Browser;
  let program: PageProgram;
  beforeAll(async () => {
    browser = await Browser.start();
    program = await PageProgram.start('docs/next.md', { folder, env: { NEXT_TELEMETRY_DISABLED: '1' } });
  }, INSTALL_MS);
  afterAll(async () => {
    await browser.stop();
    await program.stop();
  });

  it('is rendered on the server as idle, and there it opens no connection', async () => {
    const html = await (await fetch(`${program.url}/`)).text();
    expect(html).toContain('<p id="state">idle</p><ul id="orders"></ul>');
    const metrics = await (await fetch(`${program.url}/metrics`)).text();
    expect(metrics).toContain('# TYPE msg_connections_active gauge');
    expect(metrics).not.toMatch(/^msg_connections_active\{.*\} [1-9]/m);
  }, 120_000);

  it('takes an order by its own route, shows it with one subscription under StrictMode, and ends at SIGTERM', async () => {
    const { page, frames } = await program.shows(browser);
    await page.locator('#state', { hasText: 'connected' }).waitFor();
    expect(frames.join('\n').match(/"subscribe":\{/g)).toHaveLength(1);
    await program.end();
  }, 120_000);
});

describe('msg in a built application of', () => {
  beforeAll(() => {
    write(folder, ROUTES);
    buildNext(folder);
  }, INSTALL_MS);
  afterEach(endApplications);

  const rows = MOUNTINGS.filter(({ framework }) => framework.startsWith('Next'));
  it.each(rows.map(row => [nameOf(row), row] as const))(
    '%s serves the RPC, the HTTP API and clients over every transport, and the application reads its own bodies',
    async (_name, row) => {
      await worksIn(await startApplication(row, { NEXT_APP: folder, NEXT_TELEMETRY_DISABLED: '1' }));
    },
    120_000,
  );
});
