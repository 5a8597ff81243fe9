import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cleanEnv, eventually, MSG_BIN, type MsgServer } from '@msg/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { rpcOf } from '../support/rpc.ts';
import { startServer } from '../support/server.ts';
import { closeClients, follow, received, stockClient } from '../support/stock-client.ts';

const NAME = 'public:x.log';
const CONFIG = `channels:
  rules: [{ pattern: "public:x.**", append: true, append_window: 0s, history_size: 4 }]
  open: [{ pattern: "public:x.**" }]
`;
/** MiB: the command runs in 16; in 20 it would not have room for ten million characters, too. */
const HEAP = '--max-old-space-size=20';

let folder: string;
let server: MsgServer;
let rpc: ReturnType<typeof rpcOf>;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'msg-append-'));
  await writeFile(join(folder, 'msg.yaml'), CONFIG);
  server = await startServer({ args: ['--config', 'msg.yaml'], cwd: folder });
  rpc = rpcOf(server.url, server.token);
});
afterEach(async () => {
  closeClients();
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

/** A running `msg append`, as the last of a pipe. */
function appending(before: string, flags = '') {
  const command = `${before} | ${process.execPath} ${MSG_BIN} append ${NAME} ${flags}`;
  const child = spawn('/bin/sh', ['-c', command], {
    env: cleanEnv({ MSG_SERVER: server.url, MSG_TOKEN: server.token, NODE_OPTIONS: HEAP }),
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
    });
  return { child, output, ended: once(child, 'close') };
}

describe('msg append', { timeout: 300_000 }, () => {
  it('takes ten million bytes in a small heap, and the service keeps only its history', async () => {
    const { output, ended } = appending('yes | head -c 10000000', '--message big');
    const [code] = await ended;
    expect([code, output.stderr]).toEqual([0, '']);
    const { message, status } = JSON.parse(output.stdout).payload;
    const parts = Number(message.split('~')[1]);
    expect([parts > 35, status]).toEqual([true, 'complete']);
    // Only the last four are there, and nothing else is in them.
    const { subscription } = await follow(stockClient(server.websocketUrl), NAME);
    const { publications } = await subscription.history({ limit: 100 });
    expect(publications.map(({ data }) => data.id)).toEqual([3, 2, 1, 0].map(back => `big~${parts - back}`));
    for (const { data } of publications) expect(data.text).toMatch(/^\n?(y\n)+y?$/);
  });

  it('a producer that is killed leaves half a message, which ends as orphaned once', async () => {
    const { subscription } = await follow(stockClient(server.websocketUrl), NAME);
    const seen = received(subscription);
    const { child, ended } = appending('cat', '--message m --orphan 5s');
    child.stdin.write('half a ');
    await eventually('the text arrives', () => seen.at(-1)?.data.text === 'half a ');
    process.kill(-(child.pid ?? 0), 'SIGKILL');
    await ended;
    await eventually('the message ends', () => seen.at(-1)?.data.status !== 'streaming');
    const { body } = await rpc('AppendState', { name: NAME });
    expect(body).toMatchObject({ message: 'm', status: 'failed', reason: 'orphaned' });
    const ends = seen.filter(({ data }) => data.status !== 'streaming');
    expect(ends).toMatchObject([
      {
        data: { id: 'm', status: 'failed', reason: 'orphaned', text: 'half a ' },
        tags: { 'msg-message': 'm', 'msg-status': 'failed' },
      },
    ]);
    expect(seen.map(({ data }) => data.text).every(text => 'half a '.startsWith(text))).toBe(true);
  });

  it('stops reading when somebody cancels it', async () => {
    const { child, output, ended } = appending('cat', '--message m');
    child.stdin.on('error', () => {}); // the command ends without reading the rest
    child.stdin.write('half');
    await eventually(
      'it is stored',
      async () => (await rpc('AppendState', { name: NAME })).body['seq'] === 2,
    );
    expect((await rpc('AppendCancel', { name: NAME, reason: 'enough' })).status).toBe(200);
    await eventually('its end is told', () => output.stdout.includes('"cancelled"'));
    child.stdin.end();
    expect((await ended)[0]).toBe(0);
    expect((await rpc('AppendState', { name: NAME })).body).toMatchObject({
      status: 'cancelled',
      reason: 'enough',
    });
  });
});
