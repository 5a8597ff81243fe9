import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { freePort, RawClient, ShellProcess } from '@msg/testkit';
import { afterAll, expect, it } from 'vitest';

const PACKAGE = resolve(import.meta.dirname, '../..');
const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

it('the first example of the README runs unchanged', async () => {
  const readme = readFileSync(join(PACKAGE, 'README.md'), 'utf8');
  const source = /^```ts\n([\s\S]*?)^```/m.exec(readme)?.[1] ?? '';
  const port = await freePort();
  mkdirSync(join(PACKAGE, '.tmp'), { recursive: true });
  const folder = mkdtempSync(join(PACKAGE, '.tmp/readme-'));
  folders.push(folder);
  writeFileSync(join(folder, 'example.ts'), source.replace('8000', String(port)));
  const built = (process.env['MSG_TEST_BUILT'] ?? '') !== '';
  const conditions = built ? '' : '--conditions=msg-source';
  const strip = built ? '--experimental-strip-types' : '';
  const server = new ShellProcess(`exec "${process.execPath}" ${strip} ${conditions} example.ts`, {
    cwd: folder,
  });
  try {
    const client = await connect(port);
    const { subscribe } = await client.request({ subscribe: { channel: 'news', recover: true } });
    expect(subscribe?.publications.map(({ data }) => Buffer.from(data.bytes).toString())).toEqual([
      '{"text":"hello"}',
    ]);
    await client.close();
  } finally {
    await server.stop();
  }
});

/** Connects as soon as the server listens. */
async function connect(port: number): Promise<RawClient> {
  const deadline = Date.now() + 15_000;
  for (;;) {
    try {
      return await RawClient.connected(`ws://127.0.0.1:${port}/connection/websocket`);
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await new Promise(resolveSoon => setImmediate(resolveSoon));
    }
  }
}
