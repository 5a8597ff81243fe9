import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { cleanEnv, eventually, freePort, runMsg, startMsg } from '@msg/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { temporaryFolder } from '../support/folders.ts';
import { manifestOf, rpcOf } from '../support/rpc.ts';

const ROOT = resolve(import.meta.dirname, '../../../..');

/** The status of an upgrade that a page of this origin asks for; 101 when it is taken. */
function upgradeStatus(url: string, origin: string): Promise<number> {
  return new Promise((settle, reject) => {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/connection/websocket`, { origin });
    socket.on('open', () => {
      socket.terminate();
      settle(101);
    });
    socket.on('unexpected-response', (_request, response) => {
      response.destroy();
      settle(response.statusCode ?? 0);
    });
    socket.on('error', reject);
  });
}

test('a developer’s machine: loopback origins, state that survives a restart, strict requests, said at the start', async () => {
  const folder = await temporaryFolder();
  const start = () => startMsg({ args: ['--dev'], cwd: folder });
  const first = await start();
  onTestFinished(() => first.stop());
  expect(first.output().stderr).toMatch(
    /development mode, for this machine only\n.*http:\/\/127\.0\.0\.1:\d+\n.*loopback origin.*\n.*\.msg, so that tokens survive a restart\n.*refused\n/,
  );
  for (const origin of [
    'http://localhost:5173',
    'http://127.0.0.1:3000',
    'http://[::1]:4000',
    'https://app.localhost',
  ])
    expect(await upgradeStatus(first.url, origin)).toBe(101);
  for (const origin of ['https://example.com', 'http://localhost.example.com', 'null'])
    expect(await upgradeStatus(first.url, origin)).toBe(403);

  const state = join(folder, '.msg');
  expect((await stat(state)).mode & 0o777).toBe(0o700);
  expect(await readFile(join(state, '.gitignore'), 'utf8')).toBe('*\n');
  expect(await manifestOf(first.url)).toMatchObject({ strict_requests: true });
  const refused = await rpcOf(first.url, first.token)('OpenPublic', { name: 'public:a.b', ttl: 1 });
  expect(refused.body['msg']).toContain('did you mean ttlSeconds?');

  await first.stop();
  const second = await start();
  onTestFinished(() => second.stop());
  expect((await rpcOf(second.url, first.token)('ListChannels', {})).status).toBe(200);
});

test.each(['0.0.0.0:0', ':0', '[::]:0'])('%s is refused: nothing of it may reach a network', async addr => {
  const folder = await temporaryFolder();
  const refused = await runMsg(['serve', '--dev', '--addr', addr], { cwd: folder });
  expect(refused.code).toBe(1);
  expect(refused.stderr).toMatch(
    /^error: MSG_INVALID_ARGUMENT: server\.addr: must be a loopback address under server\.dev/,
  );
});

test('what is given wins over what development mode would take', async () => {
  const folder = await temporaryFolder();
  const printed = await runMsg(['config', 'print', '--dev', '--state-dir', 'elsewhere'], { cwd: folder });
  const { settings } = JSON.parse(printed.stdout).payload as {
    settings: Record<string, { value: unknown; source: string }>;
  };
  expect(settings['server.addr']).toEqual({ value: '127.0.0.1:8000', source: 'default' });
  expect(settings['server.allowed_origins']).toEqual({ value: ['loopback'], source: 'default' });
  expect(settings['rpc.strict']).toEqual({ value: true, source: 'default' });
  expect(settings['auth.state_dir']).toMatchObject({ source: 'flag' });
});

test('a signal to npm start alone ends the server', async () => {
  const folder = await temporaryFolder();
  const port = await freePort();
  const args = ['start', '--', '--addr', `127.0.0.1:${port}`, '--state-dir', join(folder, 'state')];
  const env = cleanEnv({ HOME: folder }); // npm tries for ever to make a home below /proc
  const npm = spawn('npm', args, { cwd: ROOT, env, stdio: 'ignore' });
  const ended = once(npm, 'exit');
  onTestFinished(() => {
    npm.kill('SIGKILL');
  });
  const answers = () =>
    fetch(`http://127.0.0.1:${port}/healthz`).then(
      ({ ok }) => ok,
      () => false,
    );
  await eventually('the server answers', answers);
  npm.kill('SIGTERM');
  await ended;
  await eventually('the server is gone', async () => !(await answers()));
});
