import { describe, expect, it } from 'vitest';
import { Batch } from '#src/delivery/batch.ts';
import { WriteQueue } from '#src/session/write-queue.ts';
import type { WriteQueueEvents } from '#src/session/write-queue-contract.ts';
import { contextOf, FRAMING, RecordingTransport, settled } from './parts.ts';

const LIMIT = 100_000;
const STALL_MS = 1000;
/** A reply that counts towards the memory of all replies, and fills it. */
const LONG_BYTES = 2000;

const messageOf = (text: string) => new Batch(FRAMING, new TextEncoder().encode(text));

function start() {
  const { context, clock } = contextOf(
    {},
    { limits: { queueBytes: LIMIT, writeStallMs: STALL_MS, replyBytes: LONG_BYTES } },
  );
  const transport = new RecordingTransport();
  const reports: string[] = [];
  const events: WriteQueueEvents = {
    onOverflow: () => void reports.push('overflow'),
    onStall: () => void reports.push('stall'),
    onDrain: () => void reports.push('drain'),
  };
  const queue = new WriteQueue(context.writeQueue, transport, events);
  /** The socket holds what it was given, and takes no more. */
  const block = () => {
    transport.writable = false;
  };
  /** The peer has taken everything. */
  const drain = () => {
    transport.writable = true;
    transport.buffered = 0;
    queue.drained();
  };
  const { stats, replyBudget } = context;
  return { queue, transport, reports, clock, block, drain, stats, replyBudget };
}

describe('what waits to be written to a socket', () => {
  it('leaves in one write at the end of the turn', async () => {
    const { queue, transport, stats } = start();
    queue.push(messageOf('1'));
    queue.reply(messageOf('2'));
    queue.push(messageOf('3'));
    expect(transport.writes).toEqual([]);
    await settled();
    expect(transport.writes).toEqual(['1\n2\n3']);
    expect(queue.waitingBytes).toBe(0);
    expect(stats.bytesOut).toBe(5);
  });

  it('leaves in pieces of 64 KiB at most', async () => {
    const { queue, transport } = start();
    queue.reply(messageOf('x'.repeat(150_000)));
    await settled();
    expect(transport.writes.map(write => write.length)).toEqual([65_536, 65_536, 18_928]);
  });

  it('stays while the socket is full, and is counted', async () => {
    const { queue, transport, block, drain } = start();
    block();
    queue.push(messageOf('1'));
    await settled();
    queue.push(messageOf('22'));
    await settled();
    expect(transport.writes).toEqual(['1']);
    expect(queue.waitingBytes).toBe(3);
    drain();
    expect(transport.writes).toEqual(['1', '22']);
  });

  it('is too much when pushes above the limit wait', async () => {
    const { queue, reports, block } = start();
    block();
    queue.push(messageOf('1'));
    await settled();
    queue.push(messageOf('x'.repeat(LIMIT - 1)));
    expect(reports).toEqual([]);
    queue.push(messageOf('22'));
    expect(reports).toEqual(['overflow']);
  });

  it('may be one push of any size, and nothing behind it', () => {
    const { queue, reports, block } = start();
    block();
    queue.push(messageOf('x'.repeat(LIMIT * 2)));
    expect(reports).toEqual([]);
    queue.push(messageOf('2'));
    expect(reports).toEqual(['overflow']);
  });

  it('does not end the connection by replies; they stop its commands until they are read', async () => {
    const { queue, reports, block, drain } = start();
    block();
    queue.reply(messageOf('1'));
    await settled();
    expect(queue.congested).toBe(false);
    queue.reply(messageOf('x'.repeat(LIMIT)));
    queue.push(messageOf('2'));
    expect(reports).toEqual([]);
    expect(queue.congested).toBe(true);
    drain();
    await settled();
    expect(reports).toEqual(['drain']);
    expect(queue.congested).toBe(false);
  });

  it('is given up when the peer takes nothing for so long, and not when it takes a byte', async () => {
    const { queue, transport, reports, clock, block } = start();
    block();
    queue.push(messageOf('12345'));
    await settled();
    for (const left of [4, 3]) {
      await clock.advance(STALL_MS / 2);
      transport.buffered = left;
      await clock.advance(STALL_MS * 0.6);
    }
    expect(reports).toEqual([]);
    await clock.advance(STALL_MS * 2);
    expect(reports).toEqual(['stall']);
  });

  it('leaves whole at the end, and nothing is taken any more', () => {
    const { queue, transport, block } = start();
    const finished: boolean[] = [];
    queue.push(messageOf('1'));
    block();
    queue.push(messageOf('x'.repeat(70_000)));
    queue.finish(complete => finished.push(complete));
    expect(transport.writes.map(write => write.length)).toEqual([1, 65_536, 4_464]);
    expect(finished).toEqual([true]);
    queue.push(messageOf('2'));
    expect(queue.waitingBytes).toBe(transport.buffered);
  });

  it('is dropped; a frame that was begun is told of', async () => {
    const whole = start();
    whole.block();
    whole.queue.push(messageOf('1'));
    await settled();
    whole.queue.push(messageOf('2'));
    expect(whole.queue.discard()).toBe(true);
    expect(whole.queue.waitingBytes).toBe(whole.transport.buffered);
    const begun = start();
    begun.block();
    begun.queue.push(messageOf('x'.repeat(70_000)));
    await settled();
    expect(begun.queue.discard()).toBe(false);
  });
});

describe('a long reply of one connection', () => {
  const taken: Readonly<Record<string, (parts: ReturnType<typeof start>) => unknown>> = {
    'is taken': ({ drain }) => drain(),
    'is taken without a word of the socket': ({ transport, clock }) => {
      transport.buffered = 0;
      return clock.advance(2 * STALL_MS);
    },
    'is dropped': ({ queue }) => queue.discard(),
  };

  it.each(Object.entries(taken))('counts towards the memory of all until it %s', async (_how, take) => {
    const parts = start();
    const { queue, block, replyBudget } = parts;
    block();
    queue.reply(messageOf('1'.repeat(LONG_BYTES / 2)));
    queue.reply(messageOf('x'.repeat(LONG_BYTES)));
    await settled();
    expect(replyBudget.hasRoom).toBe(false);
    await take(parts);
    expect(replyBudget.hasRoom).toBe(true);
  });
});
