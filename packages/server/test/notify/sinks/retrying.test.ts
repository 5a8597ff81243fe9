import { MsgError } from '@msg/core';
import { describe, expect, test } from 'vitest';
import type { DeadLetterQueue } from '#src/notify/dead-letters/contract.ts';
import type { SinkMessage } from '#src/notify/sinks/contract.ts';
import { recipientGone, terminal, transient } from '#src/notify/sinks/failure.ts';
import { RetryingSink } from '#src/notify/sinks/retrying.ts';
import { settle } from '../../support/settle.ts';
import { delivering, outcomeOf, scriptedRandom } from './support/delivering.ts';
import { ScriptedSink } from './support/scripted-sink.ts';

const BUSY = transient(new Error('busy'));
const NO = terminal(new Error('no such user'));
const MESSAGE = { subject: 's', body: 'b', metadata: { k: 'v' } };

describe('the retry wrapper', () => {
  test('sends once when that succeeds', async () => {
    const { sinks, events, clock } = delivering();
    const sink = new ScriptedSink('s', 'ok');
    sinks.register(sink);
    expect(await sinks.require('s').deliver('r', MESSAGE, { channel: 'c' })).toBe('sink');
    expect(sink.sends).toEqual([{ recipient: 'r', message: MESSAGE, channel: 'c' }]);
    expect(events).toEqual(['s ok']);
    expect(clock.pending).toBe(0);
  });

  test('waits base, double, double … between attempts, with the jitter drawn', async () => {
    const { sinks, clock } = delivering({
      retry: { maxAttempts: 4, baseBackoff: 100, maxBackoff: 250, jitterFraction: 0.5 },
      random: scriptedRandom(0, 0.5, 0.9),
    });
    const sink = new ScriptedSink('s', BUSY, BUSY, BUSY, 'ok');
    sinks.register(sink);
    const delivery = sinks.require('s').deliver(null, MESSAGE);
    const waits = [100 * 0.5, 200, 250 * 1.4];
    for (const [index, wait] of waits.entries()) {
      await clock.advance(wait - 1);
      expect(sink.sends).toHaveLength(index + 1);
      await clock.advance(1);
      expect(sink.sends).toHaveLength(index + 2);
    }
    expect(await delivery).toBe('sink');
  });

  test('waits as long as the destination asks for, when that is longer', async () => {
    const { sinks, clock } = delivering({ retry: { maxAttempts: 3, baseBackoff: 100, jitterFraction: -1 } });
    const sink = new ScriptedSink(
      's',
      transient(new Error('busy'), 5000),
      transient(new Error('busy'), 1),
      'ok',
    );
    sinks.register(sink);
    const delivery = sinks.require('s').deliver(null, MESSAGE);
    await clock.advance(4999);
    expect(sink.sends).toHaveLength(1);
    await clock.advance(1);
    expect(sink.sends).toHaveLength(2);
    await clock.advance(200);
    expect(await delivery).toBe('sink');
  });

  test('a recipient that is gone for good is the news of the caller: nothing is parked', async () => {
    const { sinks, queue, events } = delivering();
    sinks.register(new ScriptedSink('s', recipientGone('the subscription has ended')));
    const delivery = sinks.require('s').deliver('r', MESSAGE, { channel: 'public:a.b' });
    await expect(delivery).rejects.toMatchObject({
      code: 'MSG_SINK_RECIPIENT_GONE',
      twirp: 'failed_precondition',
    });
    expect(await queue.list('s', 0)).toEqual([]);
    expect(events).toEqual(['s failed', 's gone in public:a.b']);
  });

  test('parks when the budget is spent, and the caller sees success', async () => {
    const { sinks, queue, clock, events } = delivering({ retry: { maxAttempts: 3, jitterFraction: -1 } });
    sinks.register(new ScriptedSink('s', new Error('http 503'), BUSY, transient(new Error('last\nword'))));
    const delivery = sinks.require('s').deliver({ to: 'x' }, { body: 'b' }, { channel: 'public:a.b' });
    await clock.advance(3000);
    expect(await delivery).toBe('dlq');
    expect(await queue.list('s', 0)).toEqual([
      {
        id: expect.stringMatching(/^[0-9a-f]{16}$/),
        sink: 's',
        channel: 'public:a.b',
        recipient: { to: 'x' },
        message: { subject: '', body: 'b', metadata: {} },
        lastError: 'last word',
        attempts: 3,
        parkedAt: clock.now(),
      },
    ]);
    expect(events).toEqual(['s failed', 's failed', 's failed', 's parked after 3: last word']);
  });

  test('a terminal error parks at once', async () => {
    const { sinks, queue, clock } = delivering();
    sinks.register(new ScriptedSink('s', NO));
    expect(await sinks.require('s').deliver(undefined, MESSAGE)).toBe('dlq');
    expect(await queue.list('s', 0)).toMatchObject([
      { attempts: 1, lastError: 'no such user', recipient: null },
    ]);
    expect(clock.pending).toBe(0);
  });

  test('a caller that gives up while waiting leaves what was attempted parked', async () => {
    const { sinks, queue, clock } = delivering();
    sinks.register(new ScriptedSink('s', BUSY));
    const caller = new AbortController();
    const delivery = sinks.require('s').deliver(null, MESSAGE, { signal: caller.signal });
    await clock.advance(1500);
    caller.abort();
    expect(await delivery).toBe('dlq');
    expect(await queue.list('s', 0)).toMatchObject([{ attempts: 2, lastError: 'busy' }]);
    expect(clock.pending).toBe(0);
  });

  test('a caller that gives up during a send does not wait for a sink that ignores it', async () => {
    const { sinks, queue } = delivering();
    sinks.register(new ScriptedSink('s', new Promise(() => {})));
    const caller = new AbortController();
    const delivery = sinks.require('s').deliver(null, MESSAGE, { signal: caller.signal });
    await settle();
    caller.abort(new Error('whatever the reason'));
    expect(await delivery).toBe('dlq');
    expect(await queue.list('s', 0)).toMatchObject([
      { attempts: 1, lastError: 'the delivery was cancelled' },
    ]);
  });

  test('a delivery that is cancelled before it began is parked unsent', async () => {
    const { sinks, queue } = delivering();
    const sink = new ScriptedSink('s', 'ok');
    sinks.register(sink);
    expect(await sinks.require('s').deliver(null, MESSAGE, { signal: AbortSignal.abort() })).toBe('dlq');
    expect(sink.sends).toEqual([]);
    expect(await queue.list('s', 0)).toMatchObject([{ attempts: 0 }]);
  });

  test('a queue that fails is MSG_SINK_DLQ_OVERFLOW, with the reason of the delivery', async () => {
    const broken: DeadLetterQueue = {
      push: () => Promise.reject(new Error('disk full')),
      list: async () => [],
      sizes: async () => new Map(),
      discard: async () => false,
      claim: async () => undefined,
    };
    const { sinks } = delivering({ deadLetters: broken });
    sinks.register(new ScriptedSink('s', NO));
    await expect(sinks.require('s').send(null, MESSAGE)).rejects.toMatchObject({
      code: 'MSG_SINK_DLQ_OVERFLOW',
      message: 'sink s failed and the delivery could not be parked: no such user',
    });
  });

  test('a recipient that is not JSON cannot be parked', async () => {
    const { sinks } = delivering();
    sinks.register(new ScriptedSink('s', NO));
    expect(await outcomeOf(sinks.require('s').send({ n: 1n }, MESSAGE))).toBe('MSG_SINK_DLQ_OVERFLOW');
  });

  test('without a queue the caller gets the last error', async () => {
    const { clock, outbound } = delivering();
    const policy = { maxAttempts: 2, baseBackoff: 10, maxBackoff: 10, jitterFraction: 0 };
    const sink = new RetryingSink(new ScriptedSink('s', BUSY, NO), {
      policy,
      clock,
      outbound,
      random: scriptedRandom(0.5),
    });
    const sent = outcomeOf(sink.send(null, MESSAGE));
    await clock.advance(10);
    expect(await sent).toBe('MSG_SINK_UNAVAILABLE');
    await expect(sink.send(null, MESSAGE)).rejects.toBe(NO);
  });

  test('a message whose members are not strings is refused before anything is sent', async () => {
    const { sinks } = delivering();
    const sink = new ScriptedSink('s', 'ok');
    sinks.register(sink);
    const bad = [{ subject: 7 }, { body: null }, { metadata: { a: 1 } }] as unknown as Partial<SinkMessage>[];
    for (const message of bad) {
      expect(await outcomeOf(sinks.require('s').send(null, message))).toBe('MSG_INVALID_ARGUMENT');
    }
    expect(sink.sends).toEqual([]);
  });

  test('a recipient that the sink refuses reaches the caller: nothing is tried again or parked', async () => {
    const refused = new MsgError('MSG_INVALID_ARGUMENT', 'the recipient must lead to a public address');
    const sink = new ScriptedSink('s', refused);
    const { sinks, queue, clock } = delivering();
    sinks.register(sink);
    await expect(sinks.require('s').send(null, MESSAGE)).rejects.toBe(refused);
    expect(sink.sends).toHaveLength(1);
    expect(await queue.list('s', 0)).toEqual([]);
    expect(clock.pending).toBe(0);
  });

  test('a recipient that is refused after a send that failed is parked with the sends made', async () => {
    const refused = new MsgError('MSG_INVALID_ARGUMENT', 'the host leads elsewhere now');
    const { sinks, queue, clock } = delivering();
    sinks.register(new ScriptedSink('s', BUSY, refused));
    const sent = sinks.require('s').deliver(null, MESSAGE);
    await clock.advance(1000);
    expect(await sent).toBe('dlq');
    expect(await queue.list('s', 0)).toMatchObject([{ attempts: 1, lastError: refused.message }]);
  });

  test('what a sink marked as terminal is parked, whatever its code', async () => {
    const { sinks, queue } = delivering();
    sinks.register(new ScriptedSink('s', terminal(new MsgError('MSG_INVALID_ARGUMENT', 'no'))));
    expect(await sinks.require('s').deliver(null, MESSAGE)).toBe('dlq');
    expect(await queue.list('s', 0)).toMatchObject([{ attempts: 1 }]);
  });

  test('the end of the service parks waits at once and sends after the grace', async () => {
    const { sinks, queue, outbound, clock } = delivering();
    sinks.register(new ScriptedSink('waiting', BUSY));
    sinks.register(new ScriptedSink('hanging', new Promise(() => {})));
    let finish = () => {};
    sinks.register(new ScriptedSink('finishing', new Promise<void>(resolve => (finish = resolve))));
    const deliveries = ['waiting', 'hanging', 'finishing'].map(name =>
      sinks.require(name).deliver(null, MESSAGE),
    );
    await settle();
    expect(outbound.size).toBe(3);
    const stopped = outbound.stop(4000);
    await settle();
    expect(await queue.list('waiting', 0)).toMatchObject([{ attempts: 1 }]);
    finish();
    await clock.advance(3999);
    expect(outbound.size).toBe(1);
    await clock.advance(1);
    await stopped;
    expect(await Promise.all(deliveries)).toEqual(['dlq', 'dlq', 'sink']);
    expect(await queue.list('hanging', 0)).toMatchObject([
      { attempts: 1, lastError: 'the delivery was cancelled' },
    ]);
    expect(clock.pending).toBe(0);
    expect(await sinks.require('waiting').deliver(null, MESSAGE)).toBe('dlq');
  });
});

