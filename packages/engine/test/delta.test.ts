import { MemoryBroker, TimerWheel } from '@msg/engine';
import { systemRandom } from '@msg/foundation/clock';
import { ManualClock } from '@msg/foundation/clock/testing';
import type { Encoding, Publication, SubscribeResult } from '@msg/protocol';
import type { RawClient } from '@msg/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DeltaReader } from './delta-reader.ts';
import { Harness, OPEN_POLICY } from './harness.ts';

let harness: Harness;
beforeEach(async () => {
  harness = await Harness.start({
    policy: { ...OPEN_POLICY, subscribe: () => ({ recovery: 'stream', delta: true, tagsFilter: true }) },
  });
});
afterEach(() => harness.stop());

const steady = (n: number): string =>
  JSON.stringify({ n, note: 'steady payload that repeats', umlaut: `ä${n}ß` });

async function publish(text: string): Promise<void> {
  await harness.node.publish('feed', Buffer.from(text), { delta: true });
}

async function subscribe(client: RawClient, request: object = {}): Promise<SubscribeResult> {
  const reply = await client.request({ subscribe: { channel: 'feed', delta: 'fossil', ...request } });
  if (reply.subscribe === null) throw new Error(JSON.stringify(reply.error));
  return reply.subscribe;
}

async function nextPub(client: RawClient): Promise<Publication> {
  const { pub } = await client.push();
  if (pub === null) throw new Error('not a publication');
  return pub;
}

describe.each<Encoding>(['json', 'protobuf'])('delta, %s', encoding => {
  it('sends the first publication in full and the next as patches', async () => {
    const client = await harness.connected({ encoding });
    expect((await subscribe(client)).delta).toBe(true);
    const reader = new DeltaReader(encoding);
    for (let n = 1; n <= 5; n++) {
      await publish(steady(n));
      const publication = await nextPub(client);
      expect(publication.delta).toBe(n > 1);
      expect(reader.read(publication)).toBe(steady(n));
    }
  });

  it('keeps subscribers apart that joined at different times, and those without delta', async () => {
    const first = await harness.connected({ encoding });
    const plain = await harness.connected({ encoding });
    await subscribe(first);
    await plain.request({ subscribe: { channel: 'feed' } });
    await publish(steady(1));
    const second = await harness.connected({ encoding });
    await subscribe(second);
    await publish(steady(2));
    const firstReader = new DeltaReader(encoding);
    expect(firstReader.read(await nextPub(first))).toBe(steady(1));
    expect(firstReader.read(await nextPub(first))).toBe(steady(2));
    const late = await nextPub(second);
    expect(late.delta).toBe(false);
    expect(new DeltaReader(encoding).read(late)).toBe(steady(2));
    for (const n of [1, 2]) {
      const publication = await nextPub(plain);
      expect([publication.delta, Buffer.from(publication.data.bytes).toString()]).toEqual([false, steady(n)]);
    }
  });

  it('continues the chain from recovered publications, and starts anew where nothing was recovered', async () => {
    const { epoch } = await harness.node.history('feed', { limit: 0 });
    for (let n = 1; n <= 4; n++) await publish(steady(n));
    const client = await harness.connected({ encoding });
    const result = await subscribe(client, { recover: true, offset: 1, epoch });
    const reader = new DeltaReader(encoding);
    expect(result.publications.map(({ delta }) => delta)).toEqual([false, true, true]);
    expect(result.publications.map(publication => reader.read(publication))).toEqual([
      steady(2),
      steady(3),
      steady(4),
    ]);
    await publish(steady(5));
    const live = await nextPub(client);
    expect(live.delta).toBe(true);
    expect(reader.read(live)).toBe(steady(5));

    // A fresh client object that supplies `since` at the top holds no base.
    const fresh = await harness.connected({ encoding });
    expect((await subscribe(fresh, { recover: true, offset: 5, epoch })).recovered).toBe(true);
    await publish(steady(6));
    expect((await nextPub(fresh)).delta).toBe(false);
  });

  it('sends in full what was published without the permission, and patches against it afterwards', async () => {
    const client = await harness.connected({ encoding });
    await subscribe(client);
    const reader = new DeltaReader(encoding);
    await publish(steady(1));
    await harness.publish('feed', steady(2));
    await publish(steady(3));
    const received = [await nextPub(client), await nextPub(client), await nextPub(client)];
    expect(received.map(({ delta }) => delta)).toEqual([false, false, true]);
    expect(received.map(publication => reader.read(publication))).toEqual([steady(1), steady(2), steady(3)]);
  });

  it('sends in full what a patch would not make smaller', async () => {
    const client = await harness.connected({ encoding });
    await subscribe(client);
    await publish('1');
    await publish('2');
    expect([(await nextPub(client)).delta, (await nextPub(client)).delta]).toEqual([false, false]);
  });

  it('grants no delta to a subscription with a tags filter', async () => {
    const client = await harness.connected({ encoding });
    const result = await subscribe(client, { tf: { key: 'k', cmp: 'ex' } });
    expect(result.delta).toBe(false);
  });

  it('shows what is not JSON in full', async () => {
    const client = await harness.connected({ encoding });
    await subscribe(client);
    const reader = new DeltaReader(encoding);
    for (const text of ['boom boom boom boom boom 1', 'boom boom boom boom boom 2', steady(1)]) {
      await publish(text);
      const expected = encoding === 'json' && !text.startsWith('{') ? JSON.stringify(text) : text;
      expect(reader.read(await nextPub(client))).toBe(expected);
    }
  });

  it('sends a JSON connection bytes that are not UTF-8 in full, and the publication after them too', async () => {
    const client = await harness.connected({ encoding });
    await subscribe(client);
    const reader = new DeltaReader(encoding);
    const bytes = Buffer.alloc(400, 0xfe);
    const payloads = [steady(1), steady(2), bytes, bytes, steady(3), steady(4)];
    for (const payload of payloads) {
      await harness.node.publish('feed', Buffer.from(payload), { delta: true });
    }
    const patches: boolean[] = [];
    for (const payload of payloads) {
      const publication = await nextPub(client);
      patches.push(publication.delta);
      const isBase64 = encoding === 'json' && payload === bytes;
      expect(reader.bytes(publication)).toEqual(
        isBase64 ? Buffer.from(JSON.stringify(bytes.toString('base64'))) : Buffer.from(payload),
      );
      expect(publication.tags).toEqual(new Map(isBase64 ? [['msg-encoding', 'base64']] : []));
    }
    expect(patches).toEqual([false, true, false, encoding === 'protobuf', false, true]);
  });

  it('decodes for every pair of similar texts in any script', async () => {
    const client = await harness.connected({ encoding });
    await subscribe(client);
    const reader = new DeltaReader(encoding);
    const words = ['ключ', '値', 'schlüssel', '🙂', 'plain ascii text', 'ελληνικά'];
    let seed = 12_345;
    const random = (below: number): number => {
      seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
      return Math.floor((seed / 2 ** 32) * below);
    };
    const parts = Array.from({ length: 20 }, () => words[random(words.length)] ?? '');
    for (let i = 0; i < 500; i++) {
      parts[random(parts.length)] = words[random(words.length)] ?? '';
      const payload = JSON.stringify({ i, text: parts.join('') });
      await publish(payload);
      expect(reader.read(await nextPub(client))).toBe(payload);
    }
    expect(reader.patches).toBeGreaterThan(400);
  });
});

