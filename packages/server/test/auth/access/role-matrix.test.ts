import { METHODS, type RpcMethodName } from '@msg/core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ApiCommandName, COMMAND_RIGHTS } from '#src/api/commands/rights.ts';
import { type Embedded, embed, stopEmbedded } from '../../support/embedded.ts';
import {
  CALLERS,
  type Caller,
  CHANNEL,
  MANAGEMENT,
  NARROW,
  nameOf,
  type Outcome,
  outcomeOf,
  RANK,
  REACHES,
  read,
  requestOf,
} from '../../support/role-matrix.ts';
import { post } from '../../support/rpc.ts';

let service: Embedded;
let access: string;
const bearers = new Map<string, string>();
const keys = new Map<string, string>();
let cells = 0;

beforeAll(async () => {
  const apiKeys = MANAGEMENT.map(caller => {
    const key = `key-of-${caller.role}-with-${caller.reach}-rights`;
    keys.set(nameOf(caller), key);
    return { name: `${caller.role}-${caller.reach}`, key, role: caller.role, grants: REACHES[caller.reach] };
  });
  service = await embed({ api: { enabled: true }, apiKeys, apiRpc: () => null, revocationStore: 'auto' });
  for (const caller of MANAGEMENT) {
    const bounds = { role: caller.role, scopes: REACHES[caller.reach] };
    bearers.set(nameOf(caller), service.msg.tokens.issueManagement('matrix', 0, bounds).token);
  }
  const pair = await service.msg.tokens.issueAccess({ subject: 'ann', scopes: NARROW, allowManage: true });
  access = pair.access_token;
  await service.msg.channels.openPublic(CHANNEL);
});
afterAll(async () => {
  await stopEmbedded();
  process.stdout.write(`role matrix: ${cells} cells\n`);
});

async function call(name: RpcMethodName, request: object, caller: Caller): Promise<Outcome> {
  cells += 1;
  const token = caller.kind === 'access' ? access : bearers.get(nameOf(caller));
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return read(await post(service.url, name, JSON.stringify(request), headers));
}

describe('every method of the table, for every caller', () => {
  test.each(Object.keys(METHODS) as RpcMethodName[])('%s', async name => {
    const found: Record<string, Outcome> = {};
    const expected: Record<string, Outcome> = {};
    for (const caller of CALLERS) {
      const request = await requestOf(name, service.msg);
      expected[nameOf(caller)] = outcomeOf(name, request, caller);
      found[nameOf(caller)] = await call(name, request, caller);
    }
    expect(found).toEqual(expected);
  });

  test('a request with a member that gives rights away needs the higher role', async () => {
    const raised = (Object.keys(METHODS) as RpcMethodName[]).filter(name => METHODS[name].rights.raised);
    expect(raised).toEqual(['CreatePrivate']);
    const request = {
      name: 'public:matrix.b',
      scopes: [{ pattern: 'public:matrix.b', verbs: ['subscribe'] }],
    };
    for (const caller of MANAGEMENT) {
      expect(await call('CreatePrivate', request, caller), nameOf(caller)).toBe(
        outcomeOf('CreatePrivate', request, caller),
      );
    }
  });
});

/** The smallest members with which a command gets as far as its rights. */
const MEMBERS: Readonly<Record<ApiCommandName, object>> = {
  publish: { channel: CHANNEL, data: 1 },
  broadcast: { channels: [CHANNEL], data: 1 },
  subscribe: { user: 'nobody', channel: CHANNEL },
  unsubscribe: { user: 'nobody', channel: CHANNEL },
  disconnect: { user: 'nobody' },
  refresh: { user: 'nobody' },
  presence: { channel: CHANNEL },
  presence_stats: { channel: CHANNEL },
  history: { channel: CHANNEL },
  history_remove: { channel: CHANNEL },
  channels: {},
  info: {},
  revoke_token: { uid: 'none' },
  invalidate_user_tokens: { user: 'nobody' },
  rpc: { method: 'stock' },
};
/** Commands that need every channel. */
const OF_SERVICE: readonly string[] = [
  'disconnect',
  'refresh',
  'info',
  'revoke_token',
  'invalidate_user_tokens',
  'rpc',
];

describe('every command of the HTTP API, for every caller', () => {
  test.each(Object.entries(MEMBERS))('%s', async (name, members) => {
    const { role } = COMMAND_RIGHTS[name as ApiCommandName];
    for (const caller of CALLERS) {
      cells += 1;
      const key = keys.get(nameOf(caller)) ?? (caller.kind === 'access' ? access : undefined);
      const answer = await fetch(`${service.url}/api/${name}`, {
        method: 'POST',
        headers: key === undefined ? {} : { 'x-api-key': key },
        body: JSON.stringify(members),
      });
      const isDenied = (await answer.text()).includes('"code":103');
      const isRefused =
        caller.kind === 'management' &&
        (RANK[caller.role] < RANK[role ?? 'admin'] ||
          (caller.reach === 'narrow' && OF_SERVICE.includes(name)));
      expect([answer.status, isDenied], nameOf(caller)).toEqual(
        caller.kind === 'management' ? [200, isRefused] : [401, false],
      );
    }
  });

  test('each command of a batch is decided about by itself', async () => {
    const answer = await fetch(`${service.url}/api/batch`, {
      method: 'POST',
      headers: { 'x-api-key': keys.get('viewer (whole)') ?? '' },
      body: JSON.stringify({
        commands: [{ presence_stats: MEMBERS.presence }, { publish: MEMBERS.publish }],
      }),
    });
    const { replies } = (await answer.json()) as { replies: Record<string, { code?: number }>[] };
    expect(replies.map(reply => reply['error']?.code ?? 0)).not.toContain(0);
    expect(replies[1]).toMatchObject({ error: { code: 103 } });
  });
});

describe('the columns of the tables', () => {
  test('name members that a request or an answer has', () => {
    for (const name of Object.keys(METHODS) as RpcMethodName[]) {
      const { rights, request, response } = METHODS[name];
      const has = (field: unknown, path: string): boolean => {
        const schema = (field as { schema(use: object): { properties?: object } }).schema({});
        return (path.split('.')[0] ?? '') in (schema.properties ?? {});
      };
      const { target, detail } = rights;
      if (target !== undefined)
        expect(has(target.ofAnswer ? response : request, target.member), `${name} ${target.member}`).toBe(
          true,
        );
      for (const member of detail)
        expect(has(request, member) || has(response, member), `${name} ${member}`).toBe(true);
    }
  });

  test('what changes something is audited, or the traffic of backends; what reads is not', () => {
    for (const { rights } of Object.values(METHODS))
      expect(rights.audited === 'never').toBe(rights.effect === 'read');
  });

  test('no record has a secret or a payload', () => {
    const never = ['token', 'refresh_token', 'data', 'json', 'body', 'message', 'recipient', 'key', 'scopes'];
    const rows = [
      ...Object.entries(METHODS).map(([name, { rights }]) => ({ name, ...rights })),
      ...Object.values(COMMAND_RIGHTS).map(rights => ({ name: '', ...rights })),
    ];
    for (const { name, detail } of rows) {
      const told = detail.filter(member => never.includes(member));
      // There it is the id of the message.
      expect(told).toEqual(name === 'AppendCancel' ? ['message'] : []);
    }
  });
});
