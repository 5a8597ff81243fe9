import { describe, expect, test } from 'vitest';
import { recipientGone, transient } from '#src/notify/sinks/failure.ts';
import { WebhookSink } from '#src/notify/sinks/webhook/sink.ts';
import { settle } from '../../support/settle.ts';
import { delivering, outcomeOf } from '../sinks/support/delivering.ts';
import { ScriptedSink, type Step } from '../sinks/support/scripted-sink.ts';
import { hookServer } from '../sinks/support/servers.ts';

const BUSY = transient(new Error('busy'));
const MESSAGE = { subject: 's', body: 'b', metadata: {} };

/** A service whose sink `s` does these steps, with one letter parked by an attempt before them. */
async function parked(...steps: Step[]) {
  const parts = delivering({ retry: { maxAttempts: 2, baseBackoff: 1000, jitterFraction: -1 } });
  const sink = new ScriptedSink('s', BUSY, BUSY, ...steps);
  parts.sinks.register(sink);
  const delivery = parts.sinks.require('s').deliver({ to: 'x' }, MESSAGE, { channel: 'public:a.b' });
  await parts.clock.advance(1000);
  await delivery;
  const [letter] = await parts.deadLetters.list('s');
  if (letter === undefined) throw new Error('nothing was parked');
  return { ...parts, sink, letter };
}

