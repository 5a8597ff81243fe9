import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@msg/foundation/clock';
import { MemoryRevocationStore, Msg } from '@msg/server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { COMMANDS } from '#src/cli/program.ts';
import { runCli } from '../support/cli-io.ts';
import { errorLine } from '../support/error-lines.ts';
import { againstDocument, recordCalls } from '../support/openapi.ts';

interface Case {
  /** A command line that works; `{name}` is replaced from the set-up. */
  readonly line: readonly string[];
  readonly type: string;
  readonly payload: object;
  /** A command line that is refused, and with what. */
  readonly bad: readonly [line: readonly string[], error: string];
}

const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/);
const KEY = expect.stringMatching(/^k-[0-9a-f]{12}$/);
const API_KEY = expect.stringMatching(/^msgk_[a-z2-7]{8}_[\w-]{43}$/);
const ROOM = 'public:cli.room';
/** It is closed at the end. */
const CLOSING = 'public:cli.closing';

/** What each command that asks the service answers, by name. Commands with sinks have a suite of their own. */
const CASES: Readonly<Record<string, Case>> = {
  'api-keys create': {
    line: ['cli', '--scope', 'public:cli.**', '--verb', 'publish'],
    type: 'msg.api_key.created',
    payload: { name: 'cli', key: API_KEY, id: expect.stringMatching(/^[a-z2-7]{8}$/) },
    bad: [['Cli'], 'MSG_INVALID_ARGUMENT'],
  },
  'api-keys list': {
    line: [],
    type: 'msg.api_keys.list',
    payload: { keys: [{ name: 'cli', grants: [{ pattern: 'public:cli.**', verbs: ['publish'] }] }] },
    bad: [['extra'], 'MSG_INVALID_ARGUMENT'],
  },
  'api-keys rotate': {
    line: ['cli', '--overlap', '1h'],
    type: 'msg.api_key.rotated',
    payload: { name: 'cli', key: API_KEY },
    bad: [['unknown'], 'MSG_INVALID_ARGUMENT'],
  },
  'api-keys revoke': {
    line: ['cli'],
    type: 'msg.api_key.revoked',
    payload: { name: 'cli' },
    bad: [['unknown'], 'MSG_INVALID_ARGUMENT'],
  },
  'schemas register': {
    line: ['--data', '{"pattern":"cli.*"}'],
    type: 'msg.schemas.register',
    payload: { schema: { pattern: 'cli.*', version: 1, aspects: {} } },
    bad: [['--data', '{}'], 'MSG_INVALID_ARGUMENT'],
  },
  'schemas update': {
    line: ['--data', '{"pattern":"cli.*","aspects":{"new":{}}}'],
    type: 'msg.schemas.update',
    payload: {
      schema: { version: 2 },
      compatible: true,
      changes: [{ path: 'aspects.new', kind: 'additive', text: 'the aspect is new' }],
    },
    bad: [['--data', '{"pattern":"cli.unknown"}'], 'MSG_CHANNEL_NOT_FOUND'],
  },
  'schemas check': {
    line: ['--data', '{"pattern":"cli.*"}'],
    type: 'msg.schemas.check',
    payload: { compatible: false, changes: [{ path: 'aspects.new', kind: 'breaking' }] },
    bad: [['--data', 'nonsense'], 'MSG_INVALID_ARGUMENT'],
  },
  'schemas get': {
    line: ['cli.*'],
    type: 'msg.schemas.get',
    payload: { schema: { version: 2 }, history: [{ version: 1 }, { version: 2 }] },
    bad: [['cli.unknown'], 'MSG_CHANNEL_NOT_FOUND'],
  },
  'schemas list': {
    line: [],
    type: 'msg.schemas.list',
    payload: { patterns: [{ pattern: 'cli.*', version: 2 }], at: TIME },
    bad: [['extra'], 'MSG_INVALID_ARGUMENT'],
  },
  'schemas deregister': {
    line: ['cli.*'],
    type: 'msg.schemas.deregister',
    payload: {},
    bad: [['cli.unknown'], 'MSG_CHANNEL_NOT_FOUND'],
  },
  'channels open': {
    line: [ROOM, '--ttl', '1h'],
    type: 'msg.channel.open',
    payload: { name: ROOM, state: 'open', ttl: '1h0m0s', ttl_seconds: 3600, created_at: TIME },
    bad: [['private:cli.room.1'], 'MSG_CHANNEL_INVALID'],
  },
  'channels create': {
    line: ['private:cli.new.1', '-s', 'u-9', '--scope', 'private:cli.new.1.*', '--verb', 'publish'],
    type: 'msg.channel.credentials',
    payload: {
      name: 'private:cli.new.1',
      access_token: expect.stringMatching(/^ey/),
      refresh_token: expect.stringMatching(/^ey/),
      access_expires_unix: expect.any(Number),
      refresh_expires_unix: expect.any(Number),
    },
    bad: [['private:cli.new.2', '--ttl', '61m'], 'MSG_CHANNEL_TTL_EXCEEDS_MAX'],
  },
  'channels list': {
    line: [],
    type: 'msg.channels.list',
    payload: { channels: expect.arrayContaining([expect.objectContaining({ name: ROOM })]) },
    bad: [['extra'], 'MSG_INVALID_ARGUMENT'],
  },
  'channels get': {
    line: [ROOM],
    type: 'msg.channel.get',
    payload: {
      name: ROOM,
      state: 'open',
      options: expect.arrayContaining([{ name: 'history_size', value: 100, pattern: '' }]),
    },
    bad: [['public:cli.unknown'], 'MSG_CHANNEL_NOT_FOUND'],
  },
  'channels presence': {
    line: [ROOM],
    type: 'msg.channel.presence',
    payload: { channel: ROOM, subscribers: 0 },
    bad: [['public:cli.unknown'], 'MSG_CHANNEL_NOT_FOUND'],
  },
  'channels delete': {
    line: ['public:cli.doomed'],
    type: 'msg.channel.deleted',
    payload: { channel: 'public:cli.doomed' },
    bad: [['nonsense'], 'MSG_CHANNEL_INVALID'],
  },
  publish: {
    line: [ROOM, '--data=hello'],
    type: 'msg.publish.ack',
    payload: { offset: 1, epoch: expect.any(String), suppressed: false },
    bad: [[ROOM, '--json', '-d', '{x'], 'MSG_INVALID_ARGUMENT'],
  },
  'publish-many': {
    line: ['--file', '{items}'],
    type: 'msg.publish.many',
    payload: { lines: 2, sent_up_to: 3, published: 2, suppressed: 0, failed: [] },
    bad: [['--file', '{url}'], 'MSG_INVALID_ARGUMENT'],
  },
  broadcast: {
    line: [ROOM, ROOM, '--json', '--volatile', '-d', '1.0'],
    type: 'msg.publish.broadcast',
    payload: {
      results: [
        { name: ROOM, offset: 0, epoch: '', suppressed: false, error: null },
        { name: ROOM, offset: 0, epoch: '', suppressed: false, error: null },
      ],
    },
    bad: [[ROOM, '-d', 'x', '-f', 'y'], 'MSG_INVALID_ARGUMENT'],
  },
  'channels position': {
    line: [ROOM],
    type: 'msg.channel.position',
    payload: { channel: ROOM, offset: 3, epoch: expect.stringMatching(/./) },
    bad: [['public:cli.unknown'], 'MSG_CHANNEL_NOT_FOUND'],
  },
  'channels clear-history': {
    line: [ROOM],
    type: 'msg.channel.history_cleared',
    payload: { channel: ROOM },
    bad: [['nonsense'], 'MSG_CHANNEL_INVALID'],
  },
  'tokens refresh': {
    line: ['{refreshToken}'],
    type: 'msg.token.refreshed',
    payload: {
      access_token: expect.stringMatching(/^ey/),
      expires_at: TIME,
      refresh_token: expect.stringMatching(/^ey/),
      rotated: true,
      refresh_expires_unix: expect.any(Number),
    },
    bad: [['nonsense'], 'MSG_AUTH_DENIED'],
  },
  'tokens issue': {
    line: ['u-9', '--scope', 'private:cli.*.*', '--verb', 'subscribe', '--session-ttl', '2h'],
    type: 'msg.token.access',
    payload: {
      name: '',
      access_token: expect.stringMatching(/^ey/),
      refresh_token: expect.stringMatching(/^ey/),
      access_expires_unix: expect.any(Number),
      refresh_expires_unix: expect.any(Number),
    },
    bad: [['u-9', '--scope', 'private:cli.*.*', '--verb', 'manage'], 'MSG_INVALID_ARGUMENT'],
  },
  'tokens mgmt': {
    line: ['--subject', 'deploy', '--ttl', '30m'],
    type: 'msg.token.mgmt',
    payload: {
      mgmt_token: expect.stringMatching(/^ey/),
      expires_at: TIME,
      expires_unix: expect.any(Number),
      signed_by_key_id: KEY,
    },
    bad: [['--ttl', 'soon'], 'MSG_INVALID_ARGUMENT'],
  },
  'tokens revoke': {
    line: ['jti-1', '-u', 'u-1', '-r', 'leaked'],
    type: 'msg.token.revoked',
    payload: { token_id: 'jti-1', user_id: 'u-1', reason: 'leaked' },
    bad: [[''], 'MSG_INVALID_ARGUMENT'],
  },
  'tokens revoke-user': {
    line: ['u-77'],
    type: 'msg.token.user_revoked',
    payload: { user_id: 'u-77' },
    bad: [[''], 'MSG_INVALID_ARGUMENT'],
  },
  'keys list': {
    line: [],
    type: 'msg.keys.list',
    payload: {
      active_key_id: KEY,
      keys: expect.arrayContaining([expect.objectContaining({ role: 'active' })]),
    },
    bad: [['--state-dir', '/tmp'], 'MSG_INVALID_ARGUMENT'],
  },
  'keys usage': {
    line: [],
    type: 'msg.keys.usage',
    payload: { keys: expect.arrayContaining([expect.objectContaining({ verdict: 'active' })]) },
    bad: [['extra'], 'MSG_INVALID_ARGUMENT'],
  },
  'keys generate': {
    line: [],
    type: 'msg.key.generated',
    payload: { id: KEY, kid: KEY, role: 'verify-only', alg: 'HS256', created_at: TIME },
    bad: [['--alg', 'none'], 'MSG_INVALID_ARGUMENT'],
  },
  'keys promote': {
    line: ['{spareKey}'],
    type: 'msg.key.promoted',
    payload: { id: KEY },
    bad: [['k-unknown'], 'MSG_INVALID_ARGUMENT'],
  },
  'keys retire': {
    line: ['{oldKey}', '--notify', 'http://127.0.0.1:1/', '--notify', '{url}', '--notify', '{url}/twirp/x'],
    type: 'msg.key.retired',
    payload: {
      id: KEY,
      notified: [
        { url: 'http://127.0.0.1:1/', ok: false, error: 'no answer' },
        { url: expect.stringMatching(/^http/), ok: true, status: 200 },
        { url: expect.stringMatching(/x$/), ok: false, status: 404, error: expect.stringMatching(/^MSG_/) },
      ],
    },
    bad: [['k-unknown'], 'MSG_INVALID_ARGUMENT'],
  },
  'keys reload': {
    line: [],
    type: 'msg.keys.reloaded',
    payload: { ok: true },
    bad: [['extra'], 'MSG_INVALID_ARGUMENT'],
  },
  'authz explain': {
    line: ['private:cli.kept.1', 'subscribe', '{accessToken}'],
    type: 'msg.authz.explained',
    payload: {
      allowed: true,
      code: '',
      decided_by: 'chs',
      detail: expect.any(String),
      channel_state: 'open',
    },
    bad: [[ROOM, 'read'], 'MSG_INVALID_ARGUMENT'],
  },
  whoami: {
    line: [],
    type: 'msg.whoami',
    payload: { role: 'admin', source: 'key', scopes: [] },
    bad: [['extra'], 'MSG_INVALID_ARGUMENT'],
  },
  'channels touch': {
    line: [CLOSING],
    type: 'msg.channel.touched',
    payload: { name: CLOSING, state: 'open' },
    bad: [['public:cli.none'], 'MSG_CHANNEL_NOT_FOUND'],
  },
  'channels close': {
    line: [CLOSING],
    type: 'msg.channel.closed',
    payload: { name: CLOSING, state: 'closed' },
    bad: [['private:cli.kept.1'], 'MSG_CHANNEL_INVALID'],
  },
  'channels history': {
    line: [CLOSING, '--limit', '1'],
    type: 'msg.channel.history',
    payload: { channel: CLOSING, kept: true },
    bad: [[CLOSING, '--limit', '201'], 'MSG_INVALID_ARGUMENT'],
  },
  'channels presence-list': {
    line: ['private:cli.kept.1'],
    type: 'msg.channel.presence_list',
    payload: { channel: 'private:cli.kept.1', entries: [], total: 0 },
    bad: [['private:cli.kept.1', '--limit', '201'], 'MSG_INVALID_ARGUMENT'],
  },
  'connections list': {
    line: ['--sort', 'user', '--address', '10.0.0.0/8'],
    type: 'msg.connections.list',
    payload: { connections: [], total: 0, next_cursor: '', missing_nodes: [] },
    bad: [['--address', 'host'], 'MSG_INVALID_ARGUMENT'],
  },
  'connections unsubscribe': {
    line: [CLOSING, '--all'],
    type: 'msg.connection.unsubscribed',
    payload: { unsubscribed: 0 },
    bad: [[CLOSING], 'MSG_INVALID_ARGUMENT'],
  },
  'connections disconnect': {
    line: ['--user', 'nobody'],
    type: 'msg.connection.disconnected',
    payload: { disconnected: 0 },
    bad: [['--user', 'a', '--client', 'b'], 'MSG_INVALID_ARGUMENT'],
  },
  'feeds open': {
    line: ['stats'],
    type: 'msg.feed',
    payload: {
      feed: expect.stringMatching(/^[a-z2-7]{26}$/),
      channel: expect.stringMatching(/^private:msg\.console\./),
      access_token: expect.stringMatching(/^ey/),
      access_expires_unix: expect.any(Number),
    },
    bad: [['weather'], 'MSG_INVALID_ARGUMENT'],
  },
  'users list': {
    line: ['none-'],
    type: 'msg.users.list',
    payload: { users: [], total: 0 },
    bad: [['--limit', '201'], 'MSG_INVALID_ARGUMENT'],
  },
  'nodes list': {
    line: [],
    type: 'msg.nodes.list',
    payload: { nodes: [{ ready: true, phase: 'running', rates: { seconds: 0 } }], missing_nodes: [] },
    bad: [['extra'], 'MSG_INVALID_ARGUMENT'],
  },
  'config running': {
    line: [],
    type: 'msg.config.running',
    payload: {
      settings: expect.arrayContaining([expect.objectContaining({ key: 'stateDir', source: 'embedder' })]),
    },
    bad: [['extra'], 'MSG_INVALID_ARGUMENT'],
  },
  'audit list': {
    line: ['--method', 'OpenPublic', '--limit', '1'],
    type: 'msg.audit.list',
    payload: { records: [{ method: 'OpenPublic', outcome: 'ok' }], missing_nodes: [] },
    bad: [['--limit', '501'], 'MSG_INVALID_ARGUMENT'],
  },
  manifest: {
    line: [],
    type: 'msg.manifest',
    payload: { service: 'msg', deny_supported: true },
    bad: [['--nonsense'], 'MSG_INVALID_ARGUMENT'],
  },
};

