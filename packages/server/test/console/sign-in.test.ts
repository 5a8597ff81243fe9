import type { MsgOptions } from '@msg/server';
import { afterEach, describe, expect, it } from 'vitest';
import { ConsoleRig, cookieOf, metaOf } from './console-rig.ts';

const rigs: ConsoleRig[] = [];
afterEach(async () => {
  for (const { msg } of rigs.splice(0)) await msg.stop();
});

async function start(options: MsgOptions = {}): Promise<ConsoleRig> {
  const rig = await ConsoleRig.start(options);
  rigs.push(rig);
  return rig;
}

const SESSION = '/console/session';

describe('signing in', () => {
  it('sets a cookie for this port over plain HTTP of this machine, and begins locked', async () => {
    const rig = await start();
    const answer = await rig.post(SESSION, { token: rig.token });
    const [set = ''] = [answer.headers['set-cookie'] ?? []].flat();
    expect(set).toMatch(
      new RegExp(`^msg-console-${rig.port}=[\\w-]{43}; HttpOnly; SameSite=Strict; Path=/$`),
    );
    expect(answer.json).toMatchObject({
      signed_in: true,
      subject: 'ada',
      role: 'admin',
      locked: true,
      mode: 'service',
    });
  });

  it('begins unlocked where the listener is of this machine alone', async () => {
    const rig = await start({ console: { enabled: true, boundToLoopback: true } });
    expect((await rig.post(SESSION, { token: rig.token })).json).toMatchObject({ locked: false });
  });

  it('sets a Secure cookie with the host prefix over HTTPS, locked', async () => {
    const rig = await start({
      trustedProxies: ['127.0.0.1'],
      console: { enabled: true, boundToLoopback: true },
    });
    const proxied = {
      host: 'ops.example.com',
      origin: 'https://ops.example.com',
      'x-forwarded-proto': 'https',
    };
    const answer = await rig.post(SESSION, { token: rig.token }, proxied);
    const [set = ''] = [answer.headers['set-cookie'] ?? []].flat();
    expect(set).toMatch(/^__Host-msg-console=[\w-]{43}; HttpOnly; SameSite=Strict; Path=\/; Secure$/);
    expect(answer.json).toMatchObject({ locked: true });
    const cookie = cookieOf(answer);
    expect((await rig.rpc('WhoAmI', {}, { ...proxied, cookie })).status).toBe(200);
    // Over plain HTTP the service does not read this cookie.
    expect((await rig.rpc('WhoAmI', {}, { cookie })).status).toBe(401);
  });

  it.each([
    ['another machine by its name', { host: 'ops.example.com', origin: 'http://ops.example.com' }],
    [
      'a stranger who says https',
      { host: 'ops.example.com', origin: 'https://ops.example.com', 'x-forwarded-proto': 'https' },
    ],
  ])('is refused over plain HTTP: %s', async (_what, headers) => {
    const rig = await start();
    const answer = await rig.post(SESSION, { token: rig.token }, headers);
    expect(answer.status).toBe(403);
    expect(answer.headers['set-cookie']).toBeUndefined();
    expect((await rig.send('GET', SESSION, headers)).json).toMatchObject({
      insecure: true,
      signed_in: false,
    });
  });

  it('is refused behind a proxy that says its Host is this machine, until the origin is known', async () => {
    const rewritten = { host: '127.0.0.1', origin: 'https://ops.example.com' };
    const unknown = await start();
    const refused = await unknown.post(SESSION, { token: unknown.token }, rewritten);
    expect([refused.status, metaOf(refused)]).toEqual([403, { code: 'MSG_AUTH_DENIED', reason: 'origin' }]);
    const known = await start({ console: { enabled: true, origin: 'https://ops.example.com/rt' } });
    expect((await known.post(SESSION, { token: known.token }, rewritten)).status).toBe(200);
    expect((await known.send('GET', '/console/')).text).toContain('<base href="/rt/console/">');
  });

  it('refuses other tokens with what to do', async () => {
    const rig = await start();
    const other = await start();
    const tokens = await rig.msg.tokens.issueAccess({
      subject: 'u-9',
      scopes: [{ pattern: 'private:app.**', verbs: ['subscribe'], deny: false }],
    });
    const texts: readonly (readonly [string, string])[] = [
      [tokens.access_token, 'an access token'],
      [tokens.refresh_token, 'a refresh token'],
      [`msgk_${'a'.repeat(60)}`, 'an API key'],
      ['', 'an empty text'],
      [other.token, 'another server issued it'],
      [`${rig.token.slice(0, -4)}AAAA`, 'another server issued it'],
    ];
    for (const [token, words] of texts) {
      const answer = await rig.post(SESSION, { token });
      expect([answer.status, answer.json['msg']]).toEqual([401, expect.stringContaining(words)]);
      expect(answer.headers['set-cookie']).toBeUndefined();
    }
  });

  it.each([{}, { token: 7 }, { code: 'x' }, []])('refuses the body %j', async body => {
    const rig = await start();
    expect((await rig.post(SESSION, body)).status).toBe(400);
  });

  it('is refused after ten refusals in a minute, and leaves a record of each', async () => {
    const rig = await start();
    const cookie = await rig.signIn();
    for (let count = 0; count < 10; count++)
      expect((await rig.post(SESSION, { token: 'x' })).status).toBe(401);
    const late = await rig.post(SESSION, { token: rig.token });
    expect([late.status, Number(late.headers['retry-after'])]).toEqual([429, expect.any(Number)]);
    const { json } = await rig.rpc('AuditList', { method: 'SignIn' }, { cookie });
    const outcomes = (json['records'] as { outcome: string; actor: string; via: string }[]).map(
      ({ outcome, actor, via }) => `${actor} ${via} ${outcome}`,
    );
    expect(outcomes.filter(text => text === ' console MSG_AUTH_DENIED')).toHaveLength(10);
    expect(outcomes.filter(text => text === 'ada console ok')).toHaveLength(1);
  });
});

