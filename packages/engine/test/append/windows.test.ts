import { type AppendOp, MemoryBroker, type Policy, TimerWheel } from '@msg/engine';
import { systemRandom } from '@msg/foundation/clock';
import { ManualClock } from '@msg/foundation/clock/testing';
import type { Encoding, Publication } from '@msg/protocol';
import type { RawClient } from '@msg/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DeltaReader } from '../delta-reader.ts';
import { Harness, OPEN_POLICY } from '../harness.ts';

const MAX_BYTES = 1_048_576;
let clock: ManualClock;
let harness: Harness;
let seq: number;

async function start(windowMs: number, fullWindowMs = 250): Promise<void> {
  clock = new ManualClock();
  const broker = new MemoryBroker({ clock, random: systemRandom, wheel: new TimerWheel(clock) });
  const append = { maxBytes: MAX_BYTES, orphanMs: 30_000, windowMs, fullWindowMs };
  const policy: Policy = {
    ...OPEN_POLICY,
    subscribe: () => ({ recovery: 'stream', delta: true, tagsFilter: true }),
    streamOptions: () => ({ size: 100, ttlMs: 300_000, append }),
  };
  harness = await Harness.start({ policy, clock, broker, limits: { pingMs: 0 } });
  seq = 1;
}

function append(...ops: (string | AppendOp)[]) {
  const first = seq;
  seq += ops.length;
  const operations = ops.map(op => (typeof op === 'string' ? { text: op } : op));
  return harness.node.append('feed', { message: 'm', producer: 'p', seq: first, ops: operations });
}

async function subscribed(encoding: Encoding, request: object = {}): Promise<RawClient> {
  const client = await harness.connected({ encoding });
  const reply = await client.request({ subscribe: { channel: 'feed', ...request } });
  expect(reply.error).toBeNull();
  return client;
}

async function nextPub(client: RawClient): Promise<Publication> {
  const { pub } = await client.push();
  if (pub === null) throw new Error('not a publication');
  return pub;
}

const textOf = ({ data }: Publication): string => JSON.parse(Buffer.from(data.bytes).toString()).text;

afterEach(() => harness.stop());

describe('the window of a producer', () => {
  beforeEach(() => start(40));

  it('stores the first at the end of the turn, and then together what came within the window', async () => {
    const together = await Promise.all([append('a'), append('b'), append('c')]);
    expect(together.map(({ offset }) => offset)).toEqual([1, 1, 1]);
    const later = [append('d'), append('e', 'f')];
    await clock.advance(39);
    expect((await harness.node.appendState('feed'))?.seq).toBe(3);
    await clock.advance(1);
    expect((await Promise.all(later)).map(({ offset, seq: last }) => [offset, last])).toEqual([
      [2, 6],
      [2, 6],
    ]);
    await clock.advance(100);
    expect((await append('g')).offset).toBe(3);
  });

  it('does not hold back an end, 64 KiB, or a heartbeat', async () => {
    await append('a');
    expect((await append('x'.repeat(65_536))).offset).toBe(2);
    const heartbeat = await harness.node.append('feed', { message: 'm', producer: 'p', seq: 1, ops: [] });
    expect(heartbeat.seq).toBe(2);
    const waiting = append('b');
    expect((await append({ status: 'complete' })).offset).toBe(3);
    expect((await waiting).offset).toBe(3);
  });

  it('grows with the document, so that a slow phone is spared', async () => {
    await append('x'.repeat(400_000));
    await append({ meta: Buffer.from('{}') }, 'y'.repeat(70_000));
    let isStored = false;
    const stored = append('z').then(() => {
      isStored = true;
    });
    await clock.advance(220);
    expect(isStored).toBe(false);
    await clock.advance(10);
    await stored;
  });

  it('refuses of several requests only those that have to be, and counts what was applied before', async () => {
    await append('a', 'b');
    await clock.advance(40);
    const request = (first: number, ...texts: string[]) => {
      const ops = texts.map(text => ({ text }));
      return harness.node.append('feed', { message: 'm', producer: 'p', seq: first, ops });
    };
    const requests = [
      request(2, 'b', 'c'),
      request(4, 'd'),
      request(9, 'x'),
      request(5, '!'.repeat(MAX_BYTES)),
      request(5, 'e'),
    ];
    const outcomes = await Promise.allSettled(requests);
    expect(
      outcomes.map(outcome =>
        outcome.status === 'fulfilled' ? [outcome.value.seq, outcome.value.duplicates] : outcome.reason.kind,
      ),
    ).toEqual([[4, 1], [4, 0], 'gap', 'too_large', [5, 0]]);
    const state = await harness.node.appendState('feed');
    expect(JSON.parse(Buffer.from(state?.document?.bytes ?? []).toString()).text).toBe('abcde');
  });

  it('stores what waits when the node stops', async () => {
    await append('a');
    const waiting = append('b');
    await harness.node.shutdown({ graceMs: 0 });
    expect((await waiting).seq).toBe(2);
  });

  it('waits for the window of full documents after another publication', async () => {
    await append('a');
    await clock.advance(1000);
    await harness.publish('feed', '"x"');
    expect((await append('b')).offset).toBe(3);
    await harness.publish('feed', '"y"');
    let isStored = false;
    const waiting = append('c').then(result => {
      isStored = true;
      return result;
    });
    await clock.advance(249);
    expect(isStored).toBe(false);
    await clock.advance(1);
    expect((await waiting).offset).toBe(5);
    await harness.publish('feed', '"z"');
    expect((await append({ status: 'complete' })).offset).toBe(7);
  });
});