const CHECKED_ELSEWHERE = /^(dlq |publish-or-sink$|connections get$|recordings |feeds (?!open))/;

let folder: string;
let server: Server;
let stop: () => Promise<void>;
let env: Record<string, string>;
const facts: Record<string, string> = {};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'msg-commands-'));
  const msg = await Msg.create({
    stateDir: folder,
    revocationStore: new MemoryRevocationStore(systemClock),
  });
  server = createServer(msg.handler());
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const controller = new AbortController();
  const ended = msg.run(controller.signal);
  await msg.ready();
  stop = async () => {
    controller.abort();
    await ended;
    server.closeAllConnections();
    await new Promise(resolve => server.close(resolve));
  };
  await msg.channels.openPublic('public:cli.doomed');
  const kept = await msg.channels.createPrivate({ name: 'private:cli.kept.1' });
  facts['refreshToken'] = (await msg.channels.createPrivate({ name: 'private:cli.kept.2' })).refresh_token;
  facts['accessToken'] = kept.access_token;
  facts['spareKey'] = (await msg.keys.generate()).id;
  facts['oldKey'] = (await msg.keys.generate()).id;
  facts['items'] = join(folder, 'items.ndjson');
  const item = JSON.stringify({ name: ROOM, json: 1 });
  await writeFile(facts['items'], `${item}\n\n${item}\n`);
  await msg.channels.openPublic(CLOSING);
  facts['url'] = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // a bound TCP server
  env = { MSG_SERVER: facts['url'], MSG_TOKEN: msg.tokens.issueManagement().token };
});
afterAll(async () => {
  await stop();
  await rm(folder, { recursive: true, force: true });
});

