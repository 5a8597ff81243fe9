import { threadBackends, threadHost } from '@msg/engine/threads';
import { ManualClock } from '@msg/foundation/clock/testing';
import { Payload } from '@msg/protocol';
import { expect, it } from 'vitest';

const STREAM = { size: 10, ttlMs: 300_000 };

it('a publish is carried out below the trace of its thread, and where it has none its record has no byte for it', async () => {
  const clock = new ManualClock();
  const traces: string[] = [];
  const host = threadHost({
    clock,
    below: (trace, work) => {
      traces.push(trace);
      return work();
    },
  });
  const { broker } = host.backends;
  await broker.start({ publication() {}, appended() {}, join() {}, leave() {} });
  const attached = host.attach(1);
  let trace: string | undefined;
  const thread = threadBackends(attached.link, { clock, trace: () => trace });
  /** Bytes of the record of a publish, which main reads later. */
  const published = async (): Promise<number> => {
    const before = thread.end.waitingBytes;
    const answer = thread.backends.broker.publish('c', new Payload(new Uint8Array(100)), STREAM, {});
    const bytes = thread.end.waitingBytes - before;
    expect((await answer).suppressed).toBe(false);
    return bytes;
  };
  const plain = await published();
  expect(traces).toEqual([]);
  trace = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  expect((await published()) - plain).toBe(56); // 59 of 55 characters and their length: records are aligned to 8
  expect(traces).toEqual([trace]);
  trace = undefined;
  expect(await published()).toBe(plain);
  thread.close();
  await attached.detach();
  await broker.stop();
});
