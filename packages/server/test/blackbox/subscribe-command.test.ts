import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cleanEnv, eventually, freePort, MSG_BIN, type MsgServer, runMsg } from '@msg/testkit';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { errorLine } from '../support/error-lines.ts';
import { rpcOf } from '../support/rpc.ts';
import { startServer } from '../support/server.ts';

const CHANNEL = 'public:shop.news';
const PRIVATE = 'private:shop.order.1';

/** A running `msg subscribe`. */
class Subscriber {
  readonly child: ChildProcess;
  readonly ended: Promise<[number | null, NodeJS.Signals | null]>;
  stdout = '';
  stderr = '';

  constructor(args: readonly string[], env: Record<string, string> = {}) {
    const child = spawn(process.execPath, [MSG_BIN, 'subscribe', ...args], {
      env: cleanEnv(env),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      this.stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text;
    });
    this.child = child;
    this.ended = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>; // its documented arguments
  }

  get lines(): unknown[] {
    return this.stdout
      .split('\n')
      .slice(0, -1)
      .map(line => JSON.parse(line));
  }
}

describe('msg subscribe', () => {
  let server: MsgServer;
  let rpc: ReturnType<typeof rpcOf>;
  const running: Subscriber[] = [];
  const subscribe = (args: readonly string[], env?: Record<string, string>): Subscriber => {
    const subscriber = new Subscriber([...args, '--server', server.url], env);
    running.push(subscriber);
    return subscriber;
  };
  const listening = (name: string, count: number) =>
    eventually(
      `${count} subscribers`,
      async () => (await rpc('Presence', { name })).body['subscribers'] === count,
      20_000,
    );

  beforeAll(async () => {
    server = await startServer();
    rpc = rpcOf(server.url, server.token);
    await rpc('OpenPublic', { name: CHANNEL });
  });
  afterEach(() => {
    for (const { child } of running.splice(0)) child.kill('SIGKILL');
  });
  afterAll(() => server.stop());

  test('a compact JSON line per publication, history first; Ctrl-C ends it with 0', async () => {
    for (const n of [1, 2]) await rpc('Publish', { name: CHANNEL, data: { n } });
    const subscriber = subscribe([CHANNEL, '--from-offset', '2']);
    await listening(CHANNEL, 1);
    await rpc('Publish', { name: CHANNEL, data: ['text'] });
    await eventually('both lines', () => subscriber.lines.length === 2);
    expect(subscriber.stdout).toBe(
      `{"channel":"${CHANNEL}","offset":2,"data":{"n":2}}\n{"channel":"${CHANNEL}","offset":3,"data":["text"]}\n`,
    );
    subscriber.child.kill('SIGINT');
    expect(await subscriber.ended).toEqual([0, null]);
    expect(subscriber.stderr).toBe('');
    await listening(CHANNEL, 0);
  });

  test('bytes that are not UTF-8, published as a file, are base64 and say so', async () => {
    const name = 'public:shop.pictures';
    await rpc('OpenPublic', { name });
    const subscriber = subscribe([name]);
    await listening(name, 1);
    const folder = await mkdtemp(join(tmpdir(), 'msg-picture-'));
    try {
      await writeFile(join(folder, 'picture.png'), Buffer.of(0x89, 0x50, 0x4e, 0x47, 0xff));
      const publish = ['publish', name, '--file', join(folder, 'picture.png')];
      const env = { MSG_SERVER: server.url, MSG_TOKEN: server.token };
      expect((await runMsg(publish, { env })).code).toBe(0);
    } finally {
      await rm(folder, { recursive: true });
    }
    await eventually('the line', () => subscriber.lines.length === 1);
    expect(subscriber.lines).toEqual([{ channel: name, offset: 1, data: 'iVBOR/8=', encoding: 'base64' }]);
  });

  test('a private channel with an access token, by flag or variable; its deletion ends it with 0', async () => {
    const { body } = await rpc('CreatePrivate', { name: PRIVATE, subject: 'u-1' });
    const token = String(body['access_token']);
    const both = [subscribe([PRIVATE, '--token', token]), subscribe([PRIVATE], { MSG_TOKEN: token })];
    await listening(PRIVATE, 2);
    await rpc('Publish', { name: PRIVATE, data: 7 });
    await eventually('both read it', () => both.every(({ lines }) => lines.length === 1));
    await rpc('DeleteChannel', { name: PRIVATE });
    for (const { ended } of both) expect(await ended).toEqual([0, null]);
    expect(both[0]?.stderr).toBe(`${PRIVATE} was deleted\n`);
  });

  test('the reader closes the pipe: it ends without an error', async () => {
    const command = `"${process.execPath}" "${MSG_BIN}" subscribe ${CHANNEL} --server ${server.url} --from-offset 1`;
    const child = spawn('/bin/sh', ['-c', `{ ${command}; echo "code $?" >&2; } | head -1`], {
      env: cleanEnv(),
    });
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    await listening(CHANNEL, 1);
    await eventually('it ends', async () => {
      await rpc('Publish', { name: CHANNEL, data: ['more'] });
      return child.exitCode !== null;
    });
    expect(stderr).toBe('code 0\n');
  });

  test.each([
    ['an invalid name', ['news'], 'MSG_CHANNEL_INVALID'],
    ['an unknown channel', ['public:shop.unknown'], 'MSG_CHANNEL_NOT_FOUND'],
    ['no token', ['private:shop.order.2'], 'MSG_AUTH_DENIED'],
    ['an invalid offset', [CHANNEL, '--from-offset', 'x'], 'MSG_INVALID_ARGUMENT'],
    ['a negative offset', [CHANNEL, '--from-offset=-1'], 'MSG_INVALID_ARGUMENT'],
  ])('%s: exit 1, the code, nothing on standard output', async (_, args, code) => {
    const { code: exit, stdout, stderr } = await runMsg(['subscribe', ...args, '--server', server.url]);
    expect({ exit, stdout }).toEqual({ exit: 1, stdout: '' });
    expect(errorLine(stderr)).toMatch(new RegExp(`^error: ${code}: .+$`));
  });

  test('a management token opens no private channel', async () => {
    const name = 'private:shop.order.3';
    await rpc('CreatePrivate', { name });
    const { stderr } = await runMsg(['subscribe', name, '--server', server.url, '--token', server.token]);
    expect(stderr).toMatch(/^error: MSG_AUTH_DENIED: /);
  });

  test('no answer, or a connection that ends: MSG_BROKER_NOT_READY', async () => {
    const port = await freePort();
    const nobody = await runMsg(['subscribe', CHANNEL, '--server', `http://127.0.0.1:${port}`]);
    expect(nobody).toMatchObject({ code: 1, stdout: '' });
    expect(nobody.stderr).toMatch(/^error: MSG_BROKER_NOT_READY: /);

    const head = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n';
    const breaking = createServer(socket => socket.end(`${head}10\r\n`)).listen(port, '127.0.0.1');
    await once(breaking, 'listening');
    const broken = await runMsg(['subscribe', CHANNEL, '--server', `http://127.0.0.1:${port}`]);
    breaking.close();
    expect(broken).toMatchObject({ code: 1, stdout: '' });
    expect(broken.stderr).toMatch(/^error: MSG_BROKER_NOT_READY: /);
  });

  test('the server stops: the stream ends, exit 0', async () => {
    const other = await startServer();
    await rpcOf(other.url, other.token)('OpenPublic', { name: CHANNEL });
    const subscriber = new Subscriber([CHANNEL, '--server', other.url]);
    running.push(subscriber);
    await eventually(
      'subscribed',
      async () => {
        const { body } = await rpcOf(other.url, other.token)('Presence', { name: CHANNEL });
        return body['subscribers'] === 1;
      },
      20_000,
    );
    await other.stop();
    expect(await subscriber.ended).toEqual([0, null]);
  });
});