const filled = (line: readonly string[]) =>
  line.map(word => word.replace(/\{(\w+)\}/g, (_match, name: string) => facts[name] ?? ''));

const { calls, recordingFetch } = recordCalls();

const named = Object.entries(CASES);
const run = (name: string, line: readonly string[], extra: Record<string, string> = {}) =>
  runCli([...name.split(' '), ...filled(line)], { env: { ...env, ...extra }, fetch: recordingFetch });

describe('commands that ask the service', () => {
  test('are all in the table', () => {
    const names = COMMANDS.filter(
      ({ method, name }) =>
        method !== undefined && !CHECKED_ELSEWHERE.test(name) && !/^(append$|streams )/.test(name),
    );
    expect(names.map(({ name }) => name).toSorted()).toEqual(Object.keys(CASES).toSorted());
  });

  test.each(named)('%s prints one envelope', async (name, { line, type, payload }) => {
    const { code, stderr, stdout, envelope } = await run(name, line);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(envelope).toMatchObject({
      code: 'OK',
      type,
      kind: type,
      format_version: '1.0',
      generated_at: TIME,
      payload,
    });
    expect(stdout).toBe(`${JSON.stringify(envelope, null, 2)}\n`);
  });

  test.each(named)('%s refuses bad input with a code', async (name, { bad: [line, error] }) => {
    const { code, stderr, stdout } = await run(name, line);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(errorLine(stderr)).toMatch(new RegExp(`^error: ${error}: .`));
  });

  test.each(named)('%s tells a server that cannot be reached', async (name, { line }) => {
    const { code, stderr, stdout } = await run(name, line, { MSG_SERVER: 'http://127.0.0.1:1' });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(errorLine(stderr)).toBe('error: MSG_BROKER_NOT_READY: no answer from http://127.0.0.1:1');
  });

  test.each(named.filter(([name]) => name !== 'manifest' && name !== 'tokens refresh'))(
    '%s without a bearer is denied',
    async (name, { line }) => {
      const { code, stderr, stdout } = await run(name, line, { MSG_TOKEN: '' });
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(errorLine(stderr)).toBe('error: MSG_AUTH_DENIED: missing bearer token');
    },
  );
});