describe('replay', () => {
  test('a delivered replay removes the letter', async () => {
    const { deadLetters, letter, sink } = await parked('ok');
    expect(await deadLetters.resend(letter.id)).toEqual({ outcome: 'sent', attempts: 3, lastError: '' });
    expect(await deadLetters.list()).toEqual([]);
    expect(sink.sends[2]).toEqual({ recipient: { to: 'x' }, message: MESSAGE, channel: 'public:a.b' });
    expect(await outcomeOf(deadLetters.replay(letter.id))).toBe('MSG_SINK_DLQ_NOT_FOUND');
  });

  test('a failed replay keeps id and time, adds its attempts, and is a success', async () => {
    const { deadLetters, letter, clock } = await parked(BUSY, new Error('550 gone'));
    const replay = deadLetters.resend(letter.id);
    await clock.advance(1000);
    expect(await replay).toEqual({ outcome: 'parked', attempts: 4, lastError: '550 gone' });
    expect(await deadLetters.list()).toEqual([{ ...letter, attempts: 4, lastError: '550 gone' }]);
  });

  test('a letter whose URL leads into a private network is not sent, and stays', async () => {
    const { server, url } = await hookServer();
    const parts = delivering({ retry: { maxAttempts: 1 } });
    parts.sinks.register(new WebhookSink({ url: 'http://127.0.0.1:1/', signingSecret: 's3' }));
    const letter = { sink: 'webhook', channel: 'public:a.b', message: MESSAGE, attempts: 1, parkedAt: 1 };
    const id = await parts.queue.push({ ...letter, recipient: { url }, lastError: 'busy' });
    await parts.deadLetters.replay(id);
    expect(server.received).toEqual([]);
    expect(await parts.deadLetters.list()).toMatchObject([
      { ...letter, id, lastError: expect.stringContaining('must lead to public addresses only') },
    ]);
    parts.sinks.register(new WebhookSink({ url: 'http://127.0.0.1:1/', allowedOrigins: [url] }));
    await parts.deadLetters.replay(id);
    expect(server.received).toHaveLength(1);
    expect(await parts.deadLetters.count()).toBe(0);
  });

  test('of concurrent replays one sends, the others find nothing', async () => {
    let finish = () => {};
    const { deadLetters, letter, sink } = await parked(new Promise<void>(resolve => (finish = resolve)));
    const replays = Array.from({ length: 10 }, () => outcomeOf(deadLetters.replay(letter.id)));
    await settle();
    finish();
    expect((await Promise.all(replays)).sort()).toEqual([
      ...Array.from({ length: 9 }, () => 'MSG_SINK_DLQ_NOT_FOUND'),
      'sent',
    ]);
    expect(sink.sends).toHaveLength(3);
  });

  test('the answer does not wait longer than 20 s, and the run goes on', async () => {
    let finish = () => {};
    const { deadLetters, letter, clock } = await parked(new Promise<void>(resolve => (finish = resolve)));
    let answered = false;
    const replay = deadLetters.resend(letter.id).then(outcome => {
      answered = true;
      return outcome;
    });
    await clock.advance(19_999);
    expect(answered).toBe(false);
    await clock.advance(1);
    expect(await replay).toEqual({ outcome: 'running', attempts: 2, lastError: 'busy' });
    expect(await deadLetters.count()).toBe(1);
    expect(await outcomeOf(deadLetters.replay(letter.id))).toBe('MSG_SINK_DLQ_NOT_FOUND');
    finish();
    await settle();
    expect(await deadLetters.count()).toBe(0);
    expect(clock.pending).toBe(0);
  });

  test('a letter discarded during its replay stays gone', async () => {
    let fail: (error: Error) => void = () => {};
    const { deadLetters, letter } = await parked(new Promise<void>((_, reject) => (fail = reject)));
    const replay = deadLetters.replay(letter.id);
    await settle();
    await deadLetters.discards.discard({ ids: [letter.id] }, 0);
    fail(new Error('550 no'));
    await replay;
    expect(await deadLetters.list()).toEqual([]);
  });

  test('a letter whose recipient is gone for good is removed, and the replay says so', async () => {
    const { deadLetters, letter, sinks, events } = await parked('ok');
    sinks.register({
      name: 's',
      decodeRecipient: stored => stored,
      send: () => Promise.reject(recipientGone('the subscription has ended')),
    });
    expect(await deadLetters.resend(letter.id)).toEqual({
      outcome: 'gone',
      attempts: letter.attempts + 1,
      lastError: 'the subscription has ended',
    });
    expect(await deadLetters.list()).toEqual([]);
    expect(events.at(-1)).toBe(`s gone in ${letter.channel}`);
  });

  test('a letter of a sink that is not registered stays', async () => {
    const { deadLetters, letter, queue } = await parked('ok');
    const { id: _, ...rest } = letter;
    const id = await queue.push({ ...rest, sink: 'gone' });
    expect(await outcomeOf(deadLetters.replay(id))).toBe('MSG_SINK_CONFIG_INVALID');
    expect(await outcomeOf(deadLetters.replay(id))).toBe('MSG_SINK_CONFIG_INVALID');
    expect(await deadLetters.count('gone')).toBe(1);
  });

  test('a sink without a decoder, or one that cannot read the recipient, leaves the letter', async () => {
    const { deadLetters, letter, sinks, sink } = await parked('ok');
    sinks.register({ name: 's', send: (...send) => sink.send(...send) });
    expect(await outcomeOf(deadLetters.replay(letter.id))).toBe('MSG_SINK_RECIPIENT_DECODE');
    sinks.register({
      name: 's',
      send: (...send) => sink.send(...send),
      decodeRecipient: () => {
        throw new Error('an address is missing');
      },
    });
    await expect(deadLetters.replay(letter.id)).rejects.toMatchObject({
      code: 'MSG_SINK_RECIPIENT_DECODE',
      message: 'sink s cannot read the stored recipient: an address is missing',
    });
    expect(sink.sends).toHaveLength(2);
    expect(await deadLetters.list()).toEqual([letter]);
    sinks.register(sink);
    await deadLetters.replay(letter.id);
    expect(await deadLetters.count()).toBe(0);
  });

  test('the end of the service ends replays too, and their letters stay', async () => {
    const { deadLetters, letter, outbound, clock } = await parked(BUSY);
    const replay = deadLetters.replay(letter.id);
    await settle();
    await Promise.all([outbound.stop(4000), replay]);
    expect(await deadLetters.list()).toEqual([{ ...letter, attempts: 3 }]);
    expect(clock.pending).toBe(0);
  });

  test('a queue that fails after the answer is reported', async () => {
    let finish = () => {};
    const { deadLetters, letter, queue, errors, clock } = await parked(
      new Promise<void>(resolve => (finish = resolve)),
    );
    const claim = queue.claim.bind(queue);
    queue.claim = async id => {
      const held = await claim(id);
      return held && { ...held, remove: () => Promise.reject(new Error('store down')) };
    };
    const replay = deadLetters.replay(letter.id);
    await clock.advance(20_000);
    await replay;
    finish();
    await settle();
    expect(errors).toEqual([new Error('store down')]);
  });
});

test('list, count and discard', async () => {
  const { deadLetters, letter, queue, sinks } = await parked('ok');
  const { id: _, ...rest } = letter;
  await queue.push({ ...rest, sink: 'other', parkedAt: letter.parkedAt + 1 });
  sinks.register(new ScriptedSink('idle', 'ok'));
  expect((await deadLetters.list()).map(({ sink }) => sink)).toEqual(['other', 's']);
  expect(await deadLetters.list('', 1)).toHaveLength(1);
  expect(await outcomeOf(deadLetters.list('s', -1))).toBe('MSG_INVALID_ARGUMENT');
  expect([
    await deadLetters.count(),
    await deadLetters.count('s'),
    await deadLetters.count('nobody'),
  ]).toEqual([2, 1, 0]);
  expect(await deadLetters.sizes()).toEqual(
    new Map([
      ['idle', 0],
      ['s', 1],
      ['other', 1],
    ]),
  );
  const selection = { ids: [letter.id] };
  expect(await deadLetters.discards.discard(selection, 0)).toEqual([letter.id]);
  expect(await deadLetters.discards.discard(selection, 0)).toEqual([]);
  expect(await deadLetters.count()).toBe(1);
});
