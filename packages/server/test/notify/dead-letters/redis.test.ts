import { systemClock, systemRandom } from '@msg/foundation/clock';
import { ManualClock } from '@msg/foundation/clock/testing';
import { RedisServer } from '@msg/testkit/redis';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { RedisDeadLetterQueue } from '#src/notify/dead-letters/redis/queue.ts';
import { connectSharedStore, type SharedConnection } from '#src/stores/redis/connect.ts';

describe('the dead letters that nodes share', () => {
  let server: RedisServer;
  let connection: SharedConnection;

  beforeAll(async () => {
    server = await RedisServer.start();
    connection = await connectSharedStore({ address: server.address, keyPrefix: 'dead' });
  });
  beforeEach(async () => {
    await server.command('FLUSHALL');
  });
  afterAll(async () => {
    await connection.close();
    await server.stop();
  });

  const queue = (clock: ConstructorParameters<typeof RedisDeadLetterQueue>[0]['clock'] = systemClock) =>
    new RedisDeadLetterQueue({
      store: connection.store,
      clock,
      random: systemRandom,
      knownSinks: () => ['foreign'],
      onError: () => {},
    });
  const letter = {
    sink: 'hook',
    channel: 'public:a.b',
    recipient: { url: 'https://example.com' },
    message: { subject: 's', body: 'b', metadata: { k: 'v' } },
    lastError: 'gone',
    attempts: 5,
    parkedAt: Date.UTC(2026, 0, 2, 3, 4, 5, 678),
  };

  test('stream, item and replay state are as documented', async () => {
    const id = await queue().push(letter);
    const [[entry, fields]] = (await server.command('XRANGE', 'dead:dlq:hook', '-', '+')) as [
      [string, string[]],
    ];
    expect(entry).toBe(id);
    expect(fields[0]).toBe('item');
    expect(JSON.parse(String(fields[1]))).toEqual({
      sink: 'hook',
      at: '2026-01-02T03:04:05.678Z',
      channel: 'public:a.b',
      recipient: { url: 'https://example.com' },
      message: { Subject: 's', Body: 'b', Metadata: { k: 'v' } },
      attempts: 5,
      last_error: 'gone',
    });
    await (await queue().claim(id))?.fail({ attempts: 9, lastError: 'still gone' });
    expect(JSON.parse(String(await server.command('HGET', 'dead:dlqstate:hook', id)))).toEqual({
      attempts: 9,
      last_error: 'still gone',
    });
  });

  test('ids are unique among sinks, also within one millisecond', async () => {
    const sinks = Array.from({ length: 200 }, (_, index) => `sink${index % 10}`);
    const ids = await Promise.all(sinks.map(sink => queue().push({ ...letter, sink })));
    expect(new Set(ids).size).toBe(200);
  });

  test('a letter that others wrote is read, with a missing channel and members in lower case', async () => {
    const item = {
      recipient: 'x',
      message: { subject: 's', body: 'b', metadata: null },
      attempts: 2,
      last_error: 'e',
    };
    await server.command('XADD', 'dead:dlq:foreign', '1767323045678-3', 'item', JSON.stringify(item));
    expect(await queue().list(undefined, 0)).toEqual([
      {
        id: '1767323045678-3',
        sink: 'foreign',
        channel: '',
        recipient: 'x',
        message: { subject: 's', body: 'b', metadata: {} },
        attempts: 2,
        lastError: 'e',
        parkedAt: 1_767_323_045_678,
      },
    ]);
    expect(await queue().discard('1767323045678-3')).toBe(true);
  });

  test('a claim is kept alive by its holder, and free when the holder is gone', async () => {
    const id = await queue().push(letter);
    const clock = new ManualClock();
    const claim = await queue(clock).claim(id);
    const key = `dead:dlqclaim:${id}`;
    await server.command('PEXPIRE', key, 5000);
    await clock.advance(10_000);
    expect(Number(await server.command('PTTL', key))).toBeGreaterThan(5000);
    expect(await queue().claim(id)).toBeUndefined();
    // The holder dies: nobody renews, and the store forgets the claim.
    await server.command('DEL', key);
    const next = await queue().claim(id);
    expect(next?.letter.id).toBe(id);
    // The one thought dead comes back and must not take the claim from the new holder.
    await claim?.fail({ attempts: 6, lastError: 'late' });
    expect(await queue().claim(id)).toBeUndefined();
    await next?.remove();
    expect(clock.pending).toBe(0);
  });
});
