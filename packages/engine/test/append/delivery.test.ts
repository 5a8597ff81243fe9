import { type AppendOp, MemoryBroker, type Policy, TimerWheel } from '@msg/engine';
import { systemRandom } from '@msg/foundation/clock';
import { ManualClock } from '@msg/foundation/clock/testing';
import type { Encoding, Publication, SubscribeResult } from '@msg/protocol';
import type { RawClient } from '@msg/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DeltaReader } from '../delta-reader.ts';
import { Harness, OPEN_POLICY } from '../harness.ts';

const policy: Policy = {
  ...OPEN_POLICY,
  subscribe: () => ({ recovery: 'stream', delta: true, compaction: true }),
  streamOptions: () => ({
    size: 100,
    ttlMs: 300_000,
    append: { maxBytes: 262_144, orphanMs: 30_000, windowMs: 0 },
  }),
};

let clock: ManualClock;
let harness: Harness;
let seq: number;
beforeEach(async () => {
  clock = new ManualClock();
  const broker = new MemoryBroker({ clock, random: systemRandom, wheel: new TimerWheel(clock) });
  harness = await Harness.start({ policy, clock, broker, limits: { pingMs: 0 } });
  seq = 1;
});
afterEach(() => harness.stop());

async function append(...ops: (string | AppendOp)[]): Promise<number> {
  const prepared = ops.map(op => (typeof op === 'string' ? { text: op } : op));
  const { offset } = await harness.node.append('feed', { message: 'm', producer: 'p', seq, ops: prepared });
  seq += ops.length;
  // Long enough for those who get documents in full.
  await clock.advance(500);
  return offset;
}

async function subscribe(client: RawClient, request: object = {}): Promise<SubscribeResult> {
  const reply = await client.request({ subscribe: { channel: 'feed', ...request } });
  if (reply.subscribe === null) throw new Error(JSON.stringify(reply.error));
  return reply.subscribe;
}

async function nextPub(client: RawClient): Promise<Publication> {
  const { pub } = await client.push();
  if (pub === null) throw new Error('not a publication');
  return pub;
}

const textIn = (document: string): unknown => JSON.parse(document).text;
const plain = ({ data }: Publication): string => Buffer.from(data.bytes).toString();

describe.each<Encoding>(['json', 'protobuf'])('a message that grows, %s', encoding => {
  it('reaches delta readers as what was added, and others as the whole document', async () => {
    const delta = await harness.connected({ encoding });
    const full = await harness.connected({ encoding });
    await subscribe(delta, { delta: 'fossil' });
    await subscribe(full);
    const reader = new DeltaReader(encoding);
    const long = 'a long beginning of the answer '.repeat(20);
    const expected = [long, `${long}tok`, `${long}token "ü" 👋`];
    for (const [index, added] of [long, 'tok', 'en "ü" 👋'].entries()) {
      await append(added);
      const publication = await nextPub(delta);
      expect([publication.delta, publication.offset]).toEqual([index > 0, index + 1]);
      expect(textIn(reader.read(publication))).toBe(expected[index]);
      const whole = await nextPub(full);
      expect([whole.delta, textIn(plain(whole))]).toEqual([false, expected[index]]);
    }
    await append({ status: 'complete', reason: 'said' });
    const last = await nextPub(delta);
    expect([...last.tags]).toEqual([
      ['msg-message', 'm'],
      ['msg-status', 'complete'],
    ]);
    expect(last.delta).toBe(true);
    expect(JSON.parse(reader.read(last))).toEqual({
      id: 'm',
      status: 'complete',
      reason: 'said',
      text: expected[2],
    });
  });

  it('is sent in full after another publication, and that one is never compared with it', async () => {
    const client = await harness.connected({ encoding });
    await subscribe(client, { delta: 'fossil' });
    const reader = new DeltaReader(encoding);
    const long = 'the same words again and again '.repeat(10);
    await append(long);
    await append(long);
    await harness.node.publish('feed', Buffer.from(JSON.stringify({ long })), { delta: true });
    await append(long);
    await append(long);
    const deltas = [];
    for (let n = 0; n < 5; n++) {
      const publication = await nextPub(client);
      reader.read(publication);
      deltas.push(publication.delta);
    }
    expect(deltas).toEqual([false, true, false, false, true]);
  });

  it('is recovered as its newest state, with every other publication, only when nothing is missing', async () => {
    const { epoch } = await harness.node.history('feed', { limit: 0 });
    await harness.publish('feed', '"1"');
    for (const token of ['a', 'b', 'c']) await append(token);
    await harness.publish('feed', '"5"');
    for (const token of ['d', 'e']) await append(token);
    const from = async (offset: number) => {
      const client = await harness.connected({ encoding });
      const { recovered, publications } = await subscribe(client, {
        recover: true,
        offset,
        epoch,
        delta: 'fossil',
      });
      const reader = new DeltaReader(encoding);
      const seen = publications.map(publication => [
        publication.delta,
        publication.offset,
        reader.read(publication),
      ]);
      return { client, recovered, seen, reader };
    };
    const state = '{"id":"m","status":"streaming","text":"abcde"}';
    const { client, reader, ...third } = await from(3);
    expect(third).toEqual({
      recovered: true,
      seen: [
        [false, 5, '"5"'],
        [false, 7, state],
      ],
    });
    const zero = await from(0);
    expect(zero.seen).toEqual([
      [false, 1, '"1"'],
      [false, 5, '"5"'],
      [false, 7, state],
    ]);
    const seventh = await from(7);
    expect([seventh.recovered, seventh.seen]).toEqual([true, []]);
    // The chain of patches goes on from what was recovered.
    await append('f'.repeat(200));
    await nextPub(client).then(publication => reader.read(publication));
    await append('g');
    const publication = await nextPub(client);
    expect([publication.delta, textIn(reader.read(publication))]).toEqual([true, `abcde${'f'.repeat(200)}g`]);
    // One without a base gets it in full.
    const first = await nextPub(seventh.client);
    expect([first.delta, textIn(new DeltaReader(encoding).read(first))]).toEqual([
      false,
      `abcde${'f'.repeat(200)}`,
    ]);
  });
});