/** A broker in memory whose publications may be lost on the way to the node, or come twice. */
class UnsteadyBroker extends MemoryBroker {
  /** How often the next publication arrives. */
  arrivals = 1;

  override start(events: Parameters<MemoryBroker['start']>[0]): Promise<void> {
    return super.start({
      ...events,
      publication: (...message) => {
        for (let left = this.arrivals; left > 0; left--) events.publication(...message);
      },
    });
  }
}

describe.each<Encoding>(['json', 'protobuf'])('delta without recovery, %s', encoding => {
  let broker: UnsteadyBroker;
  let unsteady: Harness;
  beforeEach(async () => {
    const clock = new ManualClock();
    broker = new UnsteadyBroker({ clock, random: systemRandom, wheel: new TimerWheel(clock) });
    unsteady = await Harness.start({
      broker,
      policy: { ...OPEN_POLICY, subscribe: () => ({ delta: true }) },
    });
  });
  afterEach(() => unsteady.stop());

  it.each([
    ['is lost', 0],
    ['comes twice', 2],
  ])('sends in full what follows a publication that %s on the way to the node', async (_, arrivals) => {
    const client = await unsteady.connected({ encoding });
    await subscribe(client);
    const reader = new DeltaReader(encoding);
    const deltas: boolean[] = [];
    for (const n of [1, 2, 3, 4, 5]) {
      broker.arrivals = n === 3 ? arrivals : 1;
      await unsteady.node.publish('feed', Buffer.from(steady(n)), { delta: true });
      for (let left = broker.arrivals; left > 0; left--) {
        const publication = await nextPub(client);
        deltas.push(publication.delta);
        expect(reader.read(publication)).toBe(steady(n));
      }
    }
    // Only what follows directly on what the client holds is a patch.
    expect(deltas).toEqual(
      arrivals === 0 ? [false, true, false, true] : [false, true, true, false, true, true],
    );
  });
});
