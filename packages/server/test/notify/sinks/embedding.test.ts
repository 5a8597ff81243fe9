import { systemRandom } from '@msg/foundation/clock';
import { ManualClock } from '@msg/foundation/clock/testing';
import { MemoryDeadLetterQueue, Msg, type MsgOptions, type Sink, transient } from '@msg/server';
import { describe, expect, onTestFinished, test } from 'vitest';
import { outcomeOf } from './support/delivering.ts';
import { ScriptedSink } from './support/scripted-sink.ts';

const DATA = new TextEncoder().encode('live');
const NAME = 'public:shop.order.7';

async function running(options: MsgOptions) {
  const clock = new ManualClock();
  const msg = await Msg.create({ clock, ...options });
  const end = new AbortController();
  const ended = msg.run(end.signal);
  await msg.ready();
  const stop = async () => {
    end.abort();
    await clock.advance(10_000);
    await ended;
  };
  onTestFinished(stop);
  return { msg, clock, stop };
}

describe('an embedder', () => {
  test('registers sinks before and after the start, and retries apply to all', async () => {
    const early = new ScriptedSink('early', transient(new Error('busy')), 'ok');
    const late = new ScriptedSink('late', transient(new Error('busy')), 'ok');
    const { msg, clock } = await running({
      sinks: [early],
      sinkRetry: { baseBackoff: 100, jitterFraction: -1 },
    });
    msg.sinks.register(late);
    expect(msg.sinks.names()).toEqual(['early', 'late']);
    expect(msg.manifest().payload).toMatchObject({
      sinks: ['early', 'late'],
      dlq_backend: 'memory',
      sink_retry: { max_attempts: 5, base_backoff: '100ms', max_backoff: '30s', jitter_fraction: 0 },
    });
    for (const sink of [early, late]) {
      const sent = msg.publishOrSink(NAME, DATA, sink.name, { to: 1 }, { body: 'b' });
      await clock.advance(100);
      expect(await sent).toEqual({
        outcome: 'sent',
        delivered: true,
        via: 'sink',
        offset: 0,
        epoch: '',
        suppressed: false,
      });
      expect(sink.sends).toHaveLength(2);
      expect(sink.sends[1]).toEqual({
        recipient: { to: 1 },
        message: { subject: '', body: 'b', metadata: {} },
        channel: NAME,
      });
    }
    await msg.sinks.get('early')?.send(null, { body: 'direct' });
    expect(early.sends).toHaveLength(3);
  });

  test('brings a queue of its own', async () => {
    const dlq = new MemoryDeadLetterQueue(systemRandom);
    const { msg } = await running({ dlq, sinks: [new ScriptedSink('s', new Error('no'), 'ok')] });
    expect(msg.manifest().payload.dlq_backend).toBe('custom');
    expect(await msg.publishOrSink(NAME, DATA, 's', null, {})).toMatchObject({ via: 'dlq' });
    const [letter] = await dlq.list('s', 0);
    expect(await msg.deadLetters.list('s')).toEqual([letter]);
    await msg.deadLetters.replay(letter?.id ?? '');
    expect(await dlq.list('s', 0)).toEqual([]);
  });

  test('learns at the start that a sink has no usable name', async () => {
    const nameless: Sink = { name: '', send: async () => {} };
    expect(await outcomeOf(Msg.create({ sinks: [nameless] }))).toBe('MSG_SINK_CONFIG_INVALID');
  });

  test('gives up by a signal, and gets what was tried parked', async () => {
    const { msg, clock } = await running({ sinks: [new ScriptedSink('s', transient(new Error('busy')))] });
    const caller = new AbortController();
    const sent = msg.publishOrSink(NAME, DATA, 's', null, {}, caller.signal);
    await clock.advance(10);
    caller.abort();
    expect(await sent).toMatchObject({ outcome: 'parked', delivered: true, via: 'dlq' });
    expect(await msg.deadLetters.count('s')).toBe(1);
  });

  test('sends nothing while listeners cannot be counted: before the start and from the end on', async () => {
    const sink = new ScriptedSink('s', 'ok');
    const idle = await Msg.create({ sinks: [sink] });
    expect(await outcomeOf(idle.publishOrSink(NAME, DATA, 's', null, {}))).toBe('MSG_BROKER_NOT_READY');
    const { msg, stop } = await running({ sinks: [sink] });
    expect(await outcomeOf(msg.publishOrSink('nonsense', DATA, 's', null, {}))).toBe('MSG_CHANNEL_INVALID');
    await stop();
    expect(await outcomeOf(msg.publishOrSink(NAME, DATA, 's', null, {}))).toBe('MSG_BROKER_NOT_READY');
    expect(sink.sends).toEqual([]);
  });

  test('the end parks what waits', async () => {
    const { msg, stop, clock } = await running({
      sinks: [new ScriptedSink('s', transient(new Error('busy')))],
    });
    const sent = msg.publishOrSink(NAME, DATA, 's', null, {});
    await clock.advance(10);
    await stop();
    expect(await sent).toMatchObject({ via: 'dlq' });
    expect(await msg.deadLetters.count()).toBe(1);
  });
});
