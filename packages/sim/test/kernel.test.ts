import { describe, expect, it } from 'vitest';
import { Fifo } from '../src/kernel/actor.ts';
import { CHECKPOINT_EVERY, EventLog, eventLine } from '../src/kernel/event-log.ts';
import { Kernel, SimulatorError } from '../src/kernel/kernel.ts';
import { Stream } from '../src/kernel/stream.ts';

function kernelOf(seed = 'test'): Kernel {
  return new Kernel({ seed });
}

describe('the kernel', () => {
  it('runs events by time and puts equal moments into the order of their keys', async () => {
    const kernel = kernelOf();
    const actor = kernel.actor('one');
    const ran: string[] = [];
    kernel.schedule(actor, { kind: 'x', atUs: 20, order: 0.1 }, () => ran.push('later'));
    kernel.schedule(actor, { kind: 'x', atUs: 10, order: 1.5 }, () => ran.push('immediate'));
    kernel.schedule(actor, { kind: 'x', atUs: 10, order: 0.5 }, () => ran.push('input'));
    await kernel.run();
    expect(ran).toEqual(['input', 'immediate', 'later']);
    expect(kernel.nowUs).toBe(20);
  });

  it('empties ticks and microtasks after each event, while its actor is the current one', async () => {
    const kernel = kernelOf();
    const ran: string[] = [];
    for (const name of ['one', 'two']) {
      kernel.schedule(kernel.actor(name), { kind: 'x', atUs: 5 }, () => {
        process.nextTick(() => ran.push(`tick of ${kernel.current?.name}`));
        void Promise.resolve().then(() => ran.push(`microtask of ${kernel.current?.name}`));
      });
    }
    await kernel.run();
    expect(ran.length).toBe(4);
    for (const i of [0, 2]) expect(ran[i]?.replace('tick', 'microtask')).toBe(ran[i + 1]);
  });

  it('postpones what is due for a paused actor and keeps its order', async () => {
    const kernel = kernelOf();
    const [actor, other] = [kernel.actor('one'), kernel.actor('other')];
    const ran: string[] = [];
    for (const atMs of [1, 2, 3])
      kernel.at(atMs, actor, 'x', () => ran.push(`${atMs} at ${kernel.nowUs / 1000}`));
    kernel.pause(actor);
    kernel.at(10, other, 'resume', () => kernel.resume(actor));
    await kernel.run();
    expect(ran).toEqual(['1 at 10', '2 at 10', '3 at 10']);
  });

  it('discards the events of a killed actor and gives its successor other numbers', async () => {
    const kernel = kernelOf();
    const actor = kernel.actor('one');
    const drawn = actor.stream('x').next();
    let ended = 0;
    actor.onKill.add(() => ended++);
    kernel.at(5, actor, 'x', () => expect.unreachable('an event of a killed actor'));
    kernel.at(1, kernel.actor('other'), 'kill', () => kernel.kill(actor));
    await kernel.run();
    expect(ended).toBe(1);
    expect(kernel.actor('one')).not.toBe(actor);
    expect(kernel.actor('one').stream('x').next()).not.toBe(drawn);
  });

  it('collects what a killed actor held', async () => {
    const kernel = kernelOf();
    const other = kernel.actor('other');
    const held = holdSomething(kernel);
    kernel.at(1, other, 'kill', () => kernel.kill(kernel.actor('one')));
    kernel.at(2000, other, 'x', () => {});
    await kernel.run(1500);
    await collected(held);
    expect(held.deref()).toBeUndefined();
  });

  it('calls 100,000 events at one moment a livelock', async () => {
    const kernel = kernelOf();
    const again = (): void => {
      kernel.schedule(kernel.actor('one'), { kind: 'x', atUs: 0 }, again);
    };
    again();
    await kernel.run();
    expect(kernel.failure).toBeInstanceOf(SimulatorError);
    expect(String(kernel.failure)).toContain('livelock');
  });
});

/** In a function of its own, so that no local of the test holds on. */
function holdSomething(kernel: Kernel): WeakRef<object> {
  const thing = { bytes: new Uint8Array(1000) };
  kernel.at(1000, kernel.actor('one'), 'x', () => thing.bytes.fill(1));
  return new WeakRef(thing);
}

async function collected(held: WeakRef<object>): Promise<void> {
  const { gc } = globalThis as { gc?: () => void };
  if (gc === undefined) {
    const { setFlagsFromString } = await import('node:v8');
    const { runInNewContext } = await import('node:vm');
    setFlagsFromString('--expose-gc');
    (globalThis as { gc?: unknown }).gc = runInNewContext('gc');
  }
  const deadline = performance.now() + 10_000;
  while (held.deref() !== undefined && performance.now() < deadline) {
    await new Promise(resolve => setImmediate(resolve));
    (globalThis as { gc?: () => void }).gc?.();
  }
}

describe('order keys of one sender', () => {
  it('rise at one moment and are drawn at the next', () => {
    const fifo = new Fifo();
    const draw = new Stream('orders');
    const keys = Array.from({ length: 20 }, () => fifo.order(7, draw));
    expect(keys).toEqual(keys.toSorted((one, other) => one - other));
    expect(keys.at(-1)).toBeLessThanOrEqual(1);
    expect(fifo.order(8, draw)).not.toBe(keys.at(-1));
  });
});

const FIRST_OF_STREAM = [980097143, 3951115709, 619246111];

describe('a random stream', () => {
  it('is that of its name on every machine', () => {
    const stream = new Stream('1/node 1/ids');
    expect([stream.next(), stream.next(), stream.next()]).toEqual(FIRST_OF_STREAM);
    expect(new Stream('1/node 2/ids').next()).not.toBe(FIRST_OF_STREAM[0]);
  });

  it('draws numbers of its range evenly', () => {
    const stream = new Stream('even');
    const counts = new Array<number>(10).fill(0);
    for (let i = 0; i < 10_000; i++) {
      const drawn = stream.below(10);
      counts[drawn] = (counts[drawn] ?? 0) + 1;
    }
    for (const count of counts) expect(Math.abs(count - 1000)).toBeLessThan(150);
    for (let i = 0; i < 1000; i++) expect(stream.between(3, 5)).toSatisfy((n: number) => n >= 3 && n <= 5);
    expect(stream.uuid()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });
});

describe('the log', () => {
  const event = { atUs: 1_500_000, actor: 'node 1', kind: 'timer', length: 10, digest: 255 };

  it('has another hash for every member of an event that changes', () => {
    const hashes = [{}, { atUs: 1 }, { actor: 'node 2' }, { kind: 'x' }, { length: 11 }, { digest: 0 }].map(
      change => {
        const log = new EventLog();
        log.append({ ...event, ...change });
        return log.hash;
      },
    );
    expect(new Set(hashes).size).toBe(hashes.length);
    expect(hashes[0]).toMatch(/^[0-9a-f]{16}$/);
  });

  it('keeps a checkpoint every so many events', () => {
    const log = new EventLog();
    for (let i = 0; i < 2 * CHECKPOINT_EVERY; i++) log.append(event);
    expect(log.checkpoints).toHaveLength(2);
    expect(log.checkpoints[1]).toBe(log.hash);
  });

  it('writes an event as one line', () => {
    expect(eventLine(event)).toBe('1.500000 node 1 timer 10 000000ff');
  });
});
