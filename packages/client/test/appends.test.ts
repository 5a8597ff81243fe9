import { EventEmitter } from 'node:events';
import type { AppendUpdate, ReadableSubscription } from '@msg/client/appends';
import { readAppends, textOf } from '@msg/client/appends';
import { describe, expect, it } from 'vitest';

/** A subscription whose events the test makes. */
class Events extends EventEmitter {
  readonly entries: unknown[] = [];

  async history() {
    return { publications: this.entries.map(data => ({ data })), offset: 0, epoch: '' };
  }

  publish(...documents: unknown[]): void {
    for (const data of documents) this.emit('publication', { channel: 'c', data, offset: 1 });
  }

  end(code: number): void {
    this.emit('unsubscribed', { channel: 'c', code, reason: 'because' });
  }

  get listeners_(): number {
    return this.listenerCount('publication') + this.listenerCount('unsubscribed');
  }
}

function subscribed() {
  const events = new Events();
  return { events, subscription: events as unknown as ReadableSubscription };
}

const text = (value: string, status = 'streaming', id = 'm') => ({ id, status, text: value });
const items = (...value: unknown[]) => ({ id: 'm', status: 'streaming', items: value });
const told = ({ id, added, reset, status }: AppendUpdate) => [id, added, reset, status];

/** The updates that these documents make, each taken before the next document comes. */
async function updatesOf(...documents: unknown[]): Promise<unknown[]> {
  const { events, subscription } = subscribed();
  const updates = readAppends(subscription);
  const all: unknown[] = [];
  const done = (async () => {
    for await (const update of updates) all.push(told(update).slice(1));
  })();
  for (const document of documents) {
    events.publish(document);
    await new Promise(resolve => setImmediate(resolve));
  }
  events.end(0);
  await done;
  return all;
}

describe('readAppends', () => {
  it('tells what is new of a text, and how it ends', async () => {
    expect(await updatesOf(text('a'), text('abc'), text('abcd', 'complete'))).toEqual([
      ['a', false, 'streaming'],
      ['bc', false, 'streaming'],
      ['d', false, 'complete'],
    ]);
  });

  it('leaves out what is no message, and what says nothing new', async () => {
    const others = [
      7,
      null,
      { text: 'x' },
      { id: 'm', status: 'open', text: 'x' },
      { id: 'm', status: 'streaming' },
    ];
    expect(
      await updatesOf(...others, text('a'), text('a'), text('a', 'complete'), text('a', 'complete')),
    ).toEqual([
      ['a', false, 'streaming'],
      ['', false, 'complete'],
    ]);
    expect(await updatesOf(text('a'), { ...text('a'), meta: { model: 'x' } })).toHaveLength(2);
  });

  it('holds a text back that is only shorter than before, until it is longer again', async () => {
    expect(await updatesOf(text('abcd'), text('ab'), text('abcd'), text('abcde'))).toEqual([
      ['abcd', false, 'streaming'],
      ['e', false, 'streaming'],
    ]);
    // The end of a shorter text is told.
    expect(await updatesOf(text('abcd'), text('ab', 'failed'))).toEqual([
      ['abcd', false, 'streaming'],
      ['ab', true, 'failed'],
    ]);
  });

  it('a text that contradicts what was told is a reset', async () => {
    expect(await updatesOf(text('abcd'), text('abX'), text('abXY'))).toEqual([
      ['abcd', false, 'streaming'],
      ['abX', true, 'streaming'],
      ['Y', false, 'streaming'],
    ]);
    expect(await updatesOf(text('a'), items(1))).toEqual([
      ['a', false, 'streaming'],
      [[1], true, 'streaming'],
    ]);
  });

  it('tells new items, and the new part of one that has grown', async () => {
    const part = (delta: string) => ({ type: 'text-delta', id: '1', delta });
    expect(
      await updatesOf(
        items({ type: 'start' }, part('a')),
        items({ type: 'start' }, part('ab')),
        items({ type: 'start' }, part('abc'), 7, part('')),
        items({ type: 'start' }, part('abc')),
        items({ type: 'start' }, part('abc'), 7, part(''), null),
        items({ type: 'start' }, part('abc'), 8),
      ),
    ).toEqual([
      [[{ type: 'start' }, part('a')], false, 'streaming'],
      [[part('b')], false, 'streaming'],
      [[part('c'), 7, part('')], false, 'streaming'],
      [[null], false, 'streaming'],
      [[{ type: 'start' }, part('abc'), 8], true, 'streaming'],
    ]);
  });

  it('what a slow reader did not take is put together; messages stay apart', async () => {
    const { events, subscription } = subscribed();
    const updates = readAppends(subscription);
    events.publish(text('a'), text('ab'), text('abc', 'complete'), text('x', 'streaming', 'n'));
    events.publish(text('xy', 'streaming', 'n'), text('Z', 'streaming', 'n'), text('Z!', 'streaming', 'n'));
    const first = await updates.next();
    expect(first.value).toMatchObject({
      id: 'm',
      text: 'abc',
      added: 'abc',
      reset: false,
      status: 'complete',
    });
    expect((await updates.next()).value).toMatchObject({ id: 'n', text: 'Z!', added: 'Z!', reset: true });
    events.publish(items({ d: 'a' }), items({ d: 'ab' }));
    expect((await updates.next()).value).toMatchObject({ added: [{ d: 'a' }, { d: 'b' }], reset: true });
    await updates.return?.();
    expect(events.listeners_).toBe(0);
  });

  it('ends with the subscription: quietly when the application ended it, else with an error', async () => {
    const quiet = subscribed();
    const updates = readAppends(quiet.subscription);
    quiet.events.publish(text('a'));
    quiet.events.end(0);
    expect((await updates.next()).value).toMatchObject({ added: 'a' });
    expect(await updates.next()).toEqual({ done: true, value: undefined });
    const ended = subscribed();
    const next = readAppends(ended.subscription).next();
    ended.events.end(103);
    await expect(next).rejects.toMatchObject({
      code: 'MSG_CHANNEL_CLOSED',
      message: 'the service ended the subscription: because (103)',
    });
    expect([quiet.events.listeners_, ended.events.listeners_]).toEqual([0, 0]);
  });

  it('a reader that leaves ends a call of next that waits', async () => {
    const { subscription } = subscribed();
    const updates = readAppends(subscription);
    const next = updates.next();
    await updates.return?.();
    expect(await next).toEqual({ done: true, value: undefined });
  });
});

describe('textOf', () => {
  it('resolves with the text of a message that ends later, or that has ended', async () => {
    const later = subscribed();
    const result = textOf(later.subscription, 'm');
    later.events.publish(text('other', 'complete', 'n'), text('half'), text('half and half', 'failed'));
    expect(await result).toBe('half and half');
    const before = subscribed();
    before.events.entries.push(text('x', 'complete', 'n'), text('all', 'complete'));
    expect(await textOf(before.subscription, 'm')).toBe('all');
    expect([later.events.listeners_, before.events.listeners_]).toEqual([0, 0]);
  });

  it('rejects for items, and when the subscription ends first', async () => {
    const { events, subscription } = subscribed();
    events.entries.push({ ...items(1), status: 'complete' });
    await expect(textOf(subscription, 'm')).rejects.toMatchObject({ code: 'MSG_INVALID_ARGUMENT' });
    const result = textOf(subscription, 'other');
    events.end(0);
    await expect(result).rejects.toMatchObject({ code: 'MSG_CHANNEL_CLOSED' });
  });
});
