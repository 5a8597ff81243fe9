import type { Socket } from 'node:net';
import { ManualClock } from '@msg/foundation/clock/testing';
import { eventually } from '@msg/testkit';
import { HostileSocket, rawRequest, unfinishedRequest } from '@msg/testkit/hostile';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Embedded, embed, stopEmbedded } from '../support/embedded.ts';
import { post } from '../support/rpc.ts';

const MIB = 1 << 20;
const BUDGET = 8 * MIB;

let app: Embedded;
let clock: ManualClock;
let token: string;
const sockets: HostileSocket[] = [];

beforeEach(async () => {
  clock = new ManualClock();
  app = await embed({ clock, limits: { bodyBytes: BUDGET } });
  token = app.msg.tokens.issueManagement('app').token;
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await stopEmbedded();
});

const bearer = () => ['Authorization', `Bearer ${token}`] as const;
const JSON_TYPE = ['Content-Type', 'application/json'] as const;
const rpc = (method: string, ...headers: (readonly [string, string])[]) => ({
  method: 'POST',
  target: `/twirp/msg.MsgService/${method}`,
  headers: [JSON_TYPE, ...headers],
});

async function send(...parts: (Uint8Array | string)[]): Promise<HostileSocket> {
  const socket = await HostileSocket.open(app.url);
  sockets.push(socket);
  for (const part of parts) socket.send(part);
  return socket;
}

/** The answer to a request of which no more than this is sent. */
async function answerTo(...parts: (Uint8Array | string)[]) {
  const socket = await send(...parts);
  const { status, headers, body } = await socket.response();
  const text = body.toString();
  return { status, connection: headers.get('connection'), retryAfter: headers.get('retry-after'), text };
}

describe('before the bearer', () => {
  it.each([
    ['no bearer', () => rpc('Publish'), 401],
    ['a forged bearer', () => rpc('Publish', ['Authorization', 'Bearer a.b.c']), 401],
    ['an unknown method', () => rpc('Nothing', bearer()), 404],
    ['an unknown path', () => ({ method: 'POST', target: '/nothing' }), 404],
    ['a route without POST', () => ({ method: 'POST', target: '/healthz' }), 405],
    ['a foreign origin', () => rpc('Manifest', ['Origin', 'https://evil.example']), 403],
    ['the metrics', () => ({ method: 'POST', target: '/metrics' }), 405],
  ])('nothing of a body is read: %s', async (_title, request, status) => {
    let connection: Socket | undefined;
    app.server.once('connection', socket => {
      connection = socket;
    });
    const socket = await send(unfinishedRequest(request(), 64 * MIB));
    for (let piece = 0; piece < 64; piece++) socket.send(Buffer.alloc(MIB));
    const answer = await socket.response();
    expect([answer.status, answer.headers.get('connection')]).toEqual([status, 'close']);
    await socket.ended();
    // What came in one piece with the head, and the piece that was on its way.
    expect(connection?.bytesRead).toBeLessThanOrEqual(2 * 65_536);
  });

  it('public methods read 16 KiB, others 4 MiB', async () => {
    const tooLarge = {
      status: 400,
      connection: 'close',
      text: expect.stringContaining('request body too large'),
    };
    for (const method of ['Manifest', 'RefreshToken']) {
      expect(await answerTo(unfinishedRequest(rpc(method), 16_385))).toMatchObject(tooLarge);
      // A bearer makes no difference: nobody looks at it.
      expect(await answerTo(unfinishedRequest(rpc(method, bearer()), 16_385))).toMatchObject(tooLarge);
    }
    const full = rawRequest({ ...rpc('Manifest'), body: `{}${' '.repeat(16_382)}` });
    expect(await answerTo(full)).toMatchObject({ status: 200 });
    expect(await answerTo(unfinishedRequest(rpc('Publish', bearer()), 4 * MIB + 1))).toMatchObject(tooLarge);
    const spaces = rawRequest({ ...rpc('ListChannels', bearer()), body: `{}${' '.repeat(4 * MIB - 2)}` });
    expect(await answerTo(spaces)).toMatchObject({ status: 200 });
  });
});

