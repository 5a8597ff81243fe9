import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually, type MsgServer, runMsg } from '@msg/testkit';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../support/folders.ts';
import { post, rpcOf } from '../support/rpc.ts';
import { SECRET_PAYLOAD, startServer } from '../support/server.ts';
import { closeClients, codeOf, received, stockClient } from '../support/stock-client.ts';

const BROADCAST = 'public:msg.registry.schemas';
const PATTERN = 'public:shop.order.{id}';
const ORDER = {
  pattern: PATTERN,
  aspects: {
    status: {
      payload_schema: { type: 'object', required: ['state'], properties: { state: { type: 'string' } } },
    },
  },
};

afterEach(closeClients);

describe('the schema registry of a server', () => {
  let server: MsgServer;
  let rpc: ReturnType<typeof rpcOf>;
  const get = async (query = '') => {
    const response = await fetch(`${server.url}/msg/schemas${query}`);
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  const operator = (args: readonly string[], stdin = '') =>
    runMsg(args, { env: { MSG_SERVER: server.url, MSG_TOKEN: server.token }, stdin });

  beforeAll(async () => {
    server = await startServer();
    rpc = rpcOf(server.url, server.token);
  });
  afterAll(() => server.stop());

  /** Acceptance line 31 of messaging details 23. */
  test('register, update, deregister arrive in order on the broadcast channel; the last without schema', async () => {
    const client = stockClient(server.websocketUrl);
    const subscription = client.newSubscription(BROADCAST);
    const changes = received(subscription);
    subscription.subscribe();
    client.connect();
    await subscription.ready(60_000);
    expect((await get()).body).toEqual({ patterns: [], at: expect.any(String) });

    expect((await rpc('RegisterSchema', { schema: ORDER })).status).toBe(200);
    const additive = structuredClone(ORDER);
    Object.assign(additive.aspects.status.payload_schema.properties, { note: { type: 'string' } });
    const updated = await rpc('UpdateSchema', { schema: additive });
    expect(updated.body).toMatchObject({
      compatible: true,
      changes: [{ path: 'aspects.status.payload_schema.properties.note', kind: 'additive' }],
      schema: { version: 2 },
    });
    expect((await get(`?pattern=${encodeURIComponent(PATTERN)}&history=true`)).body).toMatchObject({
      pattern: PATTERN,
      history: [{ version: 1 }, { version: 2 }],
    });
    expect((await get('?channel=public:shop.order.7')).body).toMatchObject({
      pattern: { pattern: PATTERN, version: 2 },
      bindings: { id: '7' },
    });
    expect((await rpc('DeregisterSchema', { pattern: PATTERN })).status).toBe(200);

    await eventually('three changes', () => changes.length === 3);
    const data = changes.map(change => change.data as Record<string, unknown>); // JSON objects
    expect(data).toMatchObject([
      { kind: 'registered', pattern: PATTERN, schema: { version: 1 } },
      { kind: 'updated', pattern: PATTERN, schema: { version: 2 } },
      { kind: 'deregistered', pattern: PATTERN },
    ]);
    expect(data[2]).not.toHaveProperty('schema');

    // A client that was away sees from the position what it missed, or fetches the snapshot.
    client.disconnect();
    await rpc('RegisterSchema', { schema: ORDER });
    client.connect();
    await eventually('the one it missed', () => changes.length === 4);
    expect((await get()).body).toMatchObject({ patterns: [{ pattern: PATTERN, version: 1 }] });
    await rpc('DeregisterSchema', { pattern: PATTERN });
  });

  test('a client that missed more than the history holds is told so and finds all in the snapshot', async () => {
    const client = stockClient(server.websocketUrl);
    const subscription = client.newSubscription(BROADCAST);
    const changes = received(subscription);
    const snapshots: Promise<Record<string, unknown>>[] = [];
    subscription.on('subscribed', ({ wasRecovering, recovered }) => {
      if (wasRecovering && !recovered) snapshots.push(get().then(({ body }) => body));
    });
    subscription.subscribe();
    client.connect();
    await subscription.ready(60_000);
    await rpc('RegisterSchema', { schema: { pattern: 'gap' } });
    await eventually('the first', () => changes.length === 1);
    client.disconnect();
    for (let version = 2; version <= 102; version++)
      await rpc('UpdateSchema', { schema: { pattern: 'gap' } });
    client.connect();
    await eventually('it is told of the gap', () => snapshots.length === 1);
    expect(await snapshots[0]).toMatchObject({ patterns: [{ pattern: 'gap', version: 102 }] });
    await rpc('DeregisterSchema', { pattern: 'gap' });
    await eventually('what comes next', () =>
      changes.some(({ data }) => (data as { kind: string }).kind === 'deregistered'),
    );
  });

  test('hostile schemas are refused, and the registry answers as before', async () => {
    const nested = `${'{"items":'.repeat(5000)}{}${'}'.repeat(5000)}`;
    const listed = `{"enum":[${'['.repeat(5000)}${']'.repeat(5000)}]}`;
    for (const schema of [nested, listed, '{"$ref":"#"}', '{"properties":{"__proto__":{"type":"evil"}}}']) {
      const body = `{"schema":{"pattern":"x","aspects":{"a":{"payload_schema":${schema}}}}}`;
      const answer = await post(server.url, 'RegisterSchema', body, {
        authorization: `Bearer ${server.token}`,
      });
      expect(answer, schema.slice(0, 40)).toMatchObject({ status: 400, code: 'MSG_INVALID_ARGUMENT' });
    }
    expect((await get()).body).toMatchObject({ patterns: [] });
  });

  test('every query form of the route, and what it refuses', async () => {
    await rpc('RegisterSchema', { schema: { pattern: 'plain' } });
    expect((await get('/')).body).toMatchObject({
      patterns: [{ pattern: 'plain', version: 1, aspects: {} }],
    });
    expect(await get('?pattern=plain')).toEqual({
      status: 200,
      body: { pattern: 'plain', version: 1, aspects: {} },
    });
    expect((await get('?channel=plain')).body).toEqual({
      pattern: { pattern: 'plain', version: 1, aspects: {} },
    });
    for (const query of ['?pattern=none', '?channel=none', '?pattern=none&history=true']) {
      expect(await get(query), query).toEqual({
        status: 404,
        body: { error: expect.stringContaining('none') },
      });
    }
    const response = await fetch(`${server.url}/msg/schemas`, { method: 'POST' });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    await rpc('DeregisterSchema', { pattern: 'plain' });
  });

  test('the RPC reads strictly, knows conflicts, and asks for a management bearer', async () => {
    expect(await rpc('RegisterSchema', {})).toMatchObject({ status: 400, code: 'MSG_INVALID_ARGUMENT' });
    const strange = { ...ORDER, aspects: { status: { payload_schema: { minLength: 3 } } } };
    const refused = await rpc('RegisterSchema', { schema: strange });
    expect(refused.body['msg']).toBe('schema.aspects.status.payload_schema.minLength: is not known');
    await rpc('RegisterSchema', { schema: ORDER });
    expect(await rpc('RegisterSchema', { schema: ORDER })).toMatchObject({
      status: 409,
      code: 'MSG_CHANNEL_EXISTS',
    });
    expect((await rpc('GetSchema', { channel: 'public:shop.order.7' })).body).toMatchObject({
      schema: { pattern: PATTERN },
      bindings: { id: '7' },
    });
    const breaking = { pattern: PATTERN, aspects: {} };
    expect((await rpc('CheckSchema', { schema: breaking })).body).toEqual({
      compatible: false,
      changes: [{ path: 'aspects.status', kind: 'breaking', text: 'the aspect is gone' }],
    });
    await rpc('DeregisterSchema', { pattern: PATTERN });
    expect(await rpc('UpdateSchema', { schema: ORDER })).toMatchObject({
      status: 404,
      code: 'MSG_CHANNEL_NOT_FOUND',
    });
    expect(await rpc('DeregisterSchema', { pattern: '' })).toMatchObject({ status: 400 });
    for (const method of ['ListSchemas', 'RegisterSchema', 'DeregisterSchema'])
      expect((await rpcOf(server.url)(method, {})).status, method).toBe(401);
  });

  test('the command line: register from each source, list, get, check, update, deregister', async () => {
    const file = join(await temporaryFolder(), 'order.json');
    await writeFile(file, JSON.stringify(ORDER));
    const payload = async (args: readonly string[], stdin?: string) => {
      const { code, stdout, stderr } = await operator(args, stdin);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      return (JSON.parse(stdout) as { type: string; payload: object }).payload;
    };
    expect(await payload(['schemas', 'register', '--file', file])).toMatchObject({ schema: { version: 1 } });
    expect(await payload(['schemas', 'list'])).toMatchObject({ patterns: [{ pattern: PATTERN }] });
    expect(await payload(['schemas', 'check', '--data', JSON.stringify(ORDER)])).toMatchObject({
      compatible: true,
      changes: [],
    });
    expect(await payload(['schemas', 'update'], JSON.stringify(ORDER))).toMatchObject({
      schema: { version: 2 },
    });
    expect(await payload(['schemas', 'get', PATTERN])).toMatchObject({
      history: [{ version: 1 }, { version: 2 }],
    });
    expect(await payload(['schemas', 'deregister', PATTERN])).toEqual({});
    expect((await operator(['schemas', 'register', '--data', 'nonsense'])).stderr).toMatch(
      /^error: MSG_INVALID_ARGUMENT: the channel pattern is not JSON\n/,
    );
  });
});

describe('schemas from a file, and publications that are held to them', () => {
  test('strict refuses with the JSON path, warn logs it, off looks at nothing', async () => {
    const folder = await temporaryFolder();
    const schemas = join(folder, 'schemas.json');
    const config = join(folder, 'msg.yaml');
    await writeFile(
      schemas,
      JSON.stringify({ patterns: [ORDER, { ...ORDER, pattern: 'private:shop.order.{id}' }], at: '' }),
    );
    await writeFile(
      config,
      `schemas_file: schemas.json
schema_validation:
  - pattern: 'public:**'
    mode: warn
  - pattern: 'public:shop.order.*'
    mode: strict
  - pattern: 'public:shop.order.free'
    mode: off
  - pattern: 'private:**'
    mode: strict
`,
    );
    const server = await startServer({ args: ['--config', config] });
    try {
      const rpc = rpcOf(server.url, server.token);
      for (const name of ['public:shop.order.7', 'public:shop.order.free', 'public:shop.free'])
        await rpc('OpenPublic', { name });
      const publish = (name: string, data: unknown) => rpc('Publish', { name, data });
      expect((await publish('public:shop.order.7', { state: 'open' })).status).toBe(200);
      const refused = await publish('public:shop.order.7', { state: 1, note: SECRET_PAYLOAD });
      expect(refused).toMatchObject({ status: 400, code: 'MSG_INVALID_ARGUMENT' });
      expect(refused.body['msg']).toBe(
        `the publication does not fit "${PATTERN}": status: $.state must be of type string, is number`,
      );
      const bytes = Buffer.from([0xff]).toString('base64');
      expect((await publish('public:shop.order.7', bytes)).body['msg']).toContain('$ must be JSON');
      expect((await publish('public:shop.order.free', { state: 1 })).status).toBe(200);
      expect((await publish('public:shop.free', { state: 1 })).status).toBe(200);
      await rpc('UpdateSchema', { schema: { pattern: PATTERN, aspects: {} } });
      expect((await publish('public:shop.order.7', { state: 1 })).status).toBe(200);

      const name = 'private:shop.order.9';
      const { body } = await rpc('CreatePrivate', { name, subject: 'u-1' });
      const client = stockClient(server.websocketUrl, { token: String(body['access_token']) });
      client.connect();
      expect(await codeOf(client.publish(name, { state: 'open' }))).toBe('ok');
      expect(await codeOf(client.publish(name, { state: 1 }))).toBe(107);
      await rpc('RegisterSchema', { schema: { ...ORDER, pattern: 'public:shop.free' } });
      expect((await publish('public:shop.free', { state: 1 })).status).toBe(200);
      await eventually('it is logged', () => server.output().stderr.includes('does not fit its schema'));
    } finally {
      await server.stop();
    }
  });

  test.each([
    ['is missing', undefined, 'cannot be read'],
    ['is no JSON', '{', 'is not JSON'],
    ['holds a bad pattern', '{"patterns":[{"pattern":"a.**.b"}]}', '** is allowed at the end only'],
    ['holds a pattern twice', '{"patterns":[{"pattern":"a"},{"pattern":"a"}]}', '"a" is there twice'],
  ])('a file that %s fails the boot', async (_, text, problem) => {
    const folder = await temporaryFolder();
    const config = join(folder, 'msg.yaml');
    if (text !== undefined) await writeFile(join(folder, 'schemas.json'), text);
    await writeFile(config, 'schemas_file: schemas.json\n');
    const { code, stderr } = await runMsg(['serve', '--addr', '127.0.0.1:0', '--config', config]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^error: MSG_INVALID_ARGUMENT: schemas_file: .*schemas\.json: /m);
    expect(stderr).toContain(problem);
  });
});