test('every request and answer is as the OpenAPI document says', () => {
  expect(calls.filter(({ status }) => status === 200).length).toBeGreaterThan(20);
  expect(calls.filter(({ status }) => status >= 400).length).toBeGreaterThan(20);
  for (const call of calls) expect(againstDocument(call), JSON.stringify(call)).toEqual([]);
});

test('public calls carry no bearer, even where there is one', async () => {
  const bearers: (string | null)[] = [];
  const fetch: typeof globalThis.fetch = async (_url, init) => {
    bearers.push(new Headers(init?.headers).get('authorization'));
    return Response.json({});
  };
  await runCli(['tokens', 'refresh', 'x', '--token', 't'], { fetch });
  await runCli(['manifest', '--token', 't'], { fetch });
  await runCli(['channels', 'list', '--token', 't'], { fetch });
  expect(bearers).toEqual([null, null, 'Bearer t']);
});

/** The request that a command line sends, or what it says instead. */
async function requestOf(...line: string[]): Promise<Record<string, unknown> | string> {
  let body: unknown;
  const fetch: typeof globalThis.fetch = async (_url, init) => {
    body = JSON.parse(String(init?.body));
    return Response.json({});
  };
  const { code, stderr } = await runCli(line, { fetch });
  return code === 0 ? (body as Record<string, unknown>) : stderr; // as the client wrote it
}

