import { METHODS, type RpcMethodName } from '@msg/core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  CHANNEL,
  MANAGEMENT,
  type Management,
  NARROW,
  nameOf,
  type Outcome,
  outcomeOf,
  REACHES,
  read,
  requestOf,
} from '../support/role-matrix.ts';
import { ConsoleRig, metaOf, type RawAnswer } from './console-rig.ts';

const NAMES = Object.keys(METHODS) as RpcMethodName[]; // the keys of the table

let rig: ConsoleRig;
let access: string;
/** The cookie of each caller: of a locked session, and of an unlocked one. */
const locked = new Map<string, string>();
const unlocked = new Map<string, string>();
let cells = 0;

beforeAll(async () => {
  rig = await ConsoleRig.start();
  for (const caller of MANAGEMENT) {
    const bounds = { role: caller.role, scopes: REACHES[caller.reach] };
    const { token } = rig.msg.tokens.issueManagement(`matrix-${nameOf(caller)}`, 0, bounds);
    locked.set(nameOf(caller), await rig.signIn(token));
    const cookie = await rig.signIn(token);
    expect((await rig.post('/console/session/unlock', undefined, { cookie })).status).toBe(204);
    unlocked.set(nameOf(caller), cookie);
  }
  const pair = await rig.msg.tokens.issueAccess({ subject: 'ann', scopes: NARROW, allowManage: true });
  access = pair.access_token;
  await rig.msg.channels.openPublic(CHANNEL);
});
afterAll(async () => {
  await rig.msg.stop();
  process.stdout.write(`role matrix of the console: ${cells} cells\n`);
});

function outcome({ status, json }: RawAnswer): Outcome {
  const code = (json['meta'] as Record<string, string> | undefined)?.['code']; // as the gateway answers
  return read({ status, body: json, code, headers: new Headers() });
}

async function call(name: RpcMethodName, headers: Record<string, string>): Promise<RawAnswer> {
  cells += 1;
  return rig.rpc(name, await requestOf(name, rig.msg), headers);
}

const cookieOf = (cookies: ReadonlyMap<string, string>, caller: Management): { cookie: string } => ({
  cookie: cookies.get(nameOf(caller)) ?? '',
});

describe('every method of the table, through the console', () => {
  test.each(NAMES)('%s, by a session that is unlocked', async name => {
    const answers: Record<string, Outcome> = {};
    const expected: Record<string, Outcome> = {};
    for (const caller of MANAGEMENT) {
      expected[nameOf(caller)] = outcomeOf(name, await requestOf(name, rig.msg), caller);
      answers[nameOf(caller)] = outcome(await call(name, cookieOf(unlocked, caller)));
    }
    expect(answers).toEqual(expected);
  });

  test.each(NAMES)('%s, by a session that is locked', async name => {
    const isWrite = METHODS[name].rights.effect === 'write';
    for (const caller of MANAGEMENT) {
      const answer = await call(name, cookieOf(locked, caller));
      if (isWrite)
        expect([answer.status, metaOf(answer)], nameOf(caller)).toEqual([
          403,
          { code: 'MSG_AUTH_DENIED', reason: 'locked' },
        ]);
      else expect(outcome(answer)).toBe(outcomeOf(name, await requestOf(name, rig.msg), caller));
    }
  });

  test.each(NAMES)('%s, without a session: no bearer counts here', async name => {
    const admin = rig.msg.tokens.issueManagement('matrix').token;
    for (const headers of [
      {},
      { authorization: `Bearer ${access}` },
      { authorization: `Bearer ${admin}` },
    ] as Record<string, string>[])
      expect(outcome(await call(name, headers))).toBe('unknown');
  });
});
