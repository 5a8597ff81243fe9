import { METHODS } from '@msg/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ConsoleRig, metaOf, type RawAnswer } from './console-rig.ts';

let rig: ConsoleRig;
let cookie: string;
const RPC = '/console/twirp/msg.MsgService/';

beforeAll(async () => {
  rig = await ConsoleRig.start({ allowedOrigins: ['https://friend.example.com'] });
  cookie = await rig.signIn();
});
afterAll(() => rig.msg.stop());

const channels = async (): Promise<number> => (await rig.msg.channels.list()).length;

describe('a request of another page', () => {
  const others: readonly (readonly [what: string, headers: Record<string, string | undefined>])[] = [
    ['another origin', { origin: 'https://evil.example.com' }],
    ['an allowed origin of clients', { origin: 'https://friend.example.com' }],
    ['another port of the same host', { origin: 'http://127.0.0.1:1' }],
    ['another name of the same machine', { origin: 'http://localhost' }],
    ['https in place of http', { origin: 'https://127.0.0.1' }],
    ['a hidden origin', { origin: 'null' }],
    ['no origin', { origin: undefined }],
    ['another site by its fetch metadata', { 'sec-fetch-site': 'cross-site' }],
    ['the same site by its fetch metadata', { 'sec-fetch-site': 'same-site' }],
    ['a navigation', { 'sec-fetch-site': 'none' }],
    ['without the own header', { 'x-msg-console': undefined }],
    ['with another value of the own header', { 'x-msg-console': 'true' }],
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['plain text', { 'content-type': 'text/plain' }],
    ['json with a charset', { 'content-type': 'application/json; charset=utf-8' }],
    ['without a content type', { 'content-type': undefined }],
  ];
  const paths = [
    '/console/session',
    '/console/session/unlock',
    '/console/session/lock',
    '/console/session/end',
  ];
  const rows = others.flatMap(([what, headers]) =>
    [...paths, `${RPC}OpenPublic`, `${RPC}WhoAmI`].map(path => [what, path, headers] as const),
  );

  it.each(rows)('%s: %s is refused, and does nothing', async (_what, path, changed) => {
    const before = await channels();
    const headers = Object.entries({ ...rig.own, cookie, ...changed }).filter(
      (entry): entry is [string, string] => entry[1] !== undefined,
    );
    const answer = await rig.send('POST', path, Object.fromEntries(headers), '{"name":"public:app.forged"}');
    expect([answer.status, metaOf(answer)]).toEqual([403, { code: 'MSG_AUTH_DENIED', reason: 'origin' }]);
    expect(answer.headers['access-control-allow-origin']).toBeUndefined();
    expect(answer.headers['set-cookie']).toBeUndefined();
    expect(await channels()).toBe(before);
    expect((await rig.rpc('WhoAmI', {}, { cookie })).status).toBe(200);
  });

  it('gets no preflight', async () => {
    const asked = { origin: 'https://friend.example.com', 'access-control-request-method': 'POST', cookie };
    const answer = await rig.send('OPTIONS', `${RPC}OpenPublic`, asked);
    expect(answer.status).toBe(405);
    expect(Object.keys(answer.headers).filter(name => name.startsWith('access-control'))).toEqual([]);
  });

  it('is counted by the reason', async () => {
    const text = (await rig.send('GET', '/metrics')).text;
    expect(text).toMatch(/msg_console_refusals_total\{reason="origin"\} \d+/);
  });
});

describe('the metrics of the console', () => {
  it('count its sessions, and what was refused by reason', async () => {
    const own = await ConsoleRig.start();
    try {
      const scraped = async (): Promise<string> => (await own.send('GET', '/metrics')).text;
      expect(await scraped()).toContain('msg_console_sessions 0');
      const [first, second] = [await own.signIn(), await own.signIn()];
      expect(await scraped()).toContain('msg_console_sessions 2');
      await own.post('/console/session/end', undefined, { cookie: first });
      expect(await scraped()).toContain('msg_console_sessions 1');
      await own.rpc('WhoAmI', {}, { cookie: first });
      await own.rpc('WhoAmI', {});
      await own.rpc('OpenPublic', { name: 'public:app.a' }, { cookie: second });
      await own.post('/console/session', { token: 'nonsense' });
      const text = await scraped();
      for (const reason of ['signed-out', 'session', 'locked', 'token'])
        expect(text).toContain(`msg_console_refusals_total{reason="${reason}"} 1`);
    } finally {
      await own.msg.stop();
    }
  });

  it('name no sessions where it is off', async () => {
    const off = await ConsoleRig.start({ console: { enabled: false } });
    expect((await off.send('GET', '/metrics')).text).not.toContain('msg_console_sessions');
    await off.msg.stop();
  });
});

describe('every answer of the console', () => {
  const paths = [
    '/console',
    '/console/',
    '/console/channels/x',
    '/console/session',
    '/console/assets/none.js',
    '/admin',
  ];
  it.each(paths)('%s has the policy and no CORS header', async path => {
    const { headers } = await rig.send('GET', path, { origin: 'https://friend.example.com' });
    const policy = String(headers['content-security-policy']);
    for (const part of [
      "default-src 'none'",
      "script-src 'self'",
      `connect-src 'self' ws://127.0.0.1:${rig.port}`,
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
      "trusted-types 'none'",
    ])
      expect(policy).toContain(part);
    expect(policy).not.toContain('unsafe');
    expect(headers).toMatchObject({
      'x-frame-options': 'DENY',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'referrer-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
    });
    expect(Object.keys(headers).filter(name => name.startsWith('access-control'))).toEqual([]);
  });

  it('names no WebSocket address that a stranger chose', async () => {
    const { headers } = await rig.send('GET', '/console/', { host: 'evil.example.com' });
    expect(String(headers['content-security-policy'])).not.toContain('evil');
  });
});

