import { createServer } from 'node:net';
import type { MsgOptions } from '@msg/server';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  CLIENT_SECRET,
  CONSOLE_CLIENT,
  type IdentityProvider,
  startIdentityProvider,
} from '../support/identity-provider.ts';
import { ConsoleRig, cookieOf } from './console-rig.ts';
import { approvedPath, backTo, beginLogin, callBack, sessionCookie } from './login-steps.ts';

let provider: IdentityProvider;
let port: number;
const rigs: ConsoleRig[] = [];

beforeEach(async () => {
  port = await freePort();
  provider = await startIdentityProvider({ backs: [back(), `${back()}-other`] });
});
afterEach(async () => {
  for (const { msg } of rigs.splice(0)) await msg.stop();
  await provider.stop();
});

const back = (): string => backTo(port);

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise(resolve => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

function optionsOf(client: object = {}, more: MsgOptions = {}): MsgOptions {
  return {
    oidc: {
      issuer: provider.issuer,
      audience: 'another client',
      subjectClaim: 'email',
      roles: [
        { ifGroup: 'msg-admins', role: 'admin' },
        { ifGroup: 'msg-readers', role: 'viewer' },
      ],
    },
    console: {
      enabled: true,
      origin: `http://127.0.0.1:${port}`,
      oidc: { clientId: CONSOLE_CLIENT, clientSecret: CLIENT_SECRET, ...client },
    },
    ...more,
  };
}

async function start(options = optionsOf()): Promise<ConsoleRig> {
  const rig = await ConsoleRig.start(options, port);
  rigs.push(rig);
  return rig;
}

const BEGIN = '/console/login/oidc';

async function signInsOf(rig: ConsoleRig): Promise<string[]> {
  const { json } = await rig.rpc('AuditList', { method: 'SignIn' }, { cookie: await rig.signIn() });
  const records = json['records'] as { outcome: string; actor: string; via: string }[];
  return records.map(({ actor, via, outcome }) => `${actor} ${via} ${outcome}`);
}

describe('signing in at the identity provider', () => {
  it('asks for a code with PKCE, keeps a handle alone, and goes on at the page that was asked for', async () => {
    const rig = await start();
    const { address, cookie, set } = await beginLogin(rig, '/console/channels?q=shop');
    expect(set).toMatch(
      new RegExp(`^msg-console-login-${port}=[\\w-]{43}; HttpOnly; SameSite=Lax; Path=/; Max-Age=600$`),
    );
    expect(Object.fromEntries(address.searchParams)).toEqual({
      client_id: CONSOLE_CLIENT,
      response_type: 'code',
      response_mode: 'query',
      redirect_uri: back(),
      scope: 'openid email profile groups',
      state: expect.stringMatching(/^.{20,}$/),
      nonce: expect.stringMatching(/^.{20,}$/),
      code_challenge: expect.stringMatching(/^.{43}$/),
      code_challenge_method: 'S256',
    });
    const answer = await callBack(rig, await approvedPath(rig, address), cookie);
    expect([answer.status, answer.headers['refresh']]).toEqual([200, '0; url=/console/channels?q=shop']);
    expect(answer.headers['set-cookie']).toEqual([
      expect.stringMatching(new RegExp(`^msg-console-login-${port}=; .*Max-Age=0$`)),
      expect.stringMatching(
        new RegExp(`^msg-console-${port}=[\\w-]{43}; HttpOnly; SameSite=Strict; Path=/$`),
      ),
    ]);
    const session = sessionCookie(rig, answer) ?? '';
    const who = await rig.send('GET', '/console/session', { cookie: session });
    expect(who.json).toMatchObject({
      signed_in: true,
      subject: 'ada@example.com',
      role: 'admin',
      locked: true,
      oidc: true,
    });
    expect(await signInsOf(rig)).toContain('ada@example.com console ok');
  });

  it('gives the role of the groups, and no session to somebody without one', async () => {
    const rig = await start();
    const reader = await beginLogin(rig);
    const answer = await callBack(rig, await approvedPath(rig, reader.address, 'rob'), reader.cookie);
    const who = await rig.send('GET', '/console/session', { cookie: sessionCookie(rig, answer) ?? '' });
    expect(who.json).toMatchObject({ role: 'viewer', subject: 'rob@example.com' });
    const nobody = await beginLogin(rig);
    const refused = await callBack(rig, await approvedPath(rig, nobody.address, 'nil'), nobody.cookie);
    expect([refused.status, sessionCookie(rig, refused)]).toEqual([403, undefined]);
    expect(refused.text).toContain('the bearer has no role');
    expect(refused.text).toContain('auth.oidc.roles');
    expect(await signInsOf(rig)).toContain('nil@example.com console MSG_AUTH_DENIED');
  });

  it('ends when its user is revoked', async () => {
    const rig = await start();
    const { address, cookie } = await beginLogin(rig);
    const answer = await callBack(rig, await approvedPath(rig, address), cookie);
    await rig.msg.tokens.revokeUser('ada@example.com');
    const { json } = await rig.send('GET', '/console/session', { cookie: sessionCookie(rig, answer) ?? '' });
    expect(json).toMatchObject({ signed_in: false, reason: 'revoked' });
  });

  it('lasts longer than the ID token', async () => {
    const rig = await start();
    const { address, cookie } = await beginLogin(rig);
    const answer = await callBack(rig, await approvedPath(rig, address), cookie);
    const { json } = await rig.send('GET', '/console/session', { cookie: sessionCookie(rig, answer) ?? '' });
    const hours = (Date.parse(String(json['expires_at'])) - Date.now()) / 3_600_000;
    expect(hours).toBeGreaterThan(7.9);
  });
});

describe('an answer of the provider', () => {
  it.each<[string, (path: string, cookie: string) => readonly [path: string, cookie: string], string]>([
    ['without the cookie', path => [path, ''], 'this sign-in is not known'],
    ['with a cookie of nobody', path => [path, `msg-console-login-PORT=${'A'.repeat(43)}`], 'not known'],
    ['with two cookies', (path, cookie) => [path, `${cookie}; ${cookie}`], 'not known'],
    ['with another state', (path, cookie) => [path.replace(/state=./, 'state=~'), cookie], 'another sign-in'],
    ['with two states', (path, cookie) => [`${path}&state=x`, cookie], 'another sign-in'],
    ['without a state', (path, cookie) => [path.replace(/&?state=[^&]*/, ''), cookie], 'another sign-in'],
    [
      'of another issuer',
      (path, cookie) => [path.replace(/iss=[^&]*/, 'iss=https%3A%2F%2Fevil.example'), cookie],
      'is refused',
    ],
    ['with a changed code', (path, cookie) => [path.replace(/code=../, 'code=~~'), cookie], 'invalid_grant'],
    ['without a code', (path, cookie) => [path.replace(/code=[^&]*/, 'x=y'), cookie], 'is refused'],
  ])('%s begins no session', async (_what, change, words) => {
    const rig = await start();
    const { address, cookie } = await beginLogin(rig);
    const [path, sent] = change(await approvedPath(rig, address), cookie);
    const answer = await callBack(rig, path, sent.replace('PORT', String(port)));
    expect([answer.status, sessionCookie(rig, answer), answer.headers['refresh']]).toEqual([
      403,
      undefined,
      undefined,
    ]);
    expect(answer.text).toContain('You are not signed in');
    expect(answer.text).toContain(words);
    expect((await signInsOf(rig)).filter(text => text === ' console MSG_AUTH_DENIED')).toHaveLength(1);
  });

  it('counts once: a second one with the same code, or the same handle, begins no session', async () => {
    const rig = await start();
    const { address, cookie } = await beginLogin(rig);
    const path = await approvedPath(rig, address);
    expect((await callBack(rig, path, cookie)).status).toBe(200);
    const again = await callBack(rig, path, cookie);
    expect([again.status, sessionCookie(rig, again)]).toEqual([403, undefined]);
    // A stranger who saw the code has a handle of his own.
    const other = await beginLogin(rig);
    const code = new URL(path, back()).searchParams.get('code') ?? '';
    const forged = `/console/login/callback?code=${code}&state=${other.address.searchParams.get('state')}&iss=${encodeURIComponent(provider.issuer)}`;
    const stolen = await callBack(rig, forged, other.cookie);
    expect([stolen.status, sessionCookie(rig, stolen)]).toEqual([403, undefined]);
  });

  it('of a stranger does not replace the session of the victim', async () => {
    const rig = await start();
    const stranger = await beginLogin(rig);
    const path = await approvedPath(rig, stranger.address, 'rob');
    const victim = await rig.signIn();
    const answer = await callBack(rig, path, victim);
    expect([answer.status, sessionCookie(rig, answer)]).toEqual([403, undefined]);
    expect((await rig.send('GET', '/console/session', { cookie: victim })).json['subject']).toBe('ada');
  });

  it('ends a sign-in within ten minutes alone, and a session is a new one each time', async () => {
    const rig = await start();
    const first = await beginLogin(rig);
    const answer = await callBack(rig, await approvedPath(rig, first.address), first.cookie);
    const fixed = `msg-console-${port}=${'F'.repeat(43)}`;
    const second = await beginLogin(rig);
    const again = await callBack(rig, await approvedPath(rig, second.address), `${second.cookie}; ${fixed}`);
    expect(sessionCookie(rig, again)).not.toBe(fixed);
    expect(sessionCookie(rig, again)).not.toBe(sessionCookie(rig, answer));
    expect((await rig.send('GET', '/console/session', { cookie: fixed })).json['signed_in']).toBe(false);
  });

  it('that says no is shown with its word, as text', async () => {
    const rig = await start();
    const { address, cookie } = await beginLogin(rig);
    const state = address.searchParams.get('state') ?? '';
    const iss = encodeURIComponent(provider.issuer);
    const path = `/console/login/callback?error=${encodeURIComponent('<img src=x>')}&state=${state}&iss=${iss}`;
    const answer = await callBack(rig, path, cookie);
    expect(answer.status).toBe(403);
    expect(answer.text).toContain('refused the sign-in: &lt;img src=x&gt;');
    expect(answer.text).not.toContain('<img');
    expect(answer.text).not.toContain('<script');
  });

  it('that does not come is a page, too, and the next sign-in works', async () => {
    const rig = await start();
    const { address, cookie } = await beginLogin(rig);
    const path = await approvedPath(rig, address);
    provider.setDown(true);
    const answer = await callBack(rig, path, cookie);
    expect([answer.status, sessionCookie(rig, answer)]).toEqual([503, undefined]);
    expect(answer.text).toContain('does not answer as it should');
    provider.setDown(false);
    const next = await beginLogin(rig);
    expect((await callBack(rig, await approvedPath(rig, next.address), next.cookie)).status).toBe(200);
  });
});

describe('the page after signing in', () => {
  it.each([
    ['https://evil.example/console/', '/console/'],
    ['//evil.example/console/', '/console/'],
    ['/metrics', '/console/'],
    ['/console/../metrics', '/console/'],
    ['/console/login/oidc', '/console/'],
    ['/\\evil.example', '/console/'],
    ['javascript:alert(1)', '/console/'],
    ['/console/a\r\nset-cookie: x=y', '/console/aset-cookie:%20x=y'],
    ['users?q=a;b', '/console/users?q=a;b'],
  ])('%j leads to %s', async (goal, expected) => {
    const rig = await start();
    const { address, cookie } = await beginLogin(rig, goal);
    const { headers } = await callBack(rig, await approvedPath(rig, address), cookie);
    expect(headers['refresh']).toBe(`0; url=${expected}`);
  });
});

describe('a sign-in', () => {
  it('is not begun by a page of another origin, and not over plain HTTP from elsewhere', async () => {
    const rig = await start();
    for (const site of ['cross-site', 'same-site']) {
      const answer = await rig.send('GET', BEGIN, { 'sec-fetch-site': site });
      expect([answer.status, answer.headers['location'], cookieOf(answer)]).toEqual([403, undefined, '']);
    }
    const insecure = await rig.send('GET', BEGIN, { host: 'ops.example.com' });
    expect([insecure.status, insecure.headers['location']]).toEqual([403, undefined]);
  });

  it('is a page of the console where there is no client at the provider', async () => {
    const rig = await ConsoleRig.start({ console: { enabled: true } });
    rigs.push(rig);
    const answer = await rig.send('GET', BEGIN);
    expect([answer.status, answer.headers['location']]).toEqual([200, undefined]);
    expect((await rig.send('GET', '/console/session')).json['oidc']).toBe(false);
  });
});

describe('a server does not start', () => {
  const refusal = async (options: MsgOptions): Promise<string> =>
    ConsoleRig.start(options, port).then(
      async rig => {
        rigs.push(rig);
        return 'it started';
      },
      (error: unknown) => (error instanceof Error ? error.message : ''),
    );

  it('without what its client at the provider needs', async () => {
    const { oidc: _absent, ...without } = optionsOf();
    expect(await refusal(without)).toContain('console.oidc.client_id: needs auth.oidc.issuer');
    const { console: pages, ...rest } = optionsOf();
    const nowhere = { ...rest, console: { enabled: true, oidc: pages?.oidc ?? { clientId: '' } } };
    expect(await refusal(nowhere)).toContain('console.oidc.client_id: needs console.origin');
    expect(await refusal(optionsOf({ scope: 'email' }))).toContain('console.oidc.scope: must hold openid');
  });

  it.each(['authorization_endpoint', 'token_endpoint', 'code_challenge_methods_supported'])(
    'with a provider whose document has no %s',
    async name => {
      const options = optionsOf();
      const fetch: typeof globalThis.fetch = async (url, init) => {
        const answer = await globalThis.fetch(url, init);
        if (!String(url).includes('openid-configuration')) return answer;
        const { [name]: _removed, ...document } = (await answer.json()) as Record<string, unknown>;
        return Response.json(document);
      };
      const { oidc } = options;
      const changed = oidc === undefined ? options : { ...options, oidc: { ...oidc, fetch } };
      expect(await refusal(changed)).toContain(
        name === 'code_challenge_methods_supported' ? 'does not name S256' : `names no ${name}`,
      );
    },
  );
});
