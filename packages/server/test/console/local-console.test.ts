import { once } from 'node:events';
import { createServer, request as httpRequest, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { ManualClock } from '@msg/foundation/clock/testing';
import { closeServer, eventually } from '@msg/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import { LocalConsole } from '#src/http/local-console/server.ts';

import { ConsoleRig, cookieOf, metaOf, type RawAnswer } from './console-rig.ts';

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** The local console, called in any words. */
class Local {
  readonly console: LocalConsole;
  readonly port: number;
  readonly clock: ManualClock;

  constructor(console: LocalConsole, clock: ManualClock) {
    this.console = console;
    this.clock = clock;
    this.port = Number(new URL(console.link()).port);
  }

  get own(): Record<string, string> {
    const origin = `http://127.0.0.1:${this.port}`;
    return { 'content-type': 'application/json', 'x-msg-console': '1', origin };
  }

  send(method: string, path: string, headers: Record<string, string> = {}, body = ''): Promise<RawAnswer> {
    return answerOf(this.port, method, path, headers, body);
  }

  signIn(link = this.console.link()): Promise<RawAnswer> {
    const code = new URL(link).hash.slice('#code='.length);
    return this.send('POST', '/console/session', this.own, JSON.stringify({ code }));
  }

  rpc(name: string, body: object, cookie: string, headers: Record<string, string> = {}): Promise<RawAnswer> {
    const path = `/console/twirp/msg.MsgService/${name}`;
    return this.send('POST', path, { ...this.own, cookie, ...headers }, JSON.stringify(body));
  }
}

function answerOf(
  port: number,
  method: string,
  path: string,
  headers: Record<string, string>,
  body: string,
): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest({ host: '127.0.0.1', port, method, path, headers, agent: false }, response => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      response.on('end', () => {
        const json = text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : {};
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text, json });
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

async function inFrontOf(server: string, token: string): Promise<Local> {
  const clock = new ManualClock();
  const onError = (error: unknown): void => {
    throw error;
  };
  const options = { server, token, port: 0, fetch, version: '0.0.0', onError, clock };
  const started = await LocalConsole.start(options);
  ends.push(() => started.stop());
  return new Local(started, clock);
}

/** The names of a server's channels. */
const namesOf = async ({ msg }: ConsoleRig): Promise<string[]> =>
  (await msg.channels.list()).map(({ name }) => name);

/** A server whose own console is off, and one in front of it. */
async function start(role?: 'viewer'): Promise<{ readonly rig: ConsoleRig; readonly local: Local }> {
  const rig = await ConsoleRig.start({ console: { enabled: false } });
  ends.push(() => rig.msg.stop());
  const token = role === undefined ? rig.token : rig.msg.tokens.issueManagement('vera', 0, { role }).token;
  return { rig, local: await inFrontOf(rig.origin, token) };
}

describe('the console in front of a server whose own is off', () => {
  it('exchanges the code of its link for a session, unlocked, with the subject of the credential', async () => {
    const { rig, local } = await start();
    const answer = await local.signIn();
    expect(answer.json).toMatchObject({
      signed_in: true,
      mode: 'local',
      subject: 'ada',
      role: 'admin',
      locked: false,
      oidc: false,
    });
    expect(cookieOf(answer)).toMatch(new RegExp(`^msg-console-${local.port}=[\\w-]{43}$`));
    expect((await rig.send('GET', '/console/')).status).toBe(404);
  });

  it('sends calls on with the credential, and their errors back', async () => {
    const { rig, local } = await start();
    const cookie = cookieOf(await local.signIn());
    expect((await local.rpc('OpenPublic', { name: 'public:app.news' }, cookie)).status).toBe(200);
    expect(await namesOf(rig)).toContain('public:app.news');
    const refused = await local.rpc('OpenPublic', { name: 'nonsense' }, cookie);
    expect([refused.status, metaOf(refused)]).toEqual([400, { code: 'MSG_CHANNEL_INVALID' }]);
    const { json } = await local.rpc('AuditList', { method: 'OpenPublic' }, cookie);
    expect((json['records'] as { via: string }[]).map(({ via }) => via)).toEqual(['cli', 'cli']);
  });

  it('has the role of the credential, which the server checks', async () => {
    const { local } = await start('viewer');
    const answer = await local.signIn();
    expect(answer.json).toMatchObject({ role: 'viewer', subject: 'vera' });
    const refused = await local.rpc('OpenPublic', { name: 'public:app.news' }, cookieOf(answer));
    expect(refused.status).toBe(403);
  });

  it('locks as the console of a server does', async () => {
    const { local } = await start();
    const cookie = cookieOf(await local.signIn());
    await local.send('POST', '/console/session/lock', { ...local.own, cookie });
    const refused = await local.rpc('OpenPublic', { name: 'public:app.news' }, cookie);
    expect(metaOf(refused)).toEqual({ code: 'MSG_AUTH_DENIED', reason: 'locked' });
    expect((await local.rpc('WhoAmI', {}, cookie)).status).toBe(200);
  });

  it('ends the feeds and recordings of a session at the server when it is signed out', async () => {
    const { rig, local } = await start();
    const feeds = async (): Promise<string> =>
      /^msg_console_feeds (\d+)$/m.exec(await (await fetch(`${rig.origin}/metrics`)).text())?.[1] ?? '';
    const cookie = cookieOf(await local.signIn());
    for (let count = 0; count < 2; count++)
      expect((await local.rpc('OpenFeed', { topics: ['stats'] }, cookie)).status).toBe(200);
    expect(await feeds()).toBe('2');
    expect((await local.send('POST', '/console/session/end', { ...local.own, cookie })).status).toBe(204);
    await eventually('no feed', async () => (await feeds()) === '0');
    // The link of a second sign-in ends the session of the first.
    const first = cookieOf(await local.signIn());
    await local.rpc('OpenFeed', {}, first);
    await local.signIn();
    await eventually('no feed', async () => (await feeds()) === '0');
  });

  it('shows the credential in no answer', async () => {
    const { rig, local } = await start();
    const answer = await local.signIn();
    const cookie = cookieOf(answer);
    const others = [
      await local.send('GET', '/console/session', { cookie }),
      await local.rpc('WhoAmI', {}, cookie),
    ];
    for (const { text, headers } of [answer, ...others])
      expect(text + JSON.stringify(headers)).not.toContain(rig.token.slice(20, 60));
  });
});

describe('a link', () => {
  it('counts once, for a minute, and until the next one', async () => {
    const { local } = await start();
    const link = local.console.link();
    expect((await local.signIn(link)).status).toBe(200);
    const again = await local.signIn(link);
    expect([again.status, again.json['msg']]).toEqual([401, expect.stringContaining('press Enter')]);
    const late = local.console.link();
    await local.clock.advance(60_000);
    expect((await local.signIn(late)).status).toBe(401);
    const replaced = local.console.link();
    local.console.link();
    expect((await local.signIn(replaced)).status).toBe(401);
    for (const code of ['', 'x']) expect((await local.signIn(`http://a/#code=${code}`)).status).toBe(401);
  });

  it('ends the session of an earlier one', async () => {
    const { local } = await start();
    const first = cookieOf(await local.signIn());
    const second = cookieOf(await local.signIn());
    const ended = await local.rpc('WhoAmI', {}, first);
    expect([ended.status, metaOf(ended)]).toEqual([401, { code: 'MSG_AUTH_EXPIRED', reason: 'signed-out' }]);
    expect((await local.rpc('WhoAmI', {}, second)).status).toBe(200);
  });

  it('is no token: the body of the console of a server is refused', async () => {
    const { rig, local } = await start();
    const body = JSON.stringify({ token: rig.token });
    expect((await local.send('POST', '/console/session', local.own, body)).status).toBe(400);
  });
});

describe('a request that is not of the own page', () => {
  it.each([
    ['another origin', { origin: 'https://evil.example.com' }],
    ['another port', { origin: 'http://127.0.0.1:1' }],
    ['a hidden origin', { origin: 'null' }],
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['plain text', { 'content-type': 'text/plain' }],
    ['without the own header', { 'x-msg-console': '' }],
    ['another site', { 'sec-fetch-site': 'cross-site' }],
  ])('%s is refused', async (_what, headers) => {
    const { rig, local } = await start();
    const cookie = cookieOf(await local.signIn());
    const refused = await local.rpc('OpenPublic', { name: 'public:app.forged' }, cookie, headers);
    expect([refused.status, metaOf(refused)]).toEqual([403, { code: 'MSG_AUTH_DENIED', reason: 'origin' }]);
    expect(await namesOf(rig)).not.toContain('public:app.forged');
  });

  it('with the name of a stranger is refused, whatever its path', async () => {
    const { local } = await start();
    for (const path of ['/console/', '/console/session'])
      expect((await local.send('GET', path, { host: `evil.example.com:${local.port}` })).status).toBe(403);
  });

  it.each([
    '/',
    '/metrics',
    '/manifest',
    '/twirp/msg.MsgService/WhoAmI',
    '/connection/http_stream',
    '/healthz',
  ])('%s is not forwarded', async path => {
    const { local } = await start();
    const cookie = cookieOf(await local.signIn());
    expect((await local.send('GET', path, { cookie })).status).toBe(404);
    expect((await local.send('POST', path, { ...local.own, cookie }, '{}')).status).toBe(404);
  });
});

/** A server of another kind. */
async function stranger(
  answer: (request: IncomingMessage) => {
    readonly status: number;
    readonly headers?: Record<string, string>;
  },
): Promise<{ readonly url: string; readonly server: Server; readonly seen: IncomingMessage[] }> {
  const seen: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    seen.push(request);
    const { status, headers } = answer(request);
    response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(JSON.stringify({ subject: 'ada', role: 'admin', scopes: [], expires_unix: 0, source: 'key' }));
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  ends.push(() => closeServer(server));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server, seen };
}

describe('another server', () => {
  it('that does not know WhoAmI is too old, in one line', async () => {
    const { url } = await stranger(() => ({ status: 404 }));
    await expect(inFrontOf(url, 'x')).rejects.toThrow(/is too old for msg console: it needs @msg\/server /);
  });

  it('that redirects is not followed', async () => {
    const elsewhere = await stranger(() => ({ status: 200 }));
    const { url } = await stranger(({ url: path = '' }) =>
      path.endsWith('WhoAmI') ? { status: 200 } : { status: 307, headers: { location: elsewhere.url } },
    );
    const local = await inFrontOf(url, 'the credential');
    const answer = await local.rpc('ListChannels', {}, cookieOf(await local.signIn()));
    expect([answer.status, answer.json['msg']]).toEqual([503, expect.stringContaining('is not followed')]);
    expect(elsewhere.seen).toEqual([]);
  });

  it('gets the credential, and neither cookie nor origin', async () => {
    const { url, seen } = await stranger(() => ({ status: 200 }));
    const local = await inFrontOf(`${url}/rt/`, 'the credential');
    await local.rpc('ListChannels', {}, cookieOf(await local.signIn()));
    const { headers, url: path } = seen.at(-1) ?? { headers: {}, url: '' };
    expect(path).toBe('/rt/twirp/msg.MsgService/ListChannels');
    expect(headers).toMatchObject({ authorization: 'Bearer the credential', host: new URL(url).host });
    expect([headers.cookie, headers.origin]).toEqual([undefined, undefined]);
  });
});

describe('a WebSocket', () => {
  const KEY = 'dGhlIHNhbXBsZSBub25jZQ==';
  const SWITCHING = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';
  const upgrade = (local: Local, path: string, headers: Record<string, string>): Promise<number> =>
    new Promise((resolve, reject) => {
      const sent = httpRequest({
        host: '127.0.0.1',
        port: local.port,
        path,
        headers: {
          connection: 'Upgrade',
          upgrade: 'websocket',
          'sec-websocket-version': '13',
          'sec-websocket-key': KEY,
          ...headers,
        },
      });
      sent.on('upgrade', (answer, socket) => {
        socket.destroy();
        resolve(answer.statusCode ?? 0);
      });
      sent.on('response', answer => {
        answer.resume();
        resolve(answer.statusCode ?? 0);
      });
      sent.on('error', reject);
      sent.end();
    });

  it('of the own page and a live session reaches the server, any other does not', async () => {
    const { local } = await start();
    const cookie = cookieOf(await local.signIn());
    const { origin = '' } = local.own;
    const path = '/connection/websocket';
    expect(await upgrade(local, path, { cookie, origin })).toBe(101);
    expect(await upgrade(local, path, { origin })).toBe(401);
    expect(await upgrade(local, path, { cookie })).toBe(403);
    expect(await upgrade(local, path, { cookie, origin: 'https://evil.example.com' })).toBe(403);
    expect(await upgrade(local, '/connection/uni_websocket', { cookie, origin })).toBe(404);
  });

  it.each([
    ['with an answer', true],
    ['still without an answer', false],
  ])('%s of the server ends when the local console stops', async (_name, isAnswered) => {
    const { url, server } = await stranger(() => ({ status: 200 }));
    const upgraded = once(server, 'upgrade');
    const local = await inFrontOf(url, 'the credential');
    const { port } = local;
    const { origin } = local.own;
    const cookie = cookieOf(await local.signIn());
    const page = connect(port, '127.0.0.1');
    ends.push(async () => page.destroy());
    page.write(
      `GET /connection/websocket HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: Upgrade\r\n` +
        `Upgrade: websocket\r\nOrigin: ${origin}\r\nCookie: ${cookie}\r\n\r\n`,
    );
    const [, atServer] = (await upgraded) as [IncomingMessage, Duplex]; // the arguments of the event
    ends.push(async () => atServer.destroy());
    const closed = Promise.all([once(atServer.resume(), 'end'), once(page, 'close')]);
    if (isAnswered) {
      atServer.write(SWITCHING);
      await once(page, 'data');
    }
    page.resume();
    await local.console.stop();
    await closed;
  });

  it('reaches it with its own Host, without origin and cookie', async () => {
    const { url, server } = await stranger(() => ({ status: 200 }));
    const seen: IncomingMessage[] = [];
    server.on('upgrade', (request, socket) => {
      seen.push(request);
      socket.end(SWITCHING);
    });
    const local = await inFrontOf(url, 'the credential');
    const cookie = cookieOf(await local.signIn());
    const { origin = '' } = local.own;
    expect(await upgrade(local, '/connection/websocket?a=b', { cookie, origin })).toBe(101);
    const [{ headers, url: path } = { headers: {}, url: '' }] = seen;
    expect(path).toBe('/connection/websocket?a=b');
    expect(headers).toMatchObject({ host: new URL(url).host, 'sec-websocket-key': KEY });
    expect([headers.cookie, headers.origin, headers.authorization]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});
