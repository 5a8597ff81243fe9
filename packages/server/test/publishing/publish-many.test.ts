import { MsgError } from '@msg/core';
import { Payload } from '@msg/engine';
import { isPromise } from '@msg/foundation/promises';
import { countPromises } from '@msg/testkit';
import { describe, expect, it } from 'vitest';
import type { PublishAck } from '#src/publishing/pipeline.ts';
import {
  type ChannelPublication,
  type PublishManyOptions,
  publishMany,
  sameInEach,
} from '#src/publishing/publish-many.ts';

const CLOSED = new MsgError('MSG_CHANNEL_CLOSED', 'channel b is closed');

const publicationsOf = (channels: string): ChannelPublication[] =>
  [...channels].map((channel, index) => ({ channel, payload: Buffer.from([index]), extras: {} }));

/** Publishes into channels: upper case answers later, `b` and `B` refuse, `x` has a bug. */
class Channels {
  readonly started: string[] = [];
  readonly ended: string[] = [];
  readonly errors: unknown[] = [];
  /** What is sent later comes later, whenever answers come. */
  keepsOrder = false;
  /** Most that were started and not answered. */
  mostWaiting = 0;

  run(channels: string, options: PublishManyOptions = {}) {
    const onError = (error: unknown) => void this.errors.push(error);
    return publishMany(publicationsOf(channels), {
      ...options,
      publish: (publication, onSent) => {
        const ack = this.#publish(publication);
        if (this.keepsOrder && isPromise(ack)) onSent();
        return ack;
      },
      onError,
    });
  }

  #publish({ channel, payload }: ChannelPublication): PublishAck | Promise<PublishAck> {
    const index = payload instanceof Payload ? 0 : (payload[0] ?? 0);
    const label = `${channel}${index}`;
    this.started.push(label);
    this.mostWaiting = Math.max(this.mostWaiting, this.started.length - this.ended.length);
    if (channel === channel.toUpperCase()) return this.#later(label, index);
    return this.#answer(label, index);
  }

  async #later(label: string, index: number): Promise<PublishAck> {
    // The first ones take longest.
    for (let turn = 0; turn < 20 - 2 * index; turn++) await null;
    return this.#answer(label, index);
  }

  #answer(label: string, index: number): PublishAck {
    this.ended.push(label);
    if (label.startsWith('x')) throw new TypeError('a bug');
    if (/^b/i.test(label)) throw CLOSED;
    return { offset: index + 1, epoch: 'e', suppressed: false };
  }
}

const shown = (outcomes: readonly { offset: number; error: MsgError | undefined }[]) =>
  outcomes.map(({ offset, error }) => error?.message ?? offset);

describe('several publications', () => {
  it('are published in order without a promise where nothing is waited for', () => {
    const channels = new Channels();
    let outcomes: unknown;
    const count = countPromises(() => {
      outcomes = channels.run('aabca');
      void channels.run('aabca', { parallel: true });
    });
    expect(count).toBe(0);
    expect(outcomes).toEqual([
      { offset: 1, epoch: 'e', suppressed: false, error: undefined },
      { offset: 2, epoch: 'e', suppressed: false, error: undefined },
      { offset: 0, epoch: '', suppressed: false, error: CLOSED },
      { offset: 4, epoch: 'e', suppressed: false, error: undefined },
      { offset: 5, epoch: 'e', suppressed: false, error: undefined },
    ]);
  });

  it('wait for each other', async () => {
    const channels = new Channels();
    expect(shown(await channels.run('aABAc'))).toEqual([1, 2, CLOSED.message, 4, 5]);
    expect(channels.ended).toEqual(['a0', 'A1', 'B2', 'A3', 'c4']);
  });

  it('are sent without a wait for the answers where their order is certain', async () => {
    const channels = new Channels();
    channels.keepsOrder = true;
    expect(shown(await channels.run('AABAc'))).toEqual([1, 2, CLOSED.message, 4, 5]);
    expect(channels.started).toEqual(['A0', 'A1', 'B2', 'A3', 'c4']);
    // Those that were sent first are answered last.
    expect(channels.ended).toEqual(['c4', 'A3', 'B2', 'A1', 'A0']);
  });

  it('wait for answers, certain or not, where one may skip the rest of its channel', async () => {
    const channels = new Channels();
    channels.keepsOrder = true;
    const outcomes = await channels.run('ABAB', { stopChannelOnError: true });
    expect(shown(outcomes)).toEqual([1, CLOSED.message, 3, 'skipped after item 1']);
    expect(channels.mostWaiting).toBe(1);
  });

  it('are sent in bounded numbers', async () => {
    const channels = new Channels();
    channels.keepsOrder = true;
    expect(await channels.run('A'.repeat(200))).toHaveLength(200);
    expect(channels.mostWaiting).toBeGreaterThan(10);
    expect(channels.mostWaiting).toBeLessThanOrEqual(65);
  });

  it('wait in parallel for those of their own channel alone', async () => {
    const channels = new Channels();
    expect(shown(await channels.run('ABACc', { parallel: true }))).toEqual([1, CLOSED.message, 3, 4, 5]);
    expect(channels.started).toEqual(['A0', 'B1', 'C3', 'c4', 'A2']);
    expect(channels.ended.indexOf('A0')).toBeLessThan(channels.ended.indexOf('A2'));
    expect(channels.ended.indexOf('C3')).toBeLessThan(channels.ended.indexOf('A0'));
  });

  it.each([
    ['one after the other', 'abacba', false],
    ['in parallel', 'abacba', true],
    ['in parallel, answered later', 'ABACBA', true],
  ])(
    'stop with the first failure of their channel where that is asked for, %s',
    async (_title, names, parallel) => {
      const channels = new Channels();
      const outcomes = await channels.run(names, { parallel, stopChannelOnError: true });
      expect(shown(outcomes)).toEqual([1, CLOSED.message, 3, 4, 'skipped after item 1', 6]);
      expect(outcomes[4]?.error?.code).toBe('MSG_BROKER_NOT_READY');
      expect(channels.started).toHaveLength(5);
    },
  );

  it('do not show what an error without code says, and report it', async () => {
    const channels = new Channels();
    const [outcome] = await channels.run('x');
    expect([outcome?.error?.code, outcome?.error?.message]).toEqual(['MSG_INTERNAL', 'internal error']);
    expect(channels.errors).toEqual([new TypeError('a bug')]);
  });

  it('are 1 to 1,000', async () => {
    expect(await new Channels().run('a'.repeat(1000))).toHaveLength(1000);
    for (const [count, channels] of [
      [0, ''],
      [1001, 'a'.repeat(1001)],
    ] as const) {
      expect(() => new Channels().run(channels)).toThrow(
        `the number of publications must be from 1 to 1000; got ${count}`,
      );
    }
  });
});

describe('the same publication for several channels', () => {
  it('has one payload, so that it is encoded once', () => {
    const bytes = Buffer.from('{"a":1}');
    const [first, second] = sameInEach(['a', 'b'], bytes, { volatile: true });
    expect(first).toMatchObject({ channel: 'a', extras: { volatile: true } });
    expect(first?.payload).toBeInstanceOf(Payload);
    expect(second?.payload).toBe(first?.payload);
  });
});
