import type { Socket } from 'node:net';
import { Payload } from '@msg/engine';
import { systemClock } from '@msg/foundation/clock';
import { RawClient } from '@msg/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import { embed, stopEmbedded } from '../support/embedded.ts';
import { rpcOf } from '../support/rpc.ts';

type Encoding = 'json' | 'protobuf';
const ROOM = 'public:shop.news';
const CLOSED = 'public:shop.closed';
/** Longer than what a recording keeps of a frame, and than one write of the server. */
const LONG = 'x'.repeat(300_000);

/** Publications have the same times in every run. */
const NOW = systemClock.now();
const STANDING = { ...systemClock, now: () => NOW };

afterEach(() => stopEmbedded());

const dataOf = (text: string) => Payload.of(Buffer.from(JSON.stringify({ text })));

/** Every byte that a client receives from now on, the frames' heads included. */
function bytesTo(client: RawClient): Buffer[] {
  const chunks: Buffer[] = [];
  const { _socket: socket } = client.websocket as unknown as { readonly _socket: Socket }; // ws keeps it there
  socket.on('data', chunk => void chunks.push(Buffer.from(chunk)));
  return chunks;
}

const ID = /[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/g;

/** The bytes with what is drawn anew for each service in the order of its first appearance, of the same length. */
function withoutDraws(chunks: readonly Buffer[], ...draws: readonly string[]): string {
  const names = new Map<string, string>();
  const named = (drawn: string): string => {
    const name = names.get(drawn) ?? String(names.size).padStart(drawn.length, '#');
    names.set(drawn, name);
    return name;
  };
  const text = Buffer.concat(chunks).toString('latin1').replaceAll(ID, named);
  return draws.reduce((all, drawn) => all.replaceAll(drawn, named(drawn)), text);
}

/** One service, one client that does everything, and another one that is heard and seen by it. */
async function conversation(encoding: Encoding, records: boolean) {
  const { msg, url, websocketUrl } = await embed({
    clock: STANDING,
    channels: {
      rules: [{ pattern: 'public:**', presence: true, joinLeave: true, historySize: 50 }],
    },
  });
  const rpc = rpcOf(url, msg.tokens.issueManagement().token);
  for (const name of [ROOM, CLOSED]) await msg.channels.openPublic(name);
  await rpc('CloseChannel', { name: CLOSED });
  const tokenOf = async (subject: string): Promise<string> => {
    const scopes = [{ pattern: 'public:shop.**', verbs: ['subscribe', 'publish'] }];
    return (await msg.tokens.issueAccess({ subject, scopes })).access_token;
  };
  const client = await RawClient.open(websocketUrl, { encoding });
  const { connect } = await client.request({ connect: { token: await tokenOf('ann') } });
  const bytes = bytesTo(client);
  const other = await RawClient.open(websocketUrl, { encoding });
  await other.request({ connect: { token: await tokenOf('bob') } });
  const seenByOther = bytesTo(other);
  let recording = '';
  if (records) {
    const { body, status } = await rpc('StartRecording', { client: connect?.client, payloads: true });
    expect(status).toBe(200);
    recording = String(body['recording']);
  }
  const read = async () => {
    if (records) expect((await rpc('GetRecording', { recording })).status).toBe(200);
  };

  await other.request({ subscribe: { channel: ROOM, joinLeave: true } });
  const { subscribe } = await client.request({
    subscribe: { channel: ROOM, recoverable: true, positioned: true, joinLeave: true },
  });
  await other.push(push => push.join !== null);
  await read();
  // Publications of its own, of the service, and of another client; one is long.
  await client.request({ publish: { channel: ROOM, data: dataOf('own') } });
  await client.push(push => push.pub !== null);
  for (const text of ['of the service', LONG]) {
    await rpc('Publish', { name: ROOM, json: { text } });
    await client.push(push => push.pub !== null);
  }
  await other.request({ publish: { channel: ROOM, data: dataOf('of another') } });
  await client.push(push => push.pub !== null);
  await read();
  await client.request({ presence: { channel: ROOM } });
  await client.request({ presenceStats: { channel: ROOM } });
  await client.request({ history: { channel: ROOM, limit: 10 } });
  // Several commands in one frame.
  const ids = client.sendBatch([
    { rpc: { method: 'none' } },
    { presenceStats: { channel: ROOM } },
    { history: { channel: 'public:shop.unknown' } },
  ]);
  for (const id of ids) await client.take(reply => reply.id === id);
  // Errors of each kind that leaves the connection.
  const errors = [
    await client.request({ subscribe: { channel: CLOSED } }),
    await client.request({ subscribe: { channel: 'not a channel' } }),
    await client.request({ subscribe: { channel: ROOM } }),
    await client.request({ publish: { channel: CLOSED, data: dataOf('refused') } }),
  ];
  // Another joins and leaves, its subscription ends by an operator, and it comes back with what it missed.
  await other.request({ unsubscribe: { channel: ROOM } });
  await client.push(push => push.leave !== null);
  await other.request({ subscribe: { channel: ROOM, joinLeave: true } });
  await client.push(push => push.join !== null);
  await rpc('Unsubscribe', { name: ROOM, user: 'ann' });
  await client.push(push => push.unsubscribe !== null);
  await rpc('Publish', { name: ROOM, json: { text: 'missed' } });
  const epoch = subscribe?.epoch ?? '';
  await client.request({
    subscribe: { channel: ROOM, recover: true, recoverable: true, epoch, offset: 4, joinLeave: true },
  });
  await read();
  // The end: bytes that are not of the protocol.
  client.sendFrame(encoding === 'json' ? Buffer.from('{x}') : Buffer.from([0xff, 0xfe, 0xfd]));
  const closed = await client.closed();
  await other.push(push => push.leave !== null);
  const kept = records ? (await rpc('GetRecording', { recording })).body : {};
  await other.close();
  return {
    bytes: withoutDraws(bytes, epoch),
    seenByOther: withoutDraws(seenByOther, epoch),
    errors: errors.map(({ error }) => error?.code ?? 0),
    closed,
    kept,
  };
}

describe.each<Encoding>(['json', 'protobuf'])('a recorded %s client', encoding => {
  it('gets the bytes that it gets without a recording, to the last one, and so do those who see it', async () => {
    const bare = await conversation(encoding, false);
    const { kept, ...recorded } = await conversation(encoding, true);
    const { kept: _none, ...expected } = bare;
    // What is compared is something: all kinds of messages, and two kinds of errors at least.
    expect(bare.bytes.length).toBeGreaterThan(LONG.length);
    for (const text of ['own', 'of the service', 'of another', 'missed', 'bob'])
      expect(bare.bytes).toContain(text);
    expect(new Set(bare.errors).size).toBeGreaterThan(1);
    expect(bare.errors).not.toContain(0);
    const frames = kept['frames'] as readonly Readonly<Record<string, unknown>>[];
    for (const name of ['publication', 'join', 'leave', 'unsubscribe', 'history', 'presence', 'closed'])
      expect(frames.map(row => row['name'])).toContain(name);
    expect(recorded).toEqual(expected);
  });
});