describe('publish', () => {
  const sent = (...line: string[]) => requestOf('publish', ROOM, '--data=x', ...line);

  test('sends tags and the idempotency key where they are given', async () => {
    expect(await sent('--tag', 'carrier=dhl', '--tag', 'note=a=b', '--idempotency-key', 'o-7')).toMatchObject(
      {
        tags: { carrier: 'dhl', note: 'a=b' },
        idempotency_key: 'o-7',
      },
    );
    const plain = await sent();
    expect(plain).not.toHaveProperty('tags');
    expect(plain).not.toHaveProperty('idempotency_key');
  });

  test('refuses a tag in another form', async () => {
    expect(await sent('--tag', 'dhl')).toMatch(
      /^error: MSG_INVALID_ARGUMENT: --tag must be name=value; got "dhl"/,
    );
  });
});

describe('channels presence', () => {
  test('says who with --list, and pages a list only', async () => {
    const { envelope } = await run('channels presence', [ROOM, '--list', '--limit', '1']);
    expect(envelope).toMatchObject({
      type: 'msg.channel.presence_list',
      payload: { channel: ROOM, entries: [], total: 0 },
    });
    const { code, stderr } = await run('channels presence', [ROOM, '--limit', '1']);
    expect(code).toBe(1);
    expect(errorLine(stderr)).toMatch(/^error: MSG_INVALID_ARGUMENT: .*--list/);
  });
});