describe('a session', () => {
  const reasonOf = async (rig: ConsoleRig, cookie: string): Promise<unknown> =>
    (await rig.send('GET', SESSION, { cookie })).json['reason'];

  it('ends when it is signed out, when its user is revoked and when its key is retired', async () => {
    const rig = await start();
    const out = await rig.signIn();
    expect((await rig.post(`${SESSION}/end`, undefined, { cookie: out })).status).toBe(204);
    expect(await reasonOf(rig, out)).toBe('signed-out');
    const revoked = await rig.signIn();
    await rig.msg.tokens.revokeUser('ada');
    expect(await reasonOf(rig, revoked)).toBe('revoked');
    const keyed = await rig.signIn(rig.msg.tokens.issueManagement('li').token);
    const { activeId } = rig.msg.keys;
    await rig.msg.keys.promote((await rig.msg.keys.generate()).id);
    await rig.msg.keys.retire(activeId);
    expect(await reasonOf(rig, keyed)).toBe('key');
  });

  it('has the scopes of its token, and no more than the highest role', async () => {
    const rig = await start({ console: { enabled: true, maxRole: 'viewer' } });
    const cookie = await rig.signIn();
    expect((await rig.rpc('WhoAmI', {}, { cookie })).json).toMatchObject({ role: 'viewer', subject: 'ada' });
    await rig.post(`${SESSION}/unlock`, undefined, { cookie });
    const answer = await rig.rpc('OpenPublic', { name: 'public:app.news' }, { cookie });
    expect([answer.status, answer.json['msg']]).toEqual([403, expect.stringContaining('role viewer')]);
  });
});

describe('without authentication', () => {
  it('the console answers this machine alone', async () => {
    const rig = await start({ noAuth: true });
    expect((await rig.send('GET', SESSION)).json).toMatchObject({
      signed_in: true,
      no_auth: true,
      role: 'admin',
    });
    expect((await rig.rpc('OpenPublic', { name: 'public:app.news' })).status).toBe(200);
    const elsewhere = await rig.send('GET', '/console/', { host: 'ops.example.com' });
    expect([elsewhere.status, metaOf(elsewhere)]).toEqual([
      403,
      { code: 'MSG_AUTH_DENIED', reason: 'no-auth' },
    ]);
  });
});

describe('options of the console', () => {
  it.each([
    [{ origin: 'ops.example.com' }, 'console.origin'],
    [{ origin: 'https://ops.example.com/?x' }, 'console.origin'],
    [{ sessionTtlMs: 1000 }, 'console.session_ttl'],
    [{ sessionTtlMs: 25 * 3_600_000 }, 'console.session_ttl'],
    [{ sessionIdleMs: 1000 }, 'console.session_idle'],
    [{ sessionTtlMs: 600_000, sessionIdleMs: 700_000 }, 'console.session_idle'],
    [{ maxRole: 'root' as never }, 'console.max_role'],
  ])('%j is refused at the start', async (options, key) => {
    await expect(ConsoleRig.start({ console: { enabled: true, ...options } })).rejects.toMatchObject({
      code: 'MSG_INVALID_ARGUMENT',
      message: expect.stringContaining(key),
    });
  });
});
