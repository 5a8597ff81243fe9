import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cleanEnv, eventually, MSG_BIN, type MsgServer } from '@msg/testkit';
import { threadsOfRun } from '@msg/testkit/redis';
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
/**
 * MiB that the service may take beside what it has at its start: the history has 1 MiB, and a request 64 KiB. With threads
 * main and the thread have a heap each, which grows when it is used first.
 */
const SERVICE_GROWTH = threadsOfRun() === null ? 64 : 96;

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

/** A running `msg append`, as the last of a pipe, or with the test at its standard input. */
function appending(before: string | null, flags = '') {
  const program = `${process.execPath} ${MSG_BIN} append ${NAME} ${flags}`;
  const command = before === null ? `exec ${program}` : `${before} | ${program}`;
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

/** Memory of a process, or the most that it ever had. */
function residentMebibytes(pid: number, name = 'VmRSS'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) / 1024;
}

async function documentOf(message: string): Promise<unknown> {
  const { body } = await rpc('AppendState', { name: NAME, message, with_document: true });
  return JSON.parse(Buffer.from(String(body['document']), 'base64').toString());
}

describe('msg append', { timeout: 300_000 }, () => {
  it('takes ten million bytes in a small heap, and the service keeps only its history', async () => {
    const { output, ended } = appending('yes | head -c 10000000', '--message big');
    const before = residentMebibytes(server.pid);
    const [code] = await ended;
    expect([code, output.stderr]).toEqual([0, '']);
    expect(residentMebibytes(server.pid, 'VmHWM') - before).toBeLessThan(SERVICE_GROWTH);
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

  it('cancels the message on Ctrl-C, and that is no failure', async () => {
    const { child, output, ended } = appending(null, '--message m');
    child.stdin.write('half');
    await eventually(
      'it is stored',
      async () => (await rpc('AppendState', { name: NAME })).body['seq'] === 2,
    );
    child.kill('SIGINT');
    expect([(await ended)[0], output.stderr]).toEqual([0, '']);
    expect(JSON.parse(output.stdout).payload).toMatchObject({ message: 'm', status: 'cancelled', seq: 3 });
    expect(await documentOf('m')).toEqual({ id: 'm', status: 'cancelled', text: 'half' });
  });

  it('replaces what is not UTF-8, completes the message, and exits with 1 and a count', async () => {
    const { output, ended } = appending(String.raw`printf 'a\377b\360\237\221'`, '--message m');
    expect((await ended)[0]).toBe(1);
    expect(output.stderr).toContain('2 characters of the input were not UTF-8 and became U+FFFD');
    expect(JSON.parse(output.stdout).payload).toMatchObject({ message: 'm', status: 'complete' });
    expect(await documentOf('m')).toMatchObject({ status: 'complete', text: 'a\ufffdb\ufffd' });
  });

  it('takes a JSON value from each line, with what the message is and answers', async () => {
    const flags = `--message m --items --run r --input i --meta '{"model": "x"}'`;
    const { output, ended } = appending(String.raw`printf '{"n": 1.0}\n\n"two"'`, flags);
    expect([(await ended)[0], output.stderr]).toEqual([0, '']);
    const head = { id: 'm', status: 'complete', run: 'r', input: 'i', meta: { model: 'x' } };
    expect(await documentOf('m')).toEqual({ ...head, items: [{ n: 1 }, 'two'] });
  });

  it('fails at a full message where it may not go on in the next one', async () => {
    const { output, ended } = appending('yes | head -c 300000', '--message m --on-full fail');
    expect((await ended)[0]).toBe(1);
    expect(output.stderr).toContain('MSG_APPEND_TOO_LARGE');
    expect(await documentOf('m')).toMatchObject({ status: 'failed', reason: 'too large' });
  });

  it('goes through a sink at its end, which must be there', async () => {
    const { output, ended } = appending('echo x', `--message m --sink none --recipient '"ann"'`);
    expect((await ended)[0]).toBe(1);
    expect(output.stderr).toContain('MSG_SINK_CONFIG_INVALID');
    // The text is whole.
    expect(await documentOf('m')).toEqual({ id: 'm', status: 'complete', text: 'x\n' });
  });

  it('is followed in another terminal, and stopped by the input that it answers', async () => {
    const run = (command: string) => {
      const env = cleanEnv({ MSG_SERVER: server.url, MSG_TOKEN: server.token });
      const child = spawn(process.execPath, [MSG_BIN, ...command.split(' ')], { env, stdio: 'pipe' });
      const output = { stdout: '', stderr: '' };
      for (const name of ['stdout', 'stderr'] as const)
        child[name].setEncoding('utf8').on('data', (text: string) => {
          output[name] += text;
        });
      return { child, output, ended: once(child, 'close') };
    };
    await rpc('OpenPublic', { name: NAME });
    const terminal = run(`subscribe ${NAME} --text`);
    await eventually(
      'it listens',
      async () => (await rpc('Presence', { name: NAME })).body['subscribers'] === 1,
    );
    const { child, ended } = appending(null, '--message m --input i');
    child.stdin.write('so ');
    await eventually('the beginning is printed', () => terminal.output.stdout === 'so ');
    child.stdin.write('far');
    await eventually('the rest is printed', () => terminal.output.stdout === 'so far');
    const cancel = run(`streams cancel ${NAME} --input i --reason enough`);
    expect([(await cancel.ended)[0], JSON.parse(cancel.output.stdout).payload]).toMatchObject([
      0,
      { status: 'streaming', cancel: { reason: 'enough' } },
    ]);
    await ended;
    await eventually('its end is printed', () => terminal.output.stderr.includes('-- m cancelled\n'));
    expect(terminal.output.stdout).toBe('so far\n');
    terminal.child.kill('SIGINT');
    await terminal.ended;
  });

  it('stops reading when somebody cancels it, and ends though its input goes on', async () => {
    const { child, output, ended } = appending(null, '--message m');
    child.stdin.write('half');
    await eventually(
      'it is stored',
      async () => (await rpc('AppendState', { name: NAME })).body['seq'] === 2,
    );
    expect((await rpc('AppendCancel', { name: NAME, reason: 'enough' })).status).toBe(200);
    expect([(await ended)[0], output.stderr]).toEqual([0, '']);
    expect(JSON.parse(output.stdout).payload).toMatchObject({ message: 'm', status: 'cancelled' });
    expect((await rpc('AppendState', { name: NAME })).body).toMatchObject({
      status: 'cancelled',
      reason: 'enough',
    });
  });
});
