import { createRpcClient } from '@msg/core';
import { Browser } from '@msg/testkit';
import type { Page } from 'playwright-core';
import { signIn } from './console-sign-in.ts';
import { type LongestTasks, longestTasks } from './page-tasks.ts';
import { startMsgRpc } from './servers/msg-rpc.ts';
import { spread } from './statistics.ts';

/** Names of members, as many as fit. */
const KEYS = Array.from({ length: 100_000 }, (_, n) => n.toString(36));
/** Large payloads, and how they are large. */
const PAYLOADS = [
  ['1 MiB in one line', `"${'x'.repeat(1_000_000)}"`],
  ['100,000 members', `{${KEYS.map(key => `"${key}":1`).join(',')}}`],
  ['64 levels', '['.repeat(64) + ']'.repeat(64)],
] as const;
/** Payloads that are longer than this are loaded whole on request. */
const FIRST_BYTES = 16_384;
/** Deadline of one step, milliseconds: not a bound. */
const PATIENT_MS = 60_000;
const BAR_MS = 200;

/** The longest task of the page while a large payload is opened whole and shown as tree, text and bytes. */
export async function measurePayloads(rounds: number): Promise<void> {
  const { server, token } = await startMsgRpc([], { args: ['--console', 'on'] });
  const address = `http://127.0.0.1:${server.port}`;
  const rpc = createRpcClient({ server: address, token, fetch });
  const browser = await Browser.start();
  try {
    const page = await browser.page();
    page.setDefaultTimeout(PATIENT_MS);
    await signIn(page, address, token);
    console.log(
      'the longest task of the page with a large payload: opened, loaded whole, as text, bytes and tree',
    );
    for (const [at, [what, text]] of PAYLOADS.entries()) {
      const name = `public:bench.payload.n${at}`;
      await rpc.call('OpenPublic', { name });
      await rpc.call('Publish', { name, data: new TextEncoder().encode(text) });
      const samples: LongestTasks[] = [];
      for (let round = 0; round <= rounds; round++) {
        await page.goto(`${address}/console/channels/${encodeURIComponent(name)}`);
        const sample = await longestTasks(page, () => lookAt(page, text.length > FIRST_BYTES));
        if (sample.count === 0 || sample.cpuMs === 0) throw new Error('the trace has no task of the page');
        // The first round loads the page's scripts.
        if (round > 0) samples.push(sample);
      }
      const cpu = samples.map(({ cpuMs }) => cpuMs);
      const wall = samples.map(({ wallMs }) => wallMs);
      console.log(
        `  ${what}: ${spread(cpu, 0)} ms of the processor, ${spread(wall, 0)} ms by the clock, over ${rounds} rounds, wanted ≤ ${BAR_MS}`,
      );
    }
  } finally {
    await browser.stop();
    await server.stop();
  }
}

async function lookAt(page: Page, isLong: boolean): Promise<void> {
  await page.getByRole('button', { name: '1', exact: true }).first().click();
  await page.locator('.payload').first().waitFor();
  const more = page.getByRole('button', { name: /^Load all/ });
  if (isLong) {
    await more.first().click();
    await more.waitFor({ state: 'detached' });
  }
  for (const view of ['Text', 'Hex', 'Tree']) {
    await page.locator('.segmented').getByText(view, { exact: true }).click();
    // Two frames: what the click changed is drawn.
    await page.evaluate(
      'new Promise(drawn => requestAnimationFrame(() => requestAnimationFrame(() => drawn())))',
    );
  }
}
