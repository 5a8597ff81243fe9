// docs/append-stream-readers.md: its programs read a message that grows, with clients as their registries have them.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { appendStream, createRpcClient } from '@msg/core';
import { cleanEnv, eventually, type MsgServer, ShellProcess, startMsg } from '@msg/testkit';
import { RedisServer } from '@msg/testkit/redis';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Program } from '../conformance/src/releases/language.ts';
import { GO, goProgram } from '../conformance/src/releases/languages/go.ts';
import { PYTHON } from '../conformance/src/releases/languages/python.ts';
import { blocksOf, ROOT, readPage } from './support/pages.ts';

const CHANNEL = 'public:shop.log';
const FILES = blocksOf(readPage('docs/append-stream-readers.md')).filter(({ words }) =>
  words[0]?.includes('.'),
);
/** Also what a character of two, three and four bytes is. */
const WORDS = ['Hello ', 'Grüß ', 'Gott ', '👋 ', '— and ', '"quoted" ', 'good bye\n'];
const NEWEST = -1;

let folder: string;
let server: MsgServer;
/** Who takes the requests, and who has the readers. */
let nodes: { readonly first: MsgServer; readonly second: MsgServer };

beforeAll(async () => {
  mkdirSync(join(ROOT, '.tmp'), { recursive: true });
  // Below the repository, where the programs for Node find their packages.
  folder = mkdtempSync(join(ROOT, '.tmp/readers-'));
  for (const { words, text } of FILES) writeFileSync(join(folder, words[0] ?? ''), text);
  server = await startMsg({ args: ['--config', join(folder, 'msg.yaml')] });
  nodes = { first: server, second: server };
});
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

/**
 * Lets a message grow, one word after the other, each once the reader has shown the one before; ends it. The reader comes after so
 * many words.
 */
async function read({ command, args, env }: Program, after = 0): Promise<ShellProcess> {
  const { first, second } = nodes;
  const client = createRpcClient<AbortSignal>({ server: first.url, token: first.token, fetch });
  await client.call('OpenPublic', { name: CHANNEL });
  let text = WORDS.slice(0, after).join('');
  const open = after > 0 ? await appendStream(client, CHANNEL) : null;
  await open?.write(text);
  const reader = new ShellProcess(`exec "${command}" ${args.map(arg => `"${arg}"`).join(' ')}`, {
    cwd: folder,
    env: { ...cleanEnv(), ...env, MSG_URL: second.websocketUrl },
  });
  onTestFinished(() => reader.stop());
  await eventually('the reader listens', async () => {
    const { subscribers } = await client.call('Presence', { name: CHANNEL });
    return subscribers === 1;
  });
  const stream = open ?? (await appendStream(client, CHANNEL));
  await eventually('the reader shows what was there', () => reader.stdout === text);
  for (const word of WORDS.slice(after)) {
    await stream.write(word);
    text += word;
    await eventually(`the reader shows ${text}`, () => reader.stdout === text);
  }
  await stream.complete({ reason: 'stop' });
  await reader.succeeded();
  expect(reader.stdout.startsWith(`${text}-- complete stop\n`)).toBe(true);
  return reader;
}

describe('a reader of docs/append-stream-readers.md', { timeout: 240_000 }, () => {
  const node = (file: string): Program => ({
    command: process.execPath,
    args: ['--conditions=msg-source', '--disable-warning=ExperimentalWarning', file],
  });

  test('in JavaScript', async () => {
    await read(node('reader.mjs'));
  });

  test('in JavaScript, with the helper', async () => {
    const { stdout } = await read(node('helper.mjs'));
    expect(stdout).toContain(`\n${WORDS.join('').length} characters in all\n`);
  });

  test.skipIf(GO.missing() !== undefined)('in Go', async () => {
    const env = { GOCACHE: process.env['GOCACHE'] ?? join(homedir(), '.cache/go-build') };
    const program = await goProgram(
      join(folder, 'reader.go'),
      join(folder, 'go'),
      GO.releases.at(NEWEST) ?? '',
    );
    await read({ ...program, env });
  });

  test.skipIf(PYTHON.missing() !== undefined)('in Python', async () => {
    const release = PYTHON.releases.at(NEWEST) ?? '';
    const programOf = await PYTHON.prepare([release], join(folder, 'python'));
    await read({ ...(await programOf(release)), args: ['reader.py'] });
  });
});

/** A program without its request for deltas, in a file of its own. */
function withoutDelta(file: string, request: string): string {
  const text = FILES.find(({ words }) => words[0] === file)?.text ?? '';
  expect(text).toContain(request);
  const name = `full-${file}`;
  writeFileSync(join(folder, name), text.replace(request, ''));
  return name;
}

describe('on two nodes and one Redis, from the start and from the middle of a message', {
  timeout: 240_000,
}, () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await RedisServer.start();
    const args = ['--config', join(folder, 'msg.yaml'), '--redis-addr', redis.address];
    const first = await startMsg({ args });
    nodes = { first, second: await startMsg({ args }) };
  }, 120_000);
  afterAll(async () => {
    await Promise.all([nodes.first.stop(), nodes.second.stop()]);
    await redis.stop();
  }, 60_000);

  test.skipIf(GO.missing() !== undefined)('a reader in Go, with deltas and without', async () => {
    const env = { GOCACHE: process.env['GOCACHE'] ?? join(homedir(), '.cache/go-build') };
    const release = GO.releases.at(NEWEST) ?? '';
    const files = ['reader.go', withoutDelta('reader.go', 'Delta: centrifuge.DeltaTypeFossil,')];
    for (const file of files) {
      const program = await goProgram(join(folder, file), join(folder, `two-${file}`), release);
      for (const after of [0, 3]) await read({ ...program, env }, after);
    }
  });

  test.skipIf(PYTHON.missing() !== undefined)('a reader in Python, with deltas and without', async () => {
    const release = PYTHON.releases.at(NEWEST) ?? '';
    const programOf = await PYTHON.prepare([release], join(folder, 'two-python'));
    const program = await programOf(release);
    for (const file of ['reader.py', withoutDelta('reader.py', ', delta=DeltaType.FOSSIL')])
      for (const after of [0, 3]) await read({ ...program, args: [file] }, after);
  });
});
