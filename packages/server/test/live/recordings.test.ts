import { Payload } from '@msg/engine';
import { eventually, RawClient } from '@msg/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import { embedEach } from '../support/embedded-each.ts';
import { rpcOf } from '../support/rpc.ts';

type Encoding = 'json' | 'protobuf';
const ROOM = 'public:shop.news';
const SECRET_TEXT = 'a-payload-that-must-not-leave';

const service = embedEach(ROOM);
const { rpc } = service;
const clients: RawClient[] = [];
afterEach(() => {
  for (const client of clients.splice(0)) client.websocket.terminate();
});

type Row = Readonly<Record<string, unknown>>;
const rowsOf = (body: Row): readonly Row[] => body['frames'] as readonly Row[]; // as the method answers

async function tokenOf(subject: string): Promise<string> {
  const scopes = [{ pattern: 'public:shop.**', verbs: ['subscribe', 'publish'] }];
  return (await service.msg.tokens.issueAccess({ subject, scopes })).access_token;
}

async function connected(encoding: Encoding, token: string) {
  const client = await RawClient.open(service.websocketUrl, { encoding });
  clients.push(client);
  const { connect } = await client.request({ connect: { token } });
  return { client, id: connect?.client ?? '' };
}

async function recorded(client: string, request: object = {}): Promise<string> {
  const { body, status } = await rpc('StartRecording', { client, ...request });
  expect([status, body]).toMatchObject([200, {}]);
  return String(body['recording']);
}

const page = async (recording: string, after = 0): Promise<Row> =>
  (await rpc('GetRecording', { recording, after })).body;

/** A conversation with a token and payloads in both directions. */
async function converse(client: RawClient, token: string): Promise<void> {
  await client.request({ subscribe: { channel: ROOM, token } });
  await client.request({
    publish: { channel: ROOM, data: Payload.of(Buffer.from(JSON.stringify({ text: SECRET_TEXT }))) },
  });
  await client.request({ refresh: { token } });
  await client.request({ rpc: { method: 'none', data: Buffer.from(JSON.stringify(SECRET_TEXT)) } });
}

describe.each<Encoding>(['json', 'protobuf'])('a recording of a %s connection', encoding => {
  it('shows both directions, and neither a token nor a payload', async () => {
    const token = await tokenOf('ann');
    const { client, id } = await connected(encoding, token);
    const recording = await recorded(id);
    await converse(client, token);
    const answer = await page(recording);
    const text = JSON.stringify(answer);
    expect(text).not.toContain(SECRET_TEXT);
    expect(text).not.toContain(Buffer.from(SECRET_TEXT).toString('base64').slice(0, 20));
    for (const part of token.split('.')) expect(text).not.toContain(part);
    const names = rowsOf(answer).map(row => `${row['direction']} ${row['name']}`);
    expect(names).toEqual(
      expect.arrayContaining([
        'in subscribe',
        'out subscribe',
        'in publish',
        'out publication',
        'in refresh',
        'in rpc',
      ]),
    );
    const subscribe = rowsOf(answer).find(row => row['name'] === 'subscribe' && row['direction'] === 'in');
    expect(JSON.parse(String(subscribe?.['detail']))).toMatchObject({
      token: { kid: service.msg.keys.activeId, sub: 'ann' },
    });
    const publication = rowsOf(answer).find(row => row['name'] === 'publication');
    expect(publication).toMatchObject({ channel: ROOM });
    expect(JSON.parse(String(publication?.['detail']))).toMatchObject({ data: { encoding: 'json' } });
  });

  it('shows payloads when it was asked to', async () => {
    const token = await tokenOf('ann');
    const { client, id } = await connected(encoding, token);
    const recording = await recorded(id, { payloads: true });
    await converse(client, token);
    const text = JSON.stringify(await page(recording));
    expect(text).toContain(SECRET_TEXT);
    for (const part of token.split('.')) expect(text).not.toContain(part);
  });

  it('changes none of the bytes of its client', async () => {
    const token = await tokenOf('ann');
    const bytesOf = async (isRecorded: boolean): Promise<readonly string[]> => {
      const { client, id } = await connected(encoding, token);
      const frames: string[] = [];
      client.websocket.on(
        'message',
        data => void frames.push(Buffer.from(data as Buffer).toString('latin1')),
      );
      if (isRecorded) await recorded(id);
      await client.request({ subscribe: { channel: ROOM } });
      await client.request({ presence: { channel: ROOM } });
      await client.request({ rpc: { method: 'none' } });
      await client.request({ unsubscribe: { channel: ROOM } });
      return frames;
    };
    expect(await bytesOf(true)).toEqual(await bytesOf(false));
  });

  it('shows bytes that do not decode as their size and the error', async () => {
    const { client, id } = await connected(encoding, await tokenOf('ann'));
    const recording = await recorded(id);
    client.sendFrame(encoding === 'json' ? Buffer.from('{x}') : Buffer.from([0xff, 0xfe, 0xfd]));
    await eventually('the connection ends', async () => (await page(recording))['state'] === 'closed');
    const rows = rowsOf(await page(recording));
    expect(rows.find(row => row['direction'] === 'in')).toMatchObject({ name: '', size: 3 });
    expect(rows.find(row => row['direction'] === 'in')?.['error']).not.toBe('');
    expect(rows.at(-1)).toMatchObject({ name: 'closed', code: 3501 });
  });
});