describe('channels create', () => {
  const sent = (...line: string[]) => requestOf('channels', 'create', 'private:a.b.1', ...line);

  test('sends scopes and deny scopes with their verbs', async () => {
    expect(await sent('--scope', 'private:a.**')).toMatchObject({
      ttl_seconds: 0,
      scopes: [{ pattern: 'private:a.**', verbs: ['subscribe'], deny: false }],
    });
    const line = ['--scope', 'private:a.**', '--scope=public:a.**', '--verb', 'publish', '--verb', 'manage'];
    expect(await sent(...line, '--deny-scope', 'private:a.b.2')).toMatchObject({
      scopes: [
        { pattern: 'private:a.**', verbs: ['publish', 'manage'], deny: false },
        { pattern: 'public:a.**', verbs: ['publish', 'manage'], deny: false },
        { pattern: 'private:a.b.2', verbs: ['publish', 'manage'], deny: true },
      ],
    });
    expect(await sent('--deny-scope', 'private:a.b.2', '--deny-verb', 'publish')).toMatchObject({
      scopes: [{ pattern: 'private:a.b.2', verbs: ['publish'], deny: true }],
    });
  });

  test('rounds the TTL away from zero, so that no request means the default', async () => {
    expect(await sent('--ttl', '1500ms')).toMatchObject({ ttl_seconds: 2 });
    expect(await sent('--ttl=-200ms')).toMatchObject({ ttl_seconds: -1 });
  });

  test('asks for reuse only where that is wished, and an older service need not know it', async () => {
    expect(await sent()).not.toHaveProperty('if_exists');
    expect(await sent('--if-exists', 'reuse')).toMatchObject({ if_exists: 'reuse', ttl_seconds: 0 });
    expect(await sent('--if-exists', 'never')).toMatch(/^error: MSG_INVALID_ARGUMENT: /);
  });

  test('refuses verbs that belong to no scope', async () => {
    expect(await sent('--verb', 'publish')).toMatch(/^error: MSG_INVALID_ARGUMENT: --verb needs/);
    expect(await sent('--scope', 'private:a.**', '--deny-verb', 'publish')).toMatch(/--deny-verb needs/);
  });
});

