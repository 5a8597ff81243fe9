import assert from 'node:assert/strict';
import { type ClientInfo, Payload, type Publication } from '@msg/protocol';
import type {
  Broker,
  BrokerEvents,
  HistoryFilter,
  PublishOptions,
  StreamPosition,
} from '../broker/contract.ts';
import type { ContractCase } from './contract-case.ts';

/** A started broker without subscriptions, and the events that it reports to its node. */
export interface BrokerSubject {
  readonly broker: Broker;
  readonly events: RecordedEvents;
  /** Moves an injected clock, or waits. */
  advance(ms: number): Promise<void>;
}

/** A publication that a broker reported to its node. */
export interface RecordedPublication {
  readonly channel: string;
  readonly publication: Publication;
  readonly position: StreamPosition;
  readonly delta: boolean;
  readonly previous: Publication | null;
  readonly isVolatile: boolean;
}

/** Records the events of a broker, and lets a case wait for them. */
export class RecordedEvents implements BrokerEvents {
  readonly publications: RecordedPublication[] = [];
  readonly announced: { kind: 'join' | 'leave'; channel: string; info: ClientInfo }[] = [];
  #waiting: (() => void)[] = [];

  publication(
    channel: string,
    publication: Publication,
    position: StreamPosition,
    delta: boolean,
    previous: Publication | null,
    isVolatile: boolean,
  ): void {
    this.publications.push({ channel, publication, position, delta, previous, isVolatile });
    this.#wake();
  }

  join(channel: string, info: ClientInfo): void {
    this.announced.push({ kind: 'join', channel, info });
    this.#wake();
  }

  leave(channel: string, info: ClientInfo): void {
    this.announced.push({ kind: 'leave', channel, info });
    this.#wake();
  }