describe('recordings', () => {
  it('end when they are stopped, and are one for a connection', async () => {
    const { client, id } = await connected('json', await tokenOf('ann'));
    const recording = await recorded(id);
    expect((await rpc('GetConnection', { client: id })).body['connection']).toMatchObject({
      recording: true,
    });
    const second = await rpc('StartRecording', { client: id });
    expect([second.code, second.status]).toEqual(['MSG_INVALID_ARGUMENT', 400]);
    expect((await rpc('StopRecording', { recording })).status).toBe(200);
    const { next } = await page(recording);
    await client.request({ subscribe: { channel: ROOM } });
    expect(await page(recording)).toMatchObject({ state: 'stopped', next });
    expect((await rpc('GetConnection', { client: id })).body['connection']).toMatchObject({
      recording: false,
    });
    await recorded(id);
  });

  it('end with their time', async () => {
    const { id } = await connected('json', await tokenOf('ann'));
    const recording = await recorded(id, { seconds: 1 });
    await eventually('it is over', async () => (await page(recording))['state'] === 'time');
  });

  it('end with the right of the caller', async () => {
    const { id } = await connected('json', await tokenOf('ann'));
    const issued = (await rpc('IssueMgmt', { subject: 'olga', role: 'operator' })).body;
    const { body } = await rpcOf(service.url, String(issued['mgmt_token']))('StartRecording', { client: id });
    expect(body).toMatchObject({ user: 'ann' });
    await rpc('RevokeUser', { user_id: 'olga' });
    await eventually('it is over', async () => (await page(String(body['recording'])))['state'] === 'rights');
  });

  it('are five on a node', async () => {
    for (let count = 0; count < 5; count++)
      await recorded((await connected('json', await tokenOf('ann'))).id);
    const { id } = await connected('json', await tokenOf('ann'));
    const { code, body } = await rpc('StartRecording', { client: id });
    expect([code, JSON.stringify(body)]).toMatchObject([
      'MSG_INVALID_ARGUMENT',
      expect.stringContaining('5 recordings'),
    ]);
  });

  it('leave records of begin and end with client and user', async () => {
    const { id } = await connected('json', await tokenOf('ann'));
    const recording = await recorded(id, { seconds: 30 });
    await rpc('StopRecording', { recording });
    const { body } = await rpc('AuditList', { target: `client:${id}` });
    const records = body['records'] as readonly Row[];
    expect(records.map(({ via, method }) => [via, method])).toEqual([
      ['system', 'StopRecording'],
      ['rpc', 'StartRecording'],
    ]);
    expect(records.map(({ detail }) => detail)).toEqual([
      expect.stringMatching(/^user=ann, state=stopped/),
      'seconds=30, user=ann',
    ]);
  });

  it('keep the newest 500 frames, 2 KiB of each', async () => {
    const { client, id } = await connected('json', await tokenOf('ann'));
    const recording = await recorded(id);
    await client.request({ rpc: { method: 'x'.repeat(3000) } });
    expect(rowsOf(await page(recording)).find(row => row['direction'] === 'in')).toMatchObject({
      error: expect.stringMatching(/2048 bytes/),
    });
    for (let count = 0; count < 260; count++) await client.request({ presence: { channel: ROOM } });
    const answer = await page(recording);
    expect(Number(answer['dropped'])).toBeGreaterThan(20);
    const numbers = new Set(rowsOf(answer).map(row => row['number']));
    expect(numbers.size).toBe(500);
  });

  it.each([
    ['StartRecording', {}, /client is required/],
    ['StartRecording', { client: 'x', seconds: 601 }, /seconds must be from 1 to 600; got 601/],
    ['StartRecording', { client: 'x', seconds: -1 }, /seconds must be/],
    ['StartRecording', { client: 'x' }, /no such connection/],
    ['GetRecording', {}, /recording is required/],
    ['GetRecording', { recording: 'x', after: -1 }, /after must be 0 or more/],
    ['GetRecording', { recording: 'x' }, /no such recording/],
    ['StopRecording', {}, /recording is required/],
    ['StopRecording', { recording: 'x' }, /no such recording/],
  ] as const)('%s refuses %j', async (method, request, problem) => {
    const { code, body } = await rpc(method, request);
    expect([code, JSON.stringify(body)]).toMatchObject([
      'MSG_INVALID_ARGUMENT',
      expect.stringMatching(problem),
    ]);
  });
});