describe.each<Encoding>(['json', 'protobuf'])('readers without patches, %s', encoding => {
  beforeEach(() => start(0));

  it('get one state per window, the newest, and the last one at once', async () => {
    const full = await subscribed(encoding);
    const delta = await subscribed(encoding, { delta: 'fossil' });
    for (const token of ['a', 'b', 'c', 'd']) await append(token);
    expect(textOf(await nextPub(full))).toBe('a');
    await clock.advance(250);
    const second = await nextPub(full);
    expect([textOf(second), second.offset]).toEqual(['abcd', 4]);
    await append('e');
    await append('f', { status: 'complete' });
    const last = await nextPub(full);
    expect([textOf(last), last.offset, last.tags.get('msg-status')]).toEqual(['abcdef', 6, 'complete']);
    const reader = new DeltaReader(encoding);
    const seen = [];
    for (let n = 0; n < 6; n++) seen.push(JSON.parse(reader.read(await nextPub(delta))).text);
    expect(seen).toEqual(['a', 'ab', 'abc', 'abcd', 'abcde', 'abcdef']);
  });

  it('get the state that was held back before another publication, so that offsets rise', async () => {
    const full = await subscribed(encoding);
    await append('a');
    await append('b');
    await harness.publish('feed', '{"text":"other"}');
    await append('c');
    await clock.advance(250);
    const seen = [];
    for (let n = 0; n < 4; n++) {
      const publication = await nextPub(full);
      seen.push([publication.offset, textOf(publication)]);
    }
    expect(seen).toEqual([
      [1, 'a'],
      [2, 'ab'],
      [3, 'other'],
      [4, 'abc'],
    ]);
  });

  it('recover from a position within what was held back', async () => {
    const full = await subscribed(encoding);
    for (const token of ['a', 'b', 'c']) await append(token);
    const first = await nextPub(full);
    const { epoch } = await harness.node.history('feed', { limit: 0 });
    const client = await harness.connected({ encoding });
    const position = { recover: true, offset: first.offset, epoch };
    const { subscribe } = await client.request({ subscribe: { channel: 'feed', ...position } });
    expect([subscribe?.recovered, subscribe?.publications.map(textOf)]).toEqual([true, ['abc']]);
  });

  it('that want only finished messages get only those', async () => {
    const tf = { key: 'msg-status', cmp: 'ex' };
    const client = await subscribed(encoding, { tf });
    await append('a');
    await clock.advance(300);
    await append('b', { status: 'cancelled' });
    const only = await nextPub(client);
    expect([only.offset, textOf(only)]).toEqual([2, 'ab']);
  });
});

describe('who joins while a message grows', () => {
  beforeEach(() => start(0));

  it.each<Encoding>(['json', 'protobuf'])(
    'gets the text so far after the reply, then patches; %s',
    async encoding => {
      await harness.publish('feed', '{"text":"before"}');
      await append('x'.repeat(500));
      await append('y');
      await harness.publish('feed', '{"text":"after"}');
      const client = await harness.connected({ encoding });
      const { subscribe } = await client.request({ subscribe: { channel: 'feed', delta: 'fossil' } });
      expect([subscribe?.offset, subscribe?.publications]).toEqual([2, []]);
      const reader = new DeltaReader(encoding);
      const next = async () => {
        const publication = await nextPub(client);
        return [publication.offset, publication.delta, JSON.parse(reader.read(publication)).text.slice(-6)];
      };
      expect([await next(), await next()]).toEqual([
        [3, false, 'xxxxxy'],
        [4, false, 'after'],
      ]);
      await append('z');
      await append('!');
      expect([await next(), await next()]).toEqual([
        [5, false, 'xxxxyz'],
        [6, true, 'xxxyz!'],
      ]);
    },
  );

  it('encodes the document once for all, and gets nothing of a message that has ended', async () => {
    await append('x'.repeat(1000));
    let built = 0;
    const state = await harness.node.appendState('feed');
    const bytes = state?.document?.bytes;
    const clients = await Promise.all(Array.from({ length: 20 }, () => subscribed('json')));
    for (const client of clients) {
      expect(textOf(await nextPub(client))).toHaveLength(1000);
      built++;
    }
    expect(built).toBe(20);
    expect((await harness.node.appendState('feed'))?.document?.bytes).toBe(bytes);
    await append({ status: 'complete' });
    const late = await harness.connected();
    const { subscribe } = await late.request({ subscribe: { channel: 'feed' } });
    expect([subscribe?.offset, subscribe?.recovered]).toEqual([2, false]);
  });
});