/** Acceptance line 25 of messaging details 23, word for word. */
test('SSE: 400 without channel; public stream delivers; private without token 401; from_offset replays', async () => {
  const server = await startServer();
  try {
    const rpc = rpcOf(server.url, server.token);
    await rpc('OpenPublic', { name: CHANNEL });
    await rpc('CreatePrivate', { name: PRIVATE });
    const status = async (query: string) => (await fetch(`${server.url}/sse${query}`)).status;
    expect(await status('')).toBe(400);
    expect(await status(`?channel=${PRIVATE}`)).toBe(401);
    await rpc('Publish', { name: CHANNEL, data: { n: 1 } });
    const controller = new AbortController();
    const response = await fetch(`${server.url}/sse?channel=${CHANNEL}&from_offset=1`, {
      signal: controller.signal,
    });
    let text = '';
    const reading = (async () => {
      for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) text += piece;
    })().catch(() => {});
    await rpc('Publish', { name: CHANNEL, data: { n: 2 } });
    await eventually('both events', () => text.split('\n\n').length === 3);
    expect(text).toBe(
      `id: 1\ndata: {"channel":"${CHANNEL}","offset":1,"data":{"n":1}}\n\n` +
        `id: 2\ndata: {"channel":"${CHANNEL}","offset":2,"data":{"n":2}}\n\n`,
    );
    controller.abort();
    await reading;
  } finally {
    await server.stop();
  }
});
