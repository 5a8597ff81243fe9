import { spawn } from 'node:child_process';
import { cleanEnv, eventually, MSG_BIN, type MsgServer, runMsg, runOnTerminal } from '@msg/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rpcOf } from '../support/rpc.ts';
import { startServer } from '../support/server.ts';

const ESCAPE = '\u001b';

describe('on a terminal', () => {
  let server: MsgServer;
  let env: Record<string, string>;

  beforeAll(async () => {
    server = await startServer();
    env = { MSG_SERVER: server.url, MSG_TOKEN: server.token };
    for (const name of ['public:shop.news', 'public:shop.a-name-that-is-rather-long-for-a-channel'])
      await rpcOf(server.url, server.token)('OpenPublic', { name });
  });
  afterAll(() => server.stop());

  it.each([40, 80, 200])('of %d columns a list is shown to people, within the width', async columns => {
    const { code, text } = await runOnTerminal(['channels', 'list'], {
      columns,
      env: { ...env, NO_COLOR: '1' },
    });
    expect(code).toBe(0);
    for (const member of ['name', 'state', 'ttl', 'ttl_seconds', 'created_at', 'last_active'])
      expect(text).toContain(member);
    expect(text).toMatch(/\d+ (?:s|min) ago|now/);
    expect(text).not.toContain(ESCAPE);
    const fits = text.split('\n').filter(line => !line.includes('a-name-that-is-rather-long'));
    expect(Math.max(...fits.map(line => line.length))).toBeLessThanOrEqual(columns);
  });

  it.each([
    [['channels', 'list', '--json'], {}],
    [['--json', 'channels', 'list'], {}],
    [['channels', 'list', '--output', 'json'], {}],
    [['channels', 'list'], { MSG_OUTPUT: 'json' }],
  ])('%j with %j is the envelope that a pipe gets', async (args, more) => {
    const { text } = await runOnTerminal(args, { columns: 80, env: { ...env, ...more } });
    const piped = await runMsg(['channels', 'list'], { env });
    const stable = (envelope: string): string => envelope.replace(/"generated_at": "[^"]+"/, '');
    expect(stable(text)).toBe(stable(piped.stdout));
  });

  it('marks errors and headings, and NO_COLOR and --no-color do not', async () => {
    const denied = ['channels', 'list', '--token', 'nonsense'];
    const { code, text } = await runOnTerminal(denied, { columns: 80, env });
    expect(code).toBe(1);
    expect(text).toBe(
      `${ESCAPE}[31merror:${ESCAPE}[39m MSG_AUTH_DENIED: token is malformed\n` +
        `  ${ESCAPE}[2mtry:${ESCAPE}[22m copy the whole token: three parts of letters and digits with two dots between them\n` +
        `  ${ESCAPE}[2msee:${ESCAPE}[22m docs/troubleshooting.md#MSG_AUTH_DENIED\n`,
    );
    for (const options of [
      { args: [...denied, '--no-color'], env },
      { args: denied, env: { ...env, NO_COLOR: '1' } },
    ])
      expect((await runOnTerminal(options.args, { columns: 80, env: options.env })).text).not.toContain(
        ESCAPE,
      );
    expect((await runOnTerminal(['keys', 'list'], { columns: 80, env })).text).toContain(`${ESCAPE}[1m`);
  });

  it('a table can be asked for in a pipe', async () => {
    const table = await runMsg(['channels', 'get', 'public:shop.news', '--output', 'table'], { env });
    expect(table.stdout).toMatch(/^name {9}public:shop\.news\nstate {8}open\n/);
    const wide = await runMsg(['channels', 'get', 'public:shop.news', '--output=wide'], { env });
    expect(wide.stdout).toMatch(/\ncreated_at {3}\d{4}-\d\d-\d\dT.*Z\n/);
  });

  it('a subscription shows time, offset and data', async () => {
    const child = spawn(process.execPath, [MSG_BIN, 'subscribe', 'public:shop.news', '--output', 'table'], {
      env: cleanEnv(env),
    });
    let stdout = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    const rpc = rpcOf(server.url, server.token);
    try {
      await eventually('a listener', async () => {
        const { body } = await rpc('Presence', { name: 'public:shop.news' });
        return body['subscribers'] === 1;
      });
      await rpc('Publish', { name: 'public:shop.news', data: { text: `${ESCAPE}[2Jhello` } });
      await eventually('the line', () => stdout.endsWith('\n'));
      expect(stdout).toMatch(/^\d\d:\d\d:\d\d\.\d{3}Z {2}1 {2}\{"text":"\\u001b\[2Jhello"\}\n$/);
    } finally {
      child.kill('SIGKILL');
    }
  });
});
