import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cleanEnv, eventually, MSG_BIN, type MsgServer, runMsg, startMsg } from '@msg/testkit';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';

let server: MsgServer;
let folder: string;
const running: ChildProcess[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'msg-console-command-'));
  server = await startMsg({ args: ['--console', 'off'] });
});
afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL');
});
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
});

const LINK = /^http:\/\/127\.0\.0\.1:\d+\/console\/#code=[\w-]{43}$/;

/** A running `msg console`. */
function start(args: readonly string[] = [], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [MSG_BIN, 'console', ...args], {
    env: cleanEnv({ MSG_SERVER: server.url, MSG_TOKEN: server.token, ...env }),
  });
  running.push(child);
  let output = '';
  let errors = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  const links = async (count: number): Promise<string[]> => {
    await eventually('links', () => output.split('\n').length > count);
    return output.trim().split('\n');
  };
  return { child, links, all: () => output + errors };
}

async function exchange(link: string): Promise<Response> {
  const { origin, hash } = new URL(link);
  return fetch(`${origin}/console/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-msg-console': '1', origin },
    body: JSON.stringify({ code: hash.slice('#code='.length) }),
  });
}

describe('msg console', () => {
  it('prints a link, another one for Enter, serves until Ctrl-C, and never prints the bearer', async () => {
    const { child, links, all } = start();
    const [first = ''] = await links(1);
    expect(first).toMatch(LINK);
    const answer = await exchange(first);
    expect([answer.status, ((await answer.json()) as { mode: string }).mode]).toEqual([200, 'local']);
    child.stdin.write('\n');
    const [, second = ''] = await links(2);
    expect(second).toMatch(LINK);
    expect(second).not.toBe(first);
    expect((await exchange(first)).status).toBe(401);
    expect((await exchange(second)).status).toBe(200);
    const page = await fetch(new URL('/console/', first));
    expect([page.status, await page.text()]).toEqual([
      200,
      expect.stringContaining('<base href="/console/">'),
    ]);
    child.kill('SIGINT');
    const code = await new Promise(resolve => child.on('exit', resolve));
    expect(code).toBe(0);
    expect(all()).not.toContain(server.token.slice(0, 40));
    await expect(fetch(first)).rejects.toThrow();
  });

  it('goes on without a terminal, on the port that was asked for', async () => {
    const { child, links } = start(['--port', '0']);
    await links(1);
    // The second link shows that the program reads its input, whose end stands right behind the line.
    await new Promise<void>(resolve => child.stdin.end('\n', resolve));
    const [, second = ''] = await links(2);
    expect((await exchange(second)).status).toBe(200);
    expect(child.exitCode).toBeNull();
  });

  it('opens the link in the browser of the machine with --open', async () => {
    const seen = join(folder, 'opened');
    const opener = join(folder, 'xdg-open');
    writeFileSync(opener, `#!/bin/sh\nprintf '%s' "$1" > ${seen}\n`);
    chmodSync(opener, 0o755);
    const { links } = start(['--open'], { PATH: `${folder}:${process.env['PATH']}` });
    const [link = ''] = await links(1);
    await eventually('the browser', () => {
      try {
        return readFileSync(seen, 'utf8') === link;
      } catch {
        return false;
      }
    });
  });

  it('says that no browser opens, and goes on', async () => {
    const { links, all } = start(['--open'], { PATH: join(folder, 'empty') });
    const [link = ''] = await links(1);
    await eventually('the note', () => all().includes('no browser could be started: open the link yourself'));
    expect((await exchange(link)).status).toBe(200);
  });
});

describe('msg console does not start', () => {
  const ended = async (args: readonly string[], env: Record<string, string>) =>
    runMsg(['console', ...args], { env: { MSG_SERVER: server.url, ...env } });

  it('without a bearer that the server takes, with what helps', async () => {
    const none = await ended([], {});
    expect([none.code, none.stderr]).toEqual([1, expect.stringContaining('MSG_AUTH_DENIED')]);
    expect(none.stderr).toContain('MSG_TOKEN');
    const other = await startMsg();
    try {
      const foreign = await ended([], { MSG_TOKEN: other.token });
      expect([foreign.code, foreign.stderr]).toEqual([1, expect.stringContaining('MSG_AUTH_DENIED')]);
    } finally {
      await other.stop();
    }
  });

  it('without a server, and on a port that is taken', async () => {
    const nowhere = await ended(['--server', 'http://127.0.0.1:1'], { MSG_TOKEN: server.token });
    expect([nowhere.code, nowhere.stderr]).toEqual([1, expect.stringContaining('MSG_BROKER_NOT_READY')]);
    const { port } = new URL(server.url);
    const taken = await ended(['--port', port], { MSG_TOKEN: server.token });
    expect([taken.code, taken.stderr]).toEqual([1, expect.stringContaining('MSG_INVALID_ARGUMENT')]);
    expect(taken.stderr).toContain(`--port: cannot listen on 127.0.0.1:${port}`);
  });
});
