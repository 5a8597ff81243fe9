import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Browser, eventually } from '@msg/testkit';
import { expect, it } from 'vitest';
import { DashdocProcess } from './dashdoc-process.ts';

const PATIENT_MS = 120_000;
const EXAMPLE = new URL('../../examples/first-steps.json', import.meta.url);

it(
  'a page whose server is started again reconnects and shows what has changed meanwhile',
  async () => {
    const root = await mkdtemp(join(tmpdir(), 'dash-restart-'));
    const file = join(root, 'first-steps.json');
    const text = await readFile(EXAMPLE, 'utf8');
    await writeFile(file, text);
    const browser = await Browser.start();
    let server = await DashdocProcess.serve(root);
    try {
      const page = await browser.page();
      await page.goto(`${server.url}/d/first-steps`);
      const live = () => page.textContent('#live');
      await eventually('the connection', async () => (await live()) === 'Live', PATIENT_MS);
      await page.evaluate('globalThis.kept = true');
      const { port } = new URL(server.url);
      await server.stop();
      await eventually('the loss', async () => (await live()) === 'Reconnecting', PATIENT_MS);
      const { manifest, ...rest } = JSON.parse(text) as { manifest: object };
      await writeFile(file, JSON.stringify({ manifest: { ...manifest, title: 'After the start' }, ...rest }));
      server = await DashdocProcess.serve(root, Number(port));
      await eventually('the connection again', async () => (await live()) === 'Live', PATIENT_MS);
      await eventually(
        'the other title',
        async () => (await page.innerText('h1')) === 'After the start',
        PATIENT_MS,
      );
      expect(await page.evaluate('globalThis.kept')).toBe(true);
    } finally {
      await browser.stop();
      await server.stop();
      await rm(root, { recursive: true });
    }
  },
  2 * PATIENT_MS,
);