describe('the budget of bodies', () => {
  it('refuses with 503 and Retry-After what finds no room, and is whole again when peers go away', async () => {
    const unfinished = unfinishedRequest(rpc('Publish', bearer()), 4 * MIB);
    const peers = await Promise.all(
      Array.from({ length: 4 }, () => send(unfinished, Buffer.alloc(3 * MIB, ' '))),
    );
    const refused = () => peers.find(({ receivedBytes }) => receivedBytes > 0);
    await eventually('one of four times 3 MiB finds no room', () => refused() !== undefined);
    const answer = await refused()?.response();
    expect(answer?.status).toBe(503);
    expect([answer?.headers.get('retry-after'), answer?.headers.get('connection')]).toEqual(['1', 'close']);
    expect(JSON.parse(answer?.body.toString() ?? '')).toMatchObject({
      code: 'unavailable',
      meta: { code: 'MSG_BROKER_NOT_READY' },
    });
    for (const socket of peers) socket.reset();
    const whole = rawRequest({ ...rpc('ListChannels', bearer()), body: `{}${' '.repeat(4 * MIB - 2)}` });
    await eventually('two bodies of 4 MiB have room', async () => {
      const answers = await Promise.all([answerTo(whole), answerTo(whole)]);
      return answers.every(({ status }) => status === 200);
    });
  });
});

describe('a request', () => {
  it('that finds no room is not read on while its peer goes on sending', async () => {
    await stopEmbedded();
    app = await embed({ clock, limits: { bodyBytes: 200_000 } });
    token = app.msg.tokens.issueManagement('app').token;
    let connection: Socket | undefined;
    app.server.once('connection', socket => {
      connection = socket;
    });
    const socket = await send(
      unfinishedRequest(rpc('Publish', bearer()), 4 * MIB),
      Buffer.alloc(4 * MIB - 1),
    );
    expect((await socket.response()).status).toBe(503);
    await eventually('the connection is closed', () => connection?.destroyed === true);
    // Four pieces of 64 KiB at most: the last one found no room.
    expect(connection?.bytesRead).toBeLessThanOrEqual(4 * 65_536);
  });

  it('that is not whole after 15 s is 408', async () => {
    const requests = await Promise.all(
      [rpc('Publish', bearer()), rpc('RefreshToken'), { method: 'POST', target: '/emulation' }].map(request =>
        send(unfinishedRequest(request, 100), '{'),
      ),
    );
    await clock.advance(14_900);
    expect(requests.map(({ receivedBytes }) => receivedBytes)).toEqual([0, 0, 0]);
    await eventually('all are cut', async () => {
      await clock.advance(500);
      return requests.every(({ receivedBytes }) => receivedBytes > 0);
    });
    const answers = await Promise.all(requests.map(socket => socket.response()));
    expect(answers.map(({ status, headers }) => [status, headers.get('connection')])).toEqual([
      [408, 'close'],
      [408, 'close'],
      [408, 'close'],
    ]);
    expect(JSON.parse(answers[0]?.body.toString() ?? '')).toEqual({
      code: 'deadline_exceeded',
      msg: 'the request body did not arrive in time',
      meta: {},
    });
  });

  it('that was refused early is on record when it was answered', async () => {
    const records: object[] = [];
    await stopEmbedded();
    const logger = { info: (record: object) => void records.push(record), warn() {}, error() {} };
    app = await embed({ clock, logger });
    const answer = await answerTo(unfinishedRequest({ method: 'POST', target: '/emulation' }, MIB));
    expect(answer.status).toBe(413);
    expect(records).toMatchObject([{ path: '/emulation', status: 413, duration_ms: 0 }]);
    expect((await answerTo(unfinishedRequest(rpc('Publish'), MIB))).status).toBe(401);
    expect(records).toMatchObject([{}, { path: '/twirp/msg.MsgService/Publish', status: 401 }]);
  });
});

describe('JSON', () => {
  const nested = (levels: number) => `{"data":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
  const members = (count: number) =>
    `{"data":{${Array.from({ length: count }, (_, index) => `"${index}":0`).join(',')}}}`;
  const publish = (body: string) => post(app.url, 'Publish', body, { authorization: `Bearer ${token}` });

  it('may be 64 levels deep and have 10,000 members per object', async () => {
    for (const body of [nested(64), members(10_000), `{"data":[${Array(20).fill('{"a":0}').join()}]}`]) {
      expect((await publish(body)).code).toBe('MSG_CHANNEL_INVALID');
    }
  });

  it('beyond is malformed', async () => {
    for (const body of [nested(65), members(10_001), '['.repeat(4 * MIB), '{"a":'.repeat(100)]) {
      const answer = await publish(body);
      expect(answer).toMatchObject({ status: 400, body: { code: 'malformed' } });
      expect(String(answer.body['msg'])).toMatch(/64 levels|10000 members/);
    }
  });
});
