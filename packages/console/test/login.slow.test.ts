import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type IncomingHttpHeaders, request } from 'node:http';
import { createServer, type Server } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { closeServer, freePort, localhostCertificate } from '@msg/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  CLIENT_SECRET,
  CONSOLE_CLIENT,
  type IdentityProvider,
  startIdentityProvider,
} from '../../server/test/support/identity-provider.ts';
import { Service } from './service.ts';
import { Visit } from './visit.ts';

/** The console at `localhost` over TLS, the provider at `127.0.0.1`: two sites for a browser. */
let provider: IdentityProvider;
let service: Service;
let proxy: Server;
let visit: Visit;
/** What happens to the browser's way back from the provider. */
let onCallback: (headers: IncomingHttpHeaders) => void = () => {};
const folder = mkdtempSync(join(tmpdir(), 'msg-console-login-'));

beforeAll(async () => {
  const port = await freePort();
  const origin = `https://localhost:${port}`;
  provider = await startIdentityProvider({ backs: [`${origin}/console/login/callback`] });
  const config = join(folder, 'msg.json');
  const oidc = {
    issuer: provider.issuer,
    audience: 'another',
    subject_claim: 'email',
    roles: [
      { if_group: 'msg-admins', role: 'admin' },
      { if_group: 'msg-readers', role: 'viewer' },
    ],
  };
  writeFileSync(
    config,
    JSON.stringify({
      auth: { oidc },
      console: { enabled: 'on', origin, oidc: { client_id: CONSOLE_CLIENT } },
      observability: { trusted_proxies: ['127.0.0.1/32'] },
    }),
  );
  service = await Service.start({
    args: ['--config', config],
    env: { MSG_CONSOLE_OIDC_CLIENT_SECRET: CLIENT_SECRET },
  });
  const server = new URL(service.server.url);
  proxy = createServer(localhostCertificate(), (incoming, outgoing) => {
    const { method, url: path, headers } = incoming;
    const forwarded: IncomingHttpHeaders = { ...headers, 'x-forwarded-proto': 'https' };
    if (path?.includes('/login/callback?') === true) onCallback(forwarded);
    const onward = request({ host: server.hostname, port: server.port, method, path, headers: forwarded });
    onward.on('response', answer => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(onward);
  });
  await new Promise<void>(resolve => proxy.listen(port, resolve));
  visit = await Visit.start(origin, ['--ignore-certificate-errors']);
});
afterAll(async () => {
  await visit.stop();
  await closeServer(proxy);
  await service.stop();
  await provider.stop();
  rmSync(folder, { recursive: true });
});

/** Fills in the forms of the provider. */
async function approve(user: string): Promise<void> {
  const { page } = visit;
  await page.locator('input[name=login]').fill(user);
  await page.locator('input[name=password]').fill('anything');
  await page.locator('button[type=submit]').click();
  await page.getByText('Continue', { exact: true }).click();
}

const cookies = async (): Promise<unknown> =>
  (await visit.page.context().cookies(visit.url)).map(({ name, sameSite, secure, httpOnly }) => ({
    name,
    sameSite,
    secure,
    httpOnly,
  }));

describe('the button of the identity provider', () => {
  it('leads to the page that was asked for, signed in, from another site', async () => {
    await visit.open('channels?q=shop');
    const button = visit.page.getByRole('link', { name: 'Sign in with the identity provider' });
    await button.waitFor();
    expect(await visit.axeFaults()).toEqual([]);
    await button.click();
    await approve('rob');
    await visit.sees('rob@example.com');
    expect(visit.page.url()).toBe(`${visit.url}/console/channels?q=shop`);
    await visit.sees('viewer');
    expect(await cookies()).toEqual([
      { name: '__Host-msg-console', sameSite: 'Strict', secure: true, httpOnly: true },
    ]);
    expect(await visit.page.evaluate('document.cookie')).toBe('');
  });

  it('goes round again after signing out: the provider knows the person, and the session is a new one', async () => {
    const before = (await visit.page.context().cookies(visit.url))[0]?.value;
    await visit.button('Sign out').click();
    await visit.page.getByRole('link', { name: 'Sign in with the identity provider' }).click();
    await visit.sees('rob@example.com');
    expect((await visit.page.context().cookies(visit.url))[0]?.value).not.toBe(before);
  });
});

describe('a sign-in that fails', () => {
  it('shows cause and remedy on a page without scripts, accessible in both themes', async () => {
    for (const dark of [false, true]) {
      await visit.open('login/callback?code=of-a-stranger&state=of-a-stranger', { width: 390, dark });
      await visit.sees('this sign-in is not known');
      await visit.sees('within ten minutes');
      expect(await visit.page.locator('script').count()).toBe(0);
      expect(await visit.axeFaults()).toEqual([]);
      expect(await visit.sideways()).toBe(0);
    }
    await visit.page.setViewportSize({ width: 1440, height: 900 });
    await visit.page.getByRole('link', { name: 'Back to sign in' }).click();
    // The session of this browser is the one it was.
    await visit.sees('rob@example.com');
  });

  it('names the cause for a provider that does not answer, and for a lost cookie', async () => {
    const button = visit.page.getByRole('link', { name: 'Sign in with the identity provider' });
    await visit.button('Sign out').click();
    onCallback = () => provider.setDown(true);
    await button.click();
    await visit.sees('does not answer as it should');
    provider.setDown(false);
    await visit.page.getByRole('link', { name: 'Back to sign in' }).click();
    onCallback = headers => {
      headers.cookie = '';
    };
    await button.click();
    await visit.sees('this sign-in is not known');
    expect(await cookies()).toEqual([]);
  });
});
