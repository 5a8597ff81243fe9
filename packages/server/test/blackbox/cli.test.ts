import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, freePort, type MsgServer, runMsg } from '@msg/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { errorLine } from '../support/error-lines.ts';
import { startServer } from '../support/server.ts';

describe('msg without a server', () => {
  test.each([
    [['--version'], 'version dev\n'],
    [['--help'], expect.stringContaining('Usage: msg')],
    [['channels', 'open', '-h'], expect.stringContaining('--ttl')],
    [['serve', '--help'], expect.stringMatching(/--no-auth[\s\S]*MSG_NO_AUTH/)],
  ])('%j succeeds', async (args, stdout) => {
    expect(await runMsg(args)).toEqual({ code: 0, stdout, stderr: '' });
  });

  test('--json prints the manifest of a fresh instance', async () => {
    const { code, stdout } = await runMsg(['--json']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      code: 'OK',
      type: 'msg.manifest',
      payload: { service: 'msg' },
    });
    expect(stdout.endsWith('}\n')).toBe(true);
  });

  test.each([[[]], [['channels']]])('%j names the commands after the error', async args => {
    const result = await runMsg(args);
    expect(result).toMatchObject({ code: 1, stdout: '' });
    expect(result.stderr).toMatch(
      /^error: MSG_INVALID_ARGUMENT: a command is required\n {2}try: [^\n]+\n {2}see: [^\n]+\n\nUsage: msg .*\n/,
    );
  });

  test.each([
    [['nonsense']],
    [['channels', 'nonsense']],
    [['channels', 'open']],
    [['channels', 'get', 'public:a.b', 'extra']],
    [['channels', 'list', '--nonsense']],
    [['channels', 'open', 'public:a.b', '--ttl', 'soon']],
    [['channels', 'open', 'public:a.b', '--ttl']],
  ])('%j is a usage error', async args => {
    const result = await runMsg(args);
    expect(result).toMatchObject({ code: 1, stdout: '' });
    expect(errorLine(result.stderr)).toMatch(/^error: MSG_INVALID_ARGUMENT: /);
  });

  test('an unreachable server is MSG_BROKER_NOT_READY', async () => {
    const result = await runMsg(['channels', 'list', '--server', `http://127.0.0.1:${await freePort()}`]);
    expect(result).toMatchObject({ code: 1, stdout: '' });
    expect(result.stderr).toMatch(/^error: MSG_BROKER_NOT_READY: /);
  });
});

describe('msg with a server', () => {
  let server: MsgServer;
  let folder: string;
  let env: Record<string, string>;

  beforeAll(async () => {
    server = await startServer();
    folder = await mkdtemp(join(tmpdir(), 'msg-cli-'));
    env = { MSG_SERVER: server.url, MSG_TOKEN: server.token };
  });
  afterAll(async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const run = async (args: readonly string[], stdin = '') => {
    const result = await runMsg(args, { env, stdin });
    return { ...result, envelope: result.stdout === '' ? undefined : JSON.parse(result.stdout) };
  };

  test('open, get, list and delete print their envelopes', async () => {
    const view = {
      name: 'public:cli.room',
      state: 'open',
      ttl: '1m30s',
      ttl_seconds: 90,
      created_at: expect.stringMatching(/Z$/),
      last_active: expect.stringMatching(/Z$/),
    };
    const opened = await run(['channels', 'open', '--ttl=1m29.5s', 'public:cli.room']);
    expect(opened.envelope).toEqual({
      code: 'OK',
      type: 'msg.channel.open',
      kind: 'msg.channel.open',
      format_version: '1.0',
      generated_at: expect.stringMatching(/^\d{4}-.*Z$/),
      payload: view,
    });
    expect(opened.stdout).toBe(`${JSON.stringify(opened.envelope, null, 2)}\n`);
    expect((await run(['channels', 'get', 'public:cli.room'])).envelope).toMatchObject({
      type: 'msg.channel.get',
      payload: view,
    });
    expect((await run(['channels', 'list'])).envelope).toMatchObject({
      type: 'msg.channels.list',
      payload: { channels: [view, { name: 'public:msg.registry.schemas' }] },
    });
    expect((await run(['channels', 'delete', 'public:cli.room'])).envelope).toMatchObject({
      type: 'msg.channel.deleted',
      payload: { channel: 'public:cli.room' },
    });
    const gone = await run(['channels', 'get', 'public:cli.room']);
    expect(gone).toMatchObject({ code: 1, stdout: '' });
    expect(gone.stderr).toMatch(/^error: MSG_CHANNEL_NOT_FOUND: /);
  });

  test('publish takes text, a file or standard input, byte for byte', async () => {
    await run(['channels', 'open', 'public:cli.bytes']);
    const file = join(folder, 'body');
    await writeFile(file, Buffer.from([0, 255, 10]));
    const results = [
      await run(['publish', 'public:cli.bytes', '--data', '']),
      await run(['publish', '-f', file, 'public:cli.bytes']),
      await run(['publish', 'public:cli.bytes'], 'from stdin\n'),
    ];
    expect(results.map(result => result.envelope.payload.offset)).toEqual([1, 2, 3]);
    expect(results[0]?.envelope).toMatchObject({
      type: 'msg.publish.ack',
      payload: { epoch: expect.any(String) },
    });
  });

  test('two sources, and a file that is not there, are refused and nothing is sent', async () => {
    await run(['channels', 'open', 'public:cli.refused']);
    const both = await run(['publish', 'public:cli.refused', '-d', 'x', '-f', '/dev/null']);
    expect(both).toMatchObject({ code: 1, stdout: '' });
    expect(both.stderr).toMatch(/^error: MSG_INVALID_ARGUMENT: /);
    const missing = await run(['publish', 'public:cli.refused', '-f', join(folder, 'none')]);
    expect(missing.stderr).toMatch(/^error: MSG_INVALID_ARGUMENT: /);
    expect((await run(['publish', 'public:cli.refused', '-d', 'x'])).envelope.payload.offset).toBe(1);
  });

  test('an empty standard input is refused unless it is meant', async () => {
    await run(['channels', 'open', 'public:cli.empty']);
    const refused = await run(['publish', 'public:cli.empty'], '');
    expect(refused).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^error: MSG_INVALID_ARGUMENT: standard input is empty; .*--allow-empty/),
    });
    const meant = await run(['publish', 'public:cli.empty', '--allow-empty'], '');
    expect(meant.envelope.payload.offset).toBe(1);
  });

  test('flags win over variables; a bad bearer is reported with its code', async () => {
    const denied = await run(['channels', 'list', '--token', 'wrong']);
    expect(denied).toMatchObject({ code: 1, stdout: '' });
    expect(errorLine(denied.stderr)).toBe('error: MSG_AUTH_DENIED: token is malformed');
    const result = await runMsg(['channels', 'list', '--server', server.url, '--token', server.token], {
      env: { MSG_SERVER: 'http://127.0.0.1:1', MSG_TOKEN: 'wrong' },
    });
    expect(result.code).toBe(0);
  });

  test('serve --json prints the running instance once on stdout', async () => {
    const other = await startServer({ args: ['--json'] });
    try {
      await eventually('the manifest', () => other.output().stdout.endsWith('}\n'));
      const { stdout, stderr } = other.output();
      const manifest = JSON.parse(stdout);
      expect(manifest.type).toBe('msg.manifest');
      expect(stderr).toContain(manifest.payload.active_key_id);
    } finally {
      await other.stop();
    }
  });
});