  /** Resolves when this many publications have arrived. */
  async arrived(count: number): Promise<void> {
    while (this.publications.length < count) await new Promise<void>(resolve => this.#waiting.push(resolve));
  }

  /** Resolves when this many joins and leaves have arrived. */
  async announcedCount(count: number): Promise<void> {
    while (this.announced.length < count) await new Promise<void>(resolve => this.#waiting.push(resolve));
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resume of waiting) resume();
  }
}

const META_TTL_MS = 3_600_000;
const KEPT = { size: 100, ttlMs: 300_000, metaTtlMs: META_TTL_MS };
const EVERYTHING: HistoryFilter = { limit: -1 };

const bytes = (text: string): Payload => new Payload(new TextEncoder().encode(text));
const text = (publication: Publication): string => new TextDecoder().decode(publication.data.bytes);
const offsets = (items: readonly Publication[]): number[] => items.map(({ offset }) => offset);

function publish(broker: Broker, channel: string, payload: string, options: PublishOptions = {}) {
  return broker.publish(channel, bytes(payload), options.stream ?? KEPT, options);
}

async function publishMany(broker: Broker, channel: string, count: number, stream = KEPT): Promise<void> {
  for (let i = 1; i <= count; i++) await broker.publish(channel, bytes(String(i)), stream, {});
}

function promise(name: string, holds: ContractCase<BrokerSubject>['holds']): ContractCase<BrokerSubject> {
  return { name, holds };
}

const publishing: ContractCase<BrokerSubject>[] = [
  promise(
    'publications get consecutive offsets from 1 under one epoch, and arrive in that order',
    async s => {
      await s.broker.subscribe('c');
      const results = await Promise.all(['a', 'b', 'c'].map(payload => publish(s.broker, 'c', payload)));
      await s.events.arrived(3);
      assert.deepEqual(
        results.map(({ offset }) => offset),
        [1, 2, 3],
      );
      assert.equal(new Set(results.map(({ epoch }) => epoch)).size, 1);
      assert.match(results[0]?.epoch ?? '', /^[^:]+$/);
      assert.deepEqual(
        s.events.publications.map(({ channel, publication, position }) => [
          channel,
          text(publication),
          position.offset,
        ]),
        [
          ['c', 'a', 1],
          ['c', 'b', 2],
          ['c', 'c', 3],
        ],
      );
      for (const { position, publication } of s.events.publications) {
        assert.equal(position.epoch, results[0]?.epoch);
        assert.equal(publication.offset, position.offset);
      }
    },
  ),
  promise('without history a publication has no position and is not retained', async s => {
    await s.broker.subscribe('c');
    const result = await publish(s.broker, 'c', 'x', { stream: { size: 0, ttlMs: 0 } });
    await s.events.arrived(1);
    assert.deepEqual(result, { offset: 0, epoch: '', suppressed: false });
    assert.deepEqual(s.events.publications[0]?.position, { offset: 0, epoch: '' });
    assert.deepEqual((await s.broker.history('c', EVERYTHING, META_TTL_MS)).publications, []);
  }),
  promise(
    'a volatile publication arrives as one, in its place among the others, and is not kept',
    async s => {
      await s.broker.subscribe('c');
      const passing = { stream: { size: 0, ttlMs: 0 }, volatile: true };
      await publish(s.broker, 'c', 'a');
      await publish(s.broker, 'c', 'b', passing);
      await publish(s.broker, 'c', 'c');
      await s.events.arrived(3);
      assert.deepEqual(
        s.events.publications.map(({ publication, isVolatile }) => [
          text(publication),
          publication.offset,
          isVolatile,
        ]),
        [
          ['a', 1, false],
          ['b', 0, true],
          ['c', 2, false],
        ],
      );
      assert.deepEqual(offsets((await s.broker.history('c', EVERYTHING, META_TTL_MS)).publications), [1, 2]);
    },
  ),
  promise('payload bytes, tags and publisher travel and are retained unchanged', async s => {
    await s.broker.subscribe('c');
    const info: ClientInfo = { user: 'u', client: 'id', connInfo: new Uint8Array([0x31]), chanInfo: null };
    const data = new Uint8Array([0, 0xff, 0x0a, 0x5f, 0x5f, 0x3a]);
    await s.broker.publish('c', new Payload(data), KEPT, { tags: new Map([['k', 'v']]), info });
    await s.events.arrived(1);
    const { publications } = await s.broker.history('c', EVERYTHING, META_TTL_MS);
    for (const publication of [s.events.publications[0]?.publication, publications[0]]) {
      assert.deepEqual(new Uint8Array(publication?.data.bytes ?? []), data);
      assert.deepEqual([...(publication?.tags ?? [])], [['k', 'v']]);
      assert.equal(publication?.info?.user, 'u');
      assert.deepEqual(new Uint8Array(publication?.info?.connInfo ?? []), new Uint8Array([0x31]));
    }
  }),
  promise('a publish that permits deltas hands on its predecessor, when there is one', async s => {
    await s.broker.subscribe('c');
    await publish(s.broker, 'c', 'a', { delta: true });
    await publish(s.broker, 'c', 'b', { delta: true });
    await publish(s.broker, 'c', 'c');
    await s.events.arrived(3);
    const handed = s.events.publications.map(({ delta, previous }) => [delta, previous && text(previous)]);
    assert.deepEqual(handed, [
      [true, null],
      [true, 'a'],
      [false, null],
    ]);
  }),
  promise('joins and leaves are handed on in order', async s => {
    await s.broker.subscribe('c');
    const info: ClientInfo = { user: 'u', client: 'id', connInfo: null, chanInfo: null };
    await s.broker.publishJoin('c', info);
    await s.broker.publishLeave('c', info);
    await s.events.announcedCount(2);
    assert.deepEqual(
      s.events.announced.map(({ kind, channel, info: { client } }) => [kind, channel, client]),
      [
        ['join', 'c', 'id'],
        ['leave', 'c', 'id'],
      ],
    );
  }),
];

const suppression: ContractCase<BrokerSubject>[] = [
  promise(
    'a repeated idempotency key publishes nothing and answers the first position, until it expires',
    async s => {
      await s.broker.subscribe('c');
      const options = { idempotencyKey: 'k', idempotencyTtlMs: 1000 };
      const first = await publish(s.broker, 'c', 'x', options);
      const second = await publish(s.broker, 'c', 'y', options);
      assert.deepEqual(second, { ...first, suppressed: true });
      assert.equal((await publish(s.broker, 'c', 'z', { ...options, idempotencyKey: 'other' })).offset, 2);
      assert.equal((await publish(s.broker, 'd', 'x', options)).offset, 1);
      await s.advance(2000);
      assert.deepEqual(await publish(s.broker, 'c', 'x', options), {
        ...first,
        offset: 3,
        suppressed: false,
      });
      await s.events.arrived(3);
      assert.equal(s.events.publications.filter(({ channel }) => channel === 'c').length, 3);
    },
  ),
  promise('an idempotency key works without history', async s => {
    await s.broker.subscribe('c');
    const options = { idempotencyKey: 'k', stream: { size: 0, ttlMs: 0 } };
    await publish(s.broker, 'c', 'x', options);
    assert.equal((await publish(s.broker, 'c', 'x', options)).suppressed, true);
    await s.events.arrived(1);
    assert.equal(s.events.publications.length, 1);
  }),
  promise('a version that is not newer is suppressed; unversioned publishes keep the stored one', async s => {
    const versioned = (version: number, versionEpoch = '') =>
      publish(s.broker, 'c', String(version), { version, versionEpoch });
    assert.deepEqual([(await versioned(5)).offset, (await versioned(5)).suppressed], [1, true]);
    const stale = await versioned(4);
    assert.deepEqual([stale.offset, stale.suppressed], [1, true]);
    assert.equal((await publish(s.broker, 'c', 'x')).offset, 2);
    assert.equal((await versioned(5)).suppressed, true);
    assert.equal((await versioned(6)).offset, 3);
    assert.equal((await versioned(1, 'new')).offset, 4);
    assert.equal((await versioned(1, 'new')).suppressed, true);
    assert.equal((await versioned(2, 'newer')).offset, 5);
  }),
  promise(
    'a version counts without history too, beside a key, and among publications that are kept',
    async s => {
      await s.broker.subscribe('c');
      const passing = (version: number, options: PublishOptions = {}) =>
        publish(s.broker, 'c', String(version), { version, stream: { size: 0, ttlMs: 0 }, ...options });
      assert.deepEqual(await passing(5), { offset: 0, epoch: '', suppressed: false });
      assert.deepEqual(await passing(5), { offset: 0, epoch: '', suppressed: true });
      assert.equal((await passing(6, { idempotencyKey: 'k' })).suppressed, false);
      assert.equal((await passing(7, { idempotencyKey: 'k' })).suppressed, true);
      assert.equal((await passing(4, { idempotencyKey: 'other' })).suppressed, true);
      assert.equal((await publish(s.broker, 'c', '6', { version: 6 })).suppressed, true);
      assert.deepEqual(
        [(await publish(s.broker, 'c', '7', { version: 7 })).offset, (await passing(7)).suppressed],
        [1, true],
      );
      await s.events.arrived(3);
      assert.deepEqual(
        s.events.publications.map(({ publication }) => text(publication)),
        ['5', '6', '7'],
      );
    },
  ),
  promise('a stored version lasts as long as the metadata, without history too', async s => {
    const stream = { size: 0, ttlMs: 0, metaTtlMs: 1000 };
    await publish(s.broker, 'c', 'x', { version: 5, stream });
    await s.advance(2000);
    assert.equal((await publish(s.broker, 'c', 'y', { version: 5, stream })).suppressed, false);
  }),
];

const retention: ContractCase<BrokerSubject>[] = [
  promise('the window keeps the newest publications', async s => {
    await publishMany(s.broker, 'c', 12, { ...KEPT, size: 5 });
    const history = await s.broker.history('c', EVERYTHING, META_TTL_MS);
    assert.deepEqual(offsets(history.publications), [8, 9, 10, 11, 12]);
    assert.equal(history.offset, 12);
  }),
  promise('history reads forwards and backwards, from a position, up to a limit', async s => {
    await publishMany(s.broker, 'c', 8, { ...KEPT, size: 5 });
    const since = (offset: number) => ({ offset, epoch: '' });
    const table: [HistoryFilter, number[]][] = [
      [{ limit: 0 }, []],
      [{ limit: 2 }, [4, 5]],
      [{ limit: -1 }, [4, 5, 6, 7, 8]],
      [{ limit: 2, reverse: true }, [8, 7]],
      [{ limit: -1, since: since(6) }, [7, 8]],
      [{ limit: 1, since: since(5) }, [6]],
      [{ limit: -1, since: since(1) }, [4, 5, 6, 7, 8]],
      [{ limit: -1, since: since(8) }, []],
      [{ limit: -1, since: since(99) }, []],
      [{ limit: -1, since: since(6), reverse: true }, [5, 4]],
      [{ limit: 1, since: since(99), reverse: true }, [8]],
    ];
    for (const [filter, expected] of table) {
      const history = await s.broker.history('c', filter, META_TTL_MS);
      assert.deepEqual(offsets(history.publications), expected, JSON.stringify(filter));
      assert.equal(history.offset, 8);
    }
  }),
  promise('reading an absent stream creates it: the next publish continues its epoch', async s => {
    const absent = await s.broker.history('c', { limit: 0 }, META_TTL_MS);
    assert.equal(absent.offset, 0);
    assert.notEqual(absent.epoch, '');
    const { offset, epoch } = await publish(s.broker, 'c', 'x');
    assert.deepEqual({ offset, epoch }, { offset: 1, epoch: absent.epoch });
  }),
  promise('items expire together after the newest publish; offset and epoch stay', async s => {
    const stream = { ...KEPT, ttlMs: 2000 };
    const first = await publish(s.broker, 'c', 'a', { stream });
    await s.advance(1200);
    await publish(s.broker, 'c', 'b', { stream });
    await s.advance(1200);
    assert.deepEqual(offsets((await s.broker.history('c', EVERYTHING, META_TTL_MS)).publications), [1, 2]);
    await s.advance(2000);
    const expired = await s.broker.history('c', EVERYTHING, META_TTL_MS);
    assert.deepEqual([expired.publications.length, expired.offset, expired.epoch], [0, 2, first.epoch]);
    assert.equal((await publish(s.broker, 'c', 'c', { stream })).offset, 3);
  }),
  promise('after the meta TTL a new epoch starts', async s => {
    const stream = { size: 10, ttlMs: 1000, metaTtlMs: 2000 };
    const first = await publish(s.broker, 'c', 'a', { stream });
    await s.advance(4000);
    const again = await publish(s.broker, 'c', 'b', { stream });
    assert.equal(again.offset, 1);
    assert.notEqual(again.epoch, first.epoch);
  }),
  promise('removing history keeps the position, removing the stream starts a new epoch', async s => {
    const first = await publish(s.broker, 'c', 'a', { idempotencyKey: 'k' });
    await s.broker.removeHistory('c');
    const emptied = await s.broker.history('c', EVERYTHING, META_TTL_MS);
    assert.deepEqual([emptied.publications.length, emptied.offset, emptied.epoch], [0, 1, first.epoch]);
    await s.broker.removeStream('c');
    const fresh = await publish(s.broker, 'c', 'b');
    assert.equal(fresh.offset, 1);
    assert.notEqual(fresh.epoch, first.epoch);
    await s.broker.removeHistory('unknown');
    await s.broker.removeStream('unknown');
  }),
  promise('channels are independent of each other', async s => {
    await publishMany(s.broker, 'a', 2);
    const { offset, epoch } = await publish(s.broker, 'b', 'x');
    assert.equal(offset, 1);
    assert.notEqual(epoch, (await s.broker.history('a', { limit: 0 }, META_TTL_MS)).epoch);
  }),
];

/** Everything a broker promises to its node. */
export const BROKER_CONTRACT: readonly ContractCase<BrokerSubject>[] = [
  ...publishing,
  ...suppression,
  ...retention,
];
