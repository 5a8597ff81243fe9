import { spawn } from 'node:child_process';
import { SITUATIONS } from '@msg/core/advice';
import { cleanEnv, freePort, MSG_BIN, type MsgServer, runMsg } from '@msg/testkit';
import { RedisServer } from '@msg/testkit/redis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { errorLines } from '../support/error-lines.ts';
import { startServer } from '../support/server.ts';

const serve = async (...args: string[]) => errorLines((await runMsg(['serve', ...args])).stderr);

describe('a start with a shared store', () => {
  let guarded: RedisServer;
  let replica: RedisServer;

  beforeAll(async () => {
    guarded = await RedisServer.start({ user: { name: 'msg', password: 'right' } });
    replica = await RedisServer.start({ config: [['replicaof', '127.0.0.1', '1']] });
  });
  afterAll(() => Promise.all([guarded.stop(), replica.stop()]));

  it('that nothing listens for', async () => {
    const address = `127.0.0.1:${await freePort()}`;
    expect(await serve('--addr', '127.0.0.1:0', '--redis-addr', address)).toMatchObject({
      error: expect.stringContaining('ECONNREFUSED'),
      tries: SITUATIONS.redisRefused.remedy,
      sees: 'docs/clustering.md',
    });
  });

  it.each(['', 'msg:wrong@'])('that refuses the password of redis://%s', async credentials => {
    const address = `redis://${credentials}${guarded.host}:${guarded.port}`;
    expect(await serve('--addr', '127.0.0.1:0', '--redis-addr', address)).toMatchObject({
      error: expect.stringMatching(/NOAUTH|WRONGPASS/),
      tries: SITUATIONS.redisPassword.remedy,
    });
  });

  it('that takes no writes', async () => {
    const { error, tries } = await serve('--addr', '127.0.0.1:0', '--redis-addr', replica.address);
    expect(error).toMatch(/READONLY|read-only/);
    expect(tries).toBe(SITUATIONS.redisReadOnly.remedy);
  });
});

describe('a running server', () => {
  let server: MsgServer;

  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server.stop());

  it('on the port of another one: the next that is free', async () => {
    const { host } = new URL(server.url);
    const { tries } = await serve('--addr', host);
    const [, free = ''] = /^--addr (127\.0\.0\.1:\d+), or /.exec(tries) ?? [];
    expect(Number(free.split(':')[1])).toBeGreaterThan(Number(host.split(':')[1]));
    const other = await startServer({ port: Number(free.split(':')[1]) });
    await other.stop();
  });

  it('is healthy, asked for by address or by its own flags, until it ended', async () => {
    const byPid = await runMsg(['health', '--pid', String(server.pid), '--addr', ':1']);
    expect(errorLines(byPid.stderr).error).toMatch(/--addr must name a port; got 0$/); // it took a free one
    const { host } = new URL(server.url);
    const healthy = await runMsg(['health', '--addr', host]);
    expect(JSON.parse(healthy.stdout).payload).toEqual({ server: server.url, ok: true });
    const other = await startServer({ port: await freePort() });
    const asked = ['health', '--pid', String(other.pid)];
    expect(JSON.parse((await runMsg(asked)).stdout).payload).toEqual({ server: other.url, ok: true });
    await other.stop();
    expect((await runMsg(['health', '--addr', new URL(other.url).host])).code).toBe(1);
  });

  it('a command that is interrupted ends with 130', async () => {
    const child = spawn(process.execPath, [MSG_BIN, 'publish', 'public:shop.news'], {
      env: cleanEnv({ MSG_SERVER: server.url, MSG_TOKEN: server.token, NODE_DEBUG: '' }),
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    const ended = new Promise<number | null>(resolve => child.on('close', resolve));
    // It reads standard input, which does not end, as soon as it takes the first bytes out of the pipe.
    await new Promise<void>(resolve => child.stdin.write('x'.repeat(1 << 20), () => resolve()));
    child.kill('SIGINT');
    expect(await ended).toBe(130);
    expect(stderr).toBe('');
  });
});