describe('tokens inspect', () => {
  const inspect = (args: readonly string[], stdin = '') =>
    runCli(['tokens', 'inspect', ...filled(args)], { stdin });

  test('decodes a token without a server and works out its rights', async () => {
    const { code, envelope, stdout } = await inspect([
      '{accessToken}',
      '--channel=private:cli.kept.1',
      '--channel=public:a.b',
    ]);
    expect(code).toBe(0);
    const allowed = (decided_by: string) => ({ allowed: true, decided_by });
    const none = { allowed: false, decided_by: 'none' };
    expect(envelope).toMatchObject({
      type: 'msg.token.inspected',
      payload: {
        signature_checked: false,
        header: { alg: 'HS256', typ: 'JWT' },
        claims: { typ: 'access', chs: ['private:cli.kept.1'] },
        issued_at: TIME,
        expires_at: TIME,
        expired: false,
        expires_in: expect.stringMatching(/^[45]m\d+s$/),
        rights: [
          {
            channel: 'private:cli.kept.1',
            subscribe: allowed('chs'),
            publish: allowed('chs'),
            manage: allowed('chs'),
          },
          { channel: 'public:a.b', subscribe: allowed('public'), publish: none, manage: none },
        ],
      },
    });
    expect(stdout).not.toContain(facts['accessToken']);
  });

  test('reads standard input, and a management token is allowed everything', async () => {
    const { envelope } = await inspect(['-', '--channel', 'private:a.b.1'], `${env['MSG_TOKEN']}\n`);
    expect(envelope?.payload['rights']).toMatchObject([{ manage: { allowed: true, decided_by: 'token' } }]);
  });

  test.each([['nonsense'], ['a.b.c'], ['{accessToken}.x'], ['{accessToken}', '--channel', 'nonsense']])(
    '%j is refused',
    async (...args) => {
      const { code, stderr, stdout } = await inspect(args);
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(errorLine(stderr)).toMatch(/^error: MSG_(INVALID_ARGUMENT|CHANNEL_INVALID): /);
    },
  );
});

describe('config', () => {
  const file = (text: string) => writeFile(join(folder, 'msg.yaml'), text);
  const config = (...args: string[]) => runCli(['config', ...args], { env: { MSG_MGMT_TTL: '3h' } });

  test('print shows values, where they come from, and no secrets', async () => {
    await file('auth: { state_dir: s, mgmt_ttl: 2h }\nobservability: { metrics_bearer_token: s3cret }\n');
    const path = join(folder, 'msg.yaml');
    const { code, envelope, stdout } = await config(
      'print',
      '-c',
      path,
      '--addr',
      ':1',
      '--publish-rate',
      '5/s',
    );
    expect(code).toBe(0);
    expect(envelope).toMatchObject({
      type: 'msg.config.effective',
      payload: {
        config_source: path,
        settings: {
          'server.addr': { value: ':1', source: 'flag' },
          'auth.mgmt_ttl': { value: '3h0m0s', source: 'env' },
          'auth.state_dir': { value: join(folder, 's'), source: 'file' },
          'auth.keyring_poll': { value: '5s', source: 'default' },
          'rate_limits.publish.rate': { value: '5/1s', source: 'flag' },
          'observability.metrics_bearer_token': { value: '[redacted]', source: 'file' },
        },
      },
    });
    expect(stdout).not.toContain('s3cret');
  });

  test('check accepts what would boot, without asking anybody', async () => {
    await file(
      'auth: { state_dir: s, oidc: { issuer: "https://idp.invalid", audience: a, allow_all: true } }\n' +
        'channels: [{ pattern: "public:a.**", history_size: 3 }]\n',
    );
    const { code, stderr, envelope } = await config('check', join(folder, 'msg.yaml'));
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(envelope).toMatchObject({ type: 'msg.config.checked', payload: { ok: true } });
  });

  test.each([
    ['sever: {}', 'key "sever" does not exist; did you mean server?'],
    ['server: { addr: nonsense }', 'server.addr must be host:port'],
    ['server: { allowed_origins: [nonsense] }', 'server.allowed_origins: '],
    ['auth: { mgmt_ttl: 0s }', 'auth.mgmt_ttl: '],
    ['observability: { trusted_proxies: [nonsense] }', 'observability.trusted_proxies: '],
    ['auth: { oidc: { issuer: "https://idp.invalid" } }', 'auth.oidc.audience: is required'],
    ['auth: { oidc: { issuer: "https://idp.invalid", audience: a } }', 'auth.oidc.grants: is required'],
    ['auth: { oidc: { issuer: "http://idp.invalid", audience: a, allow_all: true } }', 'auth.oidc.issuer: '],
  ])('check refuses %j by key', async (text, problem) => {
    await file(text);
    const { code, stderr, stdout } = await config('check', join(folder, 'msg.yaml'));
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(`error: MSG_INVALID_ARGUMENT: ${problem}`);
  });

  test('a file that is not there is said', async () => {
    for (const command of [
      ['check', '/none.yaml'],
      ['print', '--config', '/none.yaml'],
    ]) {
      expect(errorLine((await config(...command)).stderr)).toBe(
        'error: MSG_INVALID_ARGUMENT: config: /none.yaml cannot be read: no such file',
      );
    }
  });
});
