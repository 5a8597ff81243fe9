import { expect } from 'vitest';
import { approveCode } from '../support/device-approval.ts';
import type { ConsoleRig, RawAnswer } from './console-rig.ts';

/** Where the provider sends the browser back to. */
export const backTo = (port: number): string => `http://127.0.0.1:${port}/console/login/callback`;

/** Begins a sign-in: the provider's address, and the cookie that a browser keeps. */
export async function beginLogin(
  rig: ConsoleRig,
  goal = '',
): Promise<{ readonly address: URL; readonly cookie: string; readonly set: string }> {
  const { status, headers } = await rig.send(
    'GET',
    `/console/login/oidc?return=${encodeURIComponent(goal)}`,
    ON_ITS_OWN,
  );
  expect(status).toBe(302);
  const [set = ''] = [headers['set-cookie'] ?? []].flat();
  return { address: new URL(String(headers['location'])), cookie: set.split(';')[0] ?? '', set };
}

/** The path that the provider sends the browser to. */
export async function approvedPath({ port }: ConsoleRig, address: URL, user = 'ada'): Promise<string> {
  const url = new URL(await approveCode(address.href, user, backTo(port)));
  return url.pathname + url.search;
}

/** The browser comes back. */
export const callBack = (rig: ConsoleRig, path: string, cookie: string): Promise<RawAnswer> =>
  rig.send('GET', path, { cookie, 'sec-fetch-site': 'cross-site', ...ON_ITS_OWN });

/** The cookie of a session that an answer sets; undefined without one. */
export function sessionCookie({ port }: ConsoleRig, answer: RawAnswer): string | undefined {
  const cookies = [answer.headers['set-cookie'] ?? []].flat();
  return cookies.find(text => text.startsWith(`msg-console-${port}=`))?.split(';')[0];
}

/** Each request has a connection of its own, so that it goes to any thread. */
const ON_ITS_OWN = { connection: 'close' };
