// A message that grows, read by the clients of Go and Python over connections that are cut all the time.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { appendStream, createRpcClient } from '@msg/core';
import { cleanEnv, eventually, type MsgServer, ShellProcess, startMsg } from '@msg/testkit';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Program } from '../conformance/src/releases/language.ts';
import { GO, goProgram } from '../conformance/src/releases/languages/go.ts';
import { PYTHON } from '../conformance/src/releases/languages/python.ts';
import { seeded } from '../packages/server/test/fuzz/mutations.ts';
import { CuttingProxy } from './support/cutting-proxy.ts';
import { ROOT } from './support/pages.ts';

/** npm run stock:append is the long form, with 8,000. */
const TOKENS = Number(process.env['MSG_APPEND_TOKENS'] ?? 800);
const SEED = Number(process.env['MSG_SEED'] ?? Date.now() % 2 ** 31);
const TOGETHER = 10;
const PACE_MS = 20;
const CUT_MS = [200, 2000] as const;
const TIMEOUT_MS = 240_000 + 60 * TOKENS;
const NEWEST = -1;
const PROGRAMS = join(ROOT, 'test/support/append-readers');
const WAYS = ['json', 'protobuf'].flatMap(encoding => ['fossil', ''].map(delta => ({ encoding, delta })));

const token = (n: number): string => ['word ', 'ä', '世', '👋 ', '"\\', '\n'][n % 6] + String(n % 10);
const textOf = (from: number, to: number): string =>
  Array.from({ length: to - from }, (_, n) => token(from + n)).join('');

let folder: string;
let server: MsgServer;

beforeAll(async () => {
  mkdirSync(join(ROOT, '.tmp'), { recursive: true });
  folder = mkdtempSync(join(ROOT, '.tmp/cut-'));
  const rule = '{ pattern: "public:shop.**", append: true }';
  writeFileSync(
    join(folder, 'msg.yaml'),
    `channels: { rules: [${rule}], open: [{ pattern: "public:shop.**" }] }\n`,
  );
  server = await startMsg({ args: ['--config', join(folder, 'msg.yaml')] });
});
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** One reader of each encoding, with deltas and without. */
async function start({ command, args, env }: Program, channel: string, proxy: CuttingProxy) {
  const client = createRpcClient<AbortSignal>({ server: server.url, token: server.token, fetch });
  const url = `ws://127.0.0.1:${proxy.port}/connection/websocket`;
  const started = WAYS.map(({ encoding, delta }) => {
    const program = new ShellProcess(`exec "${command}" ${args.map(arg => `"${arg}"`).join(' ')}`, {
      cwd: folder,
      env: {
        ...cleanEnv(),
        ...env,
        MSG_URL: url,
        MSG_CHANNEL: channel,
        MSG_ENCODING: encoding,
        MSG_DELTA: delta,
      },
    });
    onTestFinished(() => program.stop());
    return program;
  });
  await eventually(
    'a reader listens',
    async () => (await client.call('Presence', { name: channel })).subscribers > 0,
  );
  return started;
}

/** Lets a message grow before readers that come at its start, in its middle and at its end. */
async function readAll(program: Program, channel: string): Promise<void> {
  const random = seeded(SEED);
  const [least, most] = CUT_MS;
  const port = Number(new URL(server.url).port);
  const proxy = await CuttingProxy.start(port, () => least + random.below(most - least + 1));
  onTestFinished(() => proxy.stop());
  const client = createRpcClient<AbortSignal>({ server: server.url, token: server.token, fetch });
  await client.call('OpenPublic', { name: channel });
  const readers = await start(program, channel, proxy);
  const stream = await appendStream(client, channel, { message: 'm' });
  for (let n = 0; n < TOKENS; n += TOGETHER) {
    if (n === TOKENS / 2) readers.push(...(await start(program, channel, proxy)));
    await stream.write(textOf(n, n + TOGETHER));
    await pause(PACE_MS);
  }
  readers.push(...(await start(program, channel, proxy)));
  proxy.isOver = true;
  await eventually(
    'every reader is there',
    async () => (await client.call('Presence', { name: channel })).subscribers === readers.length,
    60_000,
  );
  await stream.complete();
  await Promise.all(readers.map(reader => reader.succeeded()));
  const whole = textOf(0, TOKENS);
  for (const reader of readers) expect(reader.stdout === whole, reader.stderr).toBe(true);
  expect(proxy.cuts).toBeGreaterThan(0);
  console.log(`${channel}: ${readers.length} readers of ${TOKENS} tokens, ${proxy.cuts} cuts, seed ${SEED}`);
}

describe('a message that grows over connections that are cut is whole', { timeout: TIMEOUT_MS }, () => {
  test.skipIf(GO.missing() !== undefined)('in Go', async () => {
    const release = GO.releases.at(NEWEST) ?? '';
    const program = await goProgram(join(PROGRAMS, 'reader.go'), join(folder, 'go'), release);
    const env = { GOCACHE: process.env['GOCACHE'] ?? join(homedir(), '.cache/go-build') };
    await readAll({ ...program, env }, 'public:shop.log.go');
  });

  test.skipIf(PYTHON.missing() !== undefined)('in Python', async () => {
    const release = PYTHON.releases.at(NEWEST) ?? '';
    const programOf = await PYTHON.prepare([release], join(folder, 'python'));
    const program = { ...(await programOf(release)), args: [join(PROGRAMS, 'reader.py')] };
    await readAll(program, 'public:shop.log.python');
  });
});