describe('the paths of the console', () => {
  it('are the shell for every page, with its base', async () => {
    for (const path of ['/console/', '/console/channels/public%3Aapp.news']) {
      const { status, text, headers } = await rig.send('GET', path);
      expect([status, headers['cache-control'], headers['content-type']]).toEqual([
        200,
        'no-store',
        'text/html; charset=utf-8',
      ]);
      expect(text).toContain('<base href="/console/">');
    }
  });

  it('move from /console and /admin', async () => {
    for (const path of ['/console', '/admin', '/admin/anything']) {
      const { status, headers } = await rig.send('GET', path);
      expect([status, headers['location']]).toEqual([308, '/console/']);
    }
  });

  it('answer hashed files forever, compressed as the browser takes them, and no other name', async () => {
    const { text } = await rig.send('GET', '/console/');
    const [name = ''] = /assets\/console-[\w-]+\.js/.exec(text) ?? [];
    const { status, headers } = await rig.send('GET', `/console/${name}`, { 'accept-encoding': 'br' });
    expect([status, headers['cache-control'], headers['content-encoding'], headers['content-type']]).toEqual([
      200,
      'public, max-age=31536000, immutable',
      'br',
      'text/javascript; charset=utf-8',
    ]);
    for (const other of ['x.js', '../list.json', '..%2flist.json', '../../package.json', ''])
      expect((await rig.send('GET', `/console/assets/${other}`)).status).toBe(404);
  });

  it.each(['/console/twirp/msg.MsgService/WhoAmI', '/console/session/unlock', '/console/session/end'])(
    '%s takes POST alone',
    async path => expect((await rig.send('GET', path, { cookie })).status).toBe(405),
  );

  it('are like unknown ones while it is off', async () => {
    const off = await ConsoleRig.start({ console: { enabled: false } });
    try {
      const unknown = await off.send('GET', '/unknown');
      for (const path of ['/console', '/console/', '/console/session', '/admin', '/console/assets/x.js']) {
        const answer = await off.send('GET', path);
        expect([answer.status, answer.text]).toEqual([unknown.status, unknown.text]);
        expect(answer.headers['content-security-policy']).toBeUndefined();
      }
      expect(off.msg.manifest().payload.admin_ui_enabled).toBe(false);
    } finally {
      await off.msg.stop();
    }
    expect(rig.msg.manifest().payload.admin_ui_enabled).toBe(true);
  });
});

describe('the cookie of the console', () => {
  const whoAmI = (headers: Record<string, string>): Promise<RawAnswer> => rig.rpc('WhoAmI', {}, headers);

  it.each([
    ['none', {}],
    ['another name', { cookie: 'msg-console=x' }],
    ['garbage', { cookie: `msg-console-PORT=${'%'.repeat(43)}` }],
    ['8 KiB', { cookie: `msg-console-PORT=${'A'.repeat(8192)}` }],
    ['two of them', { cookie: 'COOKIE; COOKIE' }],
    ['a bearer in its place', { authorization: 'Bearer TOKEN' }],
  ])('%s is no session', async (_what, headers) => {
    const text = JSON.stringify(headers)
      .replaceAll('PORT', String(rig.port))
      .replaceAll('COOKIE', cookie)
      .replaceAll('TOKEN', rig.token);
    const answer = await whoAmI(JSON.parse(text) as Record<string, string>);
    expect([answer.status, metaOf(answer)]).toEqual([401, { code: 'MSG_AUTH_EXPIRED', reason: 'session' }]);
  });

  it('opens nothing at /twirp/', async () => {
    const answer = await rig.post('/twirp/msg.MsgService/WhoAmI', {}, { cookie });
    expect(answer.status).toBe(401);
  });

  it('never gets the text of its token in an answer', async () => {
    const answers = await Promise.all([
      rig.post('/console/session', { token: rig.token }),
      rig.send('GET', '/console/session', { cookie }),
      whoAmI({ cookie }),
    ]);
    for (const { text, headers } of answers)
      expect(text + JSON.stringify(headers)).not.toContain(rig.token.slice(0, 40));
  });
});

describe('a locked session', () => {
  const writes = Object.entries(METHODS).filter(([, { rights }]) => rights.effect === 'write');

  it.each(writes.map(([name]) => name))('%s is refused, and recorded', async name => {
    await rig.post('/console/session/lock', undefined, { cookie });
    const answer = await rig.rpc(name, {}, { cookie });
    expect([answer.status, metaOf(answer)]).toEqual([403, { code: 'MSG_AUTH_DENIED', reason: 'locked' }]);
    const { json } = await rig.rpc('AuditList', { method: name, via: 'console', limit: 1 }, { cookie });
    expect(json['records']).toMatchObject([{ method: name, outcome: 'MSG_AUTH_DENIED', actor: 'ada' }]);
  });

  it('changes something again once it is unlocked', async () => {
    expect((await rig.post('/console/session/unlock', undefined, { cookie })).status).toBe(204);
    expect((await rig.rpc('OpenPublic', { name: 'public:app.news' }, { cookie })).status).toBe(200);
    const { json } = await rig.send('GET', '/console/session', { cookie });
    expect(json).toMatchObject({ locked: false, subject: 'ada', role: 'admin' });
  });
});
