import { createRpcClient, METHODS } from '@msg/core';
import { ManualClock } from '@msg/foundation/clock/testing';
import { afterEach, describe, expect, test } from 'vitest';
import { embed, stopEmbedded } from '../support/embedded.ts';
import { rpcOf } from '../support/rpc.ts';

afterEach(stopEmbedded);

const NAME = 'public:shop.news';

async function service(strictRequests = false, clock?: ManualClock) {
  const records: object[] = [];
  const log = (level: string) => (fields: object, text: string) => records.push({ level, ...fields, text });
  const logger = { debug: () => {}, info: () => {}, warn: log('warn'), error: log('error') };
  const { msg, url } = await embed({
    strictRequests,
    logger: logger as never, // pino's signature, of which the service uses these four
    ...(clock === undefined ? {} : { clock }),
  });
  await msg.channels.openPublic(NAME);
  const token = msg.tokens.issueManagement().token;
  return { msg, url, token, records, rpc: rpcOf(url, token) };
}

describe('unknown members of a request', () => {
  test('are refused with the nearest member by methods that hand out credentials', async () => {
    const { rpc } = await service();
    const strict = Object.entries(METHODS).filter(([, row]) => row.strict);
    expect(strict.map(([name]) => name)).toEqual([
      'CreatePrivate',
      'IssueAccess',
      'IssueMgmt',
      'CreateApiKey',
      'RotateApiKey',
    ]);
    const name = 'private:shop.order.1';
    const refused = await rpc('CreatePrivate', { name, ttl: 60 });
    expect([refused.status, refused.code, refused.body['msg']]).toEqual([
      400,
      'MSG_INVALID_ARGUMENT',
      'ttl is not a member of CreatePrivate; did you mean ttlSeconds?',
    ]);
    expect((await rpc('GetChannel', { name })).code).toBe('MSG_CHANNEL_NOT_FOUND');
    const nested = await rpc('CreatePrivate', { name, scopes: [{ pattern: name, verbs: [], denny: true }] });
    expect(nested.body['msg']).toBe('scopes[0].denny is not a member of CreatePrivate; did you mean deny?');
    expect((await rpc('IssueAccess', { subject: 'ann', scope: [] })).body['msg']).toBe(
      'scope is not a member of IssueAccess; did you mean scopes?',
    );
    expect((await rpc('IssueMgmt', { lifetime: 5 })).body['msg']).toBe(
      'lifetime is not a member of IssueMgmt; known: subject, ttlSeconds, role, scopes',
    );
  });

  test('are named in a header by every other method, which goes on', async () => {
    const { rpc } = await service();
    const answer = await rpc('OpenPublic', { name: NAME, ttl: 60, Über: 1, 'a\r\nb': 2 });
    expect([answer.status, answer.headers.get('msg-ignored-fields')]).toEqual([200, 'ttl,?ber,a??b']);
    expect((await rpc('OpenPublic', { name: NAME })).headers.get('msg-ignored-fields')).toBeNull();
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`member${index}`, 1]));
    const header = (await rpc('Presence', { name: NAME, ...many })).headers.get('msg-ignored-fields') ?? '';
    expect(header.length).toBeLessThanOrEqual(256);
    expect(header.split(',').every(member => member in many)).toBe(true);
  });

  test('inside opaque values are not looked at', async () => {
    const { rpc } = await service(true);
    const data = { anything: { at: 'all' } };
    expect((await rpc('Publish', { name: NAME, data, tags: { any: 'tag' } })).status).toBe(200);
  });

  test('are refused everywhere when the service is strict, and the manifest says so', async () => {
    const { msg, rpc } = await service(true);
    const refused = await rpc('OpenPublic', { name: NAME, ttl: 60 });
    expect(refused.body['msg']).toBe('ttl is not a member of OpenPublic; did you mean ttlSeconds?');
    expect(msg.manifest().payload.strict_requests).toBe(true);
    const lenient = await service();
    expect(lenient.msg.manifest().payload.strict_requests).toBe(false);
  });

  test('are logged once per method, member and minute', async () => {
    const clock = new ManualClock();
    const { rpc, records } = await service(false, clock);
    const noted = () => records.filter(record => 'member' in record);
    for (let call = 0; call < 3; call++) await rpc('OpenPublic', { name: NAME, ttl: 60 });
    await rpc('Presence', { name: NAME, ttl: 60 });
    expect(noted()).toMatchObject([
      { level: 'warn', method: 'OpenPublic', member: 'ttl' },
      { level: 'warn', method: 'Presence', member: 'ttl' },
    ]);
    await clock.advance(60_000);
    await rpc('OpenPublic', { name: NAME, ttl: 60 });
    expect(noted()).toHaveLength(3);
    const many = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`m${index}`, 1]));
    await rpc('OpenPublic', { name: NAME, ...many });
    expect(noted().length).toBeLessThanOrEqual(102);
  });

  test('are told by the typed client', async () => {
    const { url, token } = await service();
    const ignored: string[] = [];
    const client = createRpcClient<AbortSignal>({
      server: url,
      token,
      fetch: (address, init) =>
        fetch(address, { ...init, body: init.body.replace('"name"', '"newer":1,"name"') }),
      onIgnored: (method, fields) => ignored.push(`${method} ${fields}`),
    });
    await client.call('OpenPublic', { name: NAME });
    expect(ignored).toEqual(['OpenPublic newer']);
  });
});
