import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ShellProcess } from '@msg/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');

let taken: Server;
let port: number;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'msg-taken-port-'));
  taken = createServer();
  await new Promise<void>(resolve => taken.listen(0, resolve));
  const address = taken.address();
  port = typeof address === 'object' && address !== null ? address.port : 0;
});
afterAll(async () => {
  await new Promise(resolve => taken.close(resolve));
  await rm(folder, { recursive: true, force: true });
});

it.each([
  ['chat', 'server.ts'],
  ['chat-engine', 'server.ts'],
  ['store-backend', 'server.ts "$FOLDER/msg.sqlite" $PORT'],
  ['cluster', 'main.ts'],
])(
  'the example %s says in one line that its port is taken',
  async (example, line) => {
    const node = `exec "${process.execPath}" --conditions=msg-source --disable-warning=ExperimentalWarning`;
    const program = new ShellProcess(`${node} examples/${example}/${line}`, {
      cwd: ROOT,
      env: { PORT: String(port), FOLDER: folder },
    });
    try {
      await expect(program.succeeded()).rejects.toThrow(/exit code 1/);
      expect(program.stderr).toMatch(/^[^\n]*EADDRINUSE[^\n]*another port\n$/);
    } finally {
      await program.stop();
    }
  },
  120_000,
);
