import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, runMsg } from '@msg/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { digestOf } from '#src/auth/api-keys/secret.ts';
import { configuredServer } from '../support/configured-server.ts';
import { temporaryFolder } from '../support/folders.ts';
import { post } from '../support/rpc.ts';

const FULL = 'full-key-of-the-shop-backend-0001';
const NEXT = 'full-key-of-the-shop-backend-0002';
const NARROW = 'narrow-key-of-the-mail-backend-01';
const ENDED = 'key-of-a-backend-that-has-ended-1';

const yaml = (shop: string) => `
auth:
  api_keys:
    - name: shop
      ${shop}
    - name: mail
      sha256: ${digestOf(NARROW)}
      grants: [{ pattern: 'public:mail.**', verbs: [publish, manage] }]
      rate: 1/h
    - name: ended
      sha256: [${digestOf(ENDED)}]
      expires: 2020-01-01T00:00:00Z
`;
const TEXT = 'key: $' + '{SHOP_KEY}';

describe('API keys on the RPC', () => {
  let server: Awaited<ReturnType<typeof configuredServer>>;
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'msg-api-keys-'));
    server = await configuredServer(yaml(TEXT), { SHOP_KEY: FULL }, folder);
  });
  afterAll(async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const call = (method: string, request: object, headers: Record<string, string>) =>
    post(server.url, method, JSON.stringify(request), headers);
  const listed = async (headers: Record<string, string>) => {
    const { status, code } = await call('ListChannels', {}, headers);
    return [status, code];
  };

  it('are taken as bearer and as X-API-Key', async () => {
    expect(await listed({ authorization: `Bearer ${FULL}` })).toEqual([200, undefined]);
    expect(await listed({ 'x-api-key': FULL })).toEqual([200, undefined]);
    expect(await listed({ authorization: `Bearer ${server.token}` })).toEqual([200, undefined]);
  });

  it('that are wrong or expired are refused, also beside a right one in the second header', async () => {
    expect(await listed({ authorization: 'Bearer msgk_aaaaaaaa_wrong' })).toEqual([401, 'MSG_AUTH_DENIED']);
    expect(await listed({ 'x-api-key': 'wrong', authorization: `Bearer ${FULL}` })).toEqual([
      401,
      'MSG_AUTH_DENIED',
    ]);
    expect(await listed({ 'x-api-key': ENDED })).toEqual([401, 'MSG_AUTH_EXPIRED']);
    expect(await listed({ 'x-api-key': '' })).toEqual([401, 'MSG_AUTH_DENIED']);
  });

  it('with grants may do what these cover, method by method, at the rate of the key', async () => {
    const headers = { 'x-api-key': NARROW };
    expect(await call('OpenPublic', { name: 'public:mail.in' }, headers)).toMatchObject({ status: 200 });
    expect(await call('OpenPublic', { name: 'public:shop.in' }, headers)).toMatchObject({ status: 403 });
    expect(await call('ListKeys', {}, headers)).toMatchObject({ status: 403, code: 'MSG_AUTH_DENIED' });
    const publish = () => call('Publish', { name: 'public:mail.in', data: 'hello!' }, headers);
    expect(await publish()).toMatchObject({ status: 200 });
    expect(await publish()).toMatchObject({ status: 429, code: 'MSG_RATE_LIMITED' });
  });

  it('are seen by name in metrics and access log', async () => {
    await listed({ 'x-api-key': FULL });
    const metrics = await (await fetch(`${server.url}/metrics`)).text();
    expect(metrics).toMatch(/msg_api_key_requests_total\{name="shop",result="ok"\} \d/);
    expect(metrics).toMatch(/msg_api_key_requests_total\{name="ended",result="expired"\} 1/);
    expect(metrics).toMatch(/msg_api_key_requests_total\{name="",result="unknown"\} \d/);
    expect(metrics).toMatch(/msg_api_key_last_used_seconds\{name="shop",slot="0"\} 1\d{9}/);
    expect(metrics).toMatch(/msg_api_key_last_used_seconds\{name="ended",slot="0"\} 0/);
    await eventually('the record', () => server.output().stderr.includes('"bearer_subject":"key:shop"'));
  });

  it('are reread by SIGHUP; a faulty list keeps the old one', async () => {
    const both = `sha256: [${digestOf(FULL)}, ${digestOf(NEXT)}]`;
    await writeFile(server.config, yaml(both));
    process.kill(server.pid, 'SIGHUP');
    await eventually('the second secret', async () => (await listed({ 'x-api-key': NEXT }))[0] === 200);
    expect(await listed({ 'x-api-key': FULL })).toEqual([200, undefined]);
    await writeFile(server.config, yaml('sha256: abc'));
    process.kill(server.pid, 'SIGHUP');
    await eventually('the record', () => server.output().stderr.includes('the old ones stay'));
    expect(await listed({ 'x-api-key': NEXT })).toEqual([200, undefined]);
    await writeFile(server.config, yaml(`sha256: ${digestOf(NEXT)}`));
    const reloaded = await call('ReloadKeys', {}, { 'x-api-key': NEXT });
    expect(reloaded.status).toBe(200);
    expect(await listed({ 'x-api-key': FULL })).toEqual([401, 'MSG_AUTH_DENIED']);
    expect(await listed({ 'x-api-key': NEXT })).toEqual([200, undefined]);
  });

  it('stand in no log, manifest or printed configuration', async () => {
    const printed = await runMsg(['config', 'print', '--config', server.config], { env: { SHOP_KEY: FULL } });
    expect(printed.code).toBe(0);
    const manifest = await (await fetch(`${server.url}/manifest`)).text();
    const { stdout, stderr } = server.output();
    for (const key of [FULL, NEXT, NARROW, ENDED])
      expect(printed.stdout + manifest + stdout + stderr).not.toContain(key);
  });
});

describe('a configuration with faulty keys', () => {
  const faulty: readonly [string, string][] = [
    [TEXT, 'auth.api_keys[0].key is empty because its variable is not set'],
    ['sha256: abcdef', 'auth.api_keys[0].sha256 must be a SHA-256 digest, 64 hexadecimal digits'],
    ['role: admin', 'auth.api_keys[0].sha256 is required, or key in its place'],
  ];
  it.each(faulty)('does not boot: %s', async (shop, problem) => {
    const folder = await temporaryFolder();
    const config = `${folder}/msg.yaml`;
    await writeFile(config, yaml(shop));
    const { code, stderr } = await runMsg(['config', 'check', config]);
    expect([code === 0, stderr]).toEqual([false, expect.stringContaining(problem)]);
    expect(stderr).toMatch(/msg\.yaml:\d+/);
  });

  it.each([
    [
      yaml(`sha256: ${'0'.repeat(64)}`).replace('name: mail', 'name: shop'),
      'auth.api_keys[1].name "shop" is already used',
      6,
    ],
    [
      yaml(`sha256: ${'0'.repeat(64)}\n      role: chef`),
      'auth.api_keys[0].role must be one of viewer, operator, admin; got "chef"',
      6,
    ],
    [yaml(`sha256: ${'0'.repeat(64)}\n      key: x`), 'auth.api_keys[0].key is not allowed beside sha256', 4],
  ])('names path and line: %#', async (content, problem, line) => {
    const config = `${await temporaryFolder()}/msg.yaml`;
    await writeFile(config, content);
    const { stderr } = await runMsg(['config', 'check', config]);
    expect(stderr).toContain(problem);
    expect(stderr).toContain(`msg.yaml:${line}`);
  });
});
