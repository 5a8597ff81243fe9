import { fileURLToPath } from 'node:url';
import { Browser, eventually, freePort, ShellProcess } from '@msg/testkit';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Rows of the items of the dashboard, or why there are none. */
async function items(
  url: string,
): Promise<Record<string, { rows: Record<string, unknown>[]; error?: object }>> {
  const answer = await fetch(`${url}/api/data`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  });
  return ((await answer.json()) as { items: Awaited<ReturnType<typeof items>> }).items;
}

test('the example shows figures of the service by Prometheus, and its channel live', async () => {
  const [PORT, MSG_PORT, PROMETHEUS_PORT] = [await freePort(), await freePort(), await freePort()].map(
    String,
  );
  const command = `exec "${process.execPath}" --conditions=msg-source examples/observe/main.ts`;
  const env = { PORT, MSG_PORT, PROMETHEUS_PORT };
  const example = new ShellProcess(command, { cwd: root, env });
  const browser = await Browser.start();
  try {
    await example.printed('stdout', /^ready/m, 120_000);
    const [, url = ''] = /^dashboard +(\S+)$/m.exec(example.stdout) ?? [];
    await eventually('every item has rows', async () =>
      Object.values(await items(url)).every(({ rows }) => rows.length > 0),
    );
    const all = await items(url);
    for (const { error } of Object.values(all)) expect(error).toBeUndefined();
    // dash itself is the one connection, and listens to the channel.
    expect(all['connections']?.rows[0]?.['value']).toBe(1);
    await eventually(
      'an order a second',
      async () => Number((await items(url))['publishes']?.rows[0]?.['value']) > 0,
    );
    expect(Object.keys(all['orders-table']?.rows[0] ?? {})).toEqual(['number', 'region', 'total']);
    const page = await browser.page();
    await page.goto(url);
    await page.locator('[data-node="orders-table"] td').first().waitFor();
    const first = await page.locator('[data-node="orders-table"] tbody').innerText();
    await eventually(
      'a new order is shown',
      async () => (await page.locator('[data-node="orders-table"] tbody').innerText()) !== first,
    );
  } finally {
    await browser.stop();
    await example.stop();
  }
}, 240_000);
