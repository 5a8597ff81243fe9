import { freePort } from '@msg/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ConsoleRig } from '../../console/console-rig.ts';
import { approvedPath, backTo, beginLogin, callBack, sessionCookie } from '../../console/login-steps.ts';
import {
  CLIENT_SECRET,
  CONSOLE_CLIENT,
  type IdentityProvider,
  startIdentityProvider,
} from '../../support/identity-provider.ts';

let provider: IdentityProvider;
let rig: ConsoleRig;
beforeAll(async () => {
  const port = await freePort();
  provider = await startIdentityProvider({ backs: [backTo(port)] });
  const options = {
    threads: 3,
    oidc: {
      issuer: provider.issuer,
      audience: 'another client',
      subjectClaim: 'email',
      roles: [{ ifGroup: 'msg-admins', role: 'admin' as const }],
    },
    console: {
      enabled: true,
      origin: `http://127.0.0.1:${port}`,
      oidc: { clientId: CONSOLE_CLIENT, clientSecret: CLIENT_SECRET },
    },
  };
  rig = await ConsoleRig.start(options, port);
});
afterAll(async () => {
  await rig.msg.stop();
  await provider.stop();
});

test('an operator signs in at the identity provider, whichever thread begins and whichever one ends it', async () => {
  for (let round = 0; round < 6; round++) {
    const { address, cookie } = await beginLogin(rig, '/console/channels');
    const answer = await callBack(rig, await approvedPath(rig, address), cookie);
    expect([answer.status, answer.headers['refresh']]).toEqual([200, '0; url=/console/channels']);
    const session = sessionCookie(rig, answer) ?? '';
    for (let request = 0; request < 3; request++) {
      const who = await rig.send('GET', '/console/session', { cookie: session, connection: 'close' });
      expect(who.json).toMatchObject({
        signed_in: true,
        subject: 'ada@example.com',
        role: 'admin',
        oidc: true,
      });
    }
    // The handle counts once, on all threads.
    const again = await callBack(rig, '/console/login/callback?code=x&state=y', cookie);
    expect(again.status).toBe(403);
    expect(again.text).toContain('this sign-in is not known');
  }
});

test('refusals of main arrive as they are: cause, remedy and status', async () => {
  const { address, cookie } = await beginLogin(rig);
  const path = await approvedPath(rig, address);
  const forged = await callBack(rig, path.replace(/state=./, 'state=~'), cookie);
  expect([forged.status, sessionCookie(rig, forged)]).toEqual([403, undefined]);
  expect(forged.text).toContain('another sign-in than the one that this browser began');
  expect(forged.text).toContain('within ten minutes');

  const nobody = await beginLogin(rig);
  const refused = await callBack(rig, await approvedPath(rig, nobody.address, 'nil'), nobody.cookie);
  expect(refused.status).toBe(403);
  expect(refused.text).toContain('auth.oidc.roles');

  const late = await beginLogin(rig);
  const back = await approvedPath(rig, late.address);
  provider.setDown(true);
  const unreachable = await callBack(rig, back, late.cookie);
  provider.setDown(false);
  expect(unreachable.status).toBe(503);
  expect(unreachable.text).toContain('the identity provider does not answer as it should');
});