describe('the registry', () => {
  test('replaces silently, also later, and lists names sorted', () => {
    const { sinks } = delivering();
    const [first, second] = [new ScriptedSink('b', 'ok'), new ScriptedSink('b', 'ok')];
    sinks.register(first);
    sinks.register(new ScriptedSink('a', 'ok'));
    sinks.register(second);
    expect(sinks.names()).toEqual(['a', 'b']);
    expect(sinks.get('b')?.inner).toBe(second);
    expect(sinks.get('c')).toBeUndefined();
    expect(() => sinks.require('c')).toThrow(expect.objectContaining({ code: 'MSG_SINK_CONFIG_INVALID' }));
  });

  test('does not wrap a wrapped sink again', async () => {
    const { sinks, clock, queue } = delivering({
      retry: { maxAttempts: 2, baseBackoff: 10, jitterFraction: -1 },
    });
    const sink = new ScriptedSink('s', BUSY);
    sinks.register(sink);
    sinks.register(sinks.require('s'));
    const delivery = sinks.require('s').deliver(null, MESSAGE);
    await clock.advance(1000);
    expect(await delivery).toBe('dlq');
    expect(sink.sends).toHaveLength(2);
    expect(await queue.list('s', 0)).toHaveLength(1);
  });

  test('per-sink settings apply', async () => {
    const { sinks } = delivering({ retry: { perSink: { once: { maxAttempts: 1 } } } });
    sinks.register(new ScriptedSink('once', BUSY));
    expect(await sinks.require('once').deliver(null, MESSAGE)).toBe('dlq');
  });

  test.each(['', 'a\nb', 'x'.repeat(129)])('refuses the name %j', name => {
    const { sinks } = delivering();
    expect(() => sinks.register(new ScriptedSink(name, 'ok'))).toThrow(MsgError);
  });
});
