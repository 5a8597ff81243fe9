import { LINK_CONTRACT, LINK_TEST_ERRORS, ManualClock } from '@msg/engine/testing';
import { createLink, LinkBroken, LinkEnd, type LinkSizes } from '@msg/engine/threads';
import { systemClock } from '@msg/foundation/clock';
import { eventually } from '@msg/testkit';
import { describe, expect, it } from 'vitest';
import { type Bell, SharedBell } from '#src/threads/link/bell.ts';
import { CONTROL_BYTES, RingMemory } from '#src/threads/link/ring-memory.ts';

const SIZES: readonly (readonly [name: string, sizes: LinkSizes])[] = [
  ['rings of 4 KiB', { upBytes: 4096, downBytes: 4096 }],
  ['rings of the default size', {}],
];

function bothEnds(sizes: LinkSizes, clock = new ManualClock()) {
  const { main, thread } = createLink(sizes);
  const broken: Error[] = [];
  const options = { clock, errors: LINK_TEST_ERRORS, onBroken: (error: Error) => void broken.push(error) };
  const ends = { main: new LinkEnd(main, options), thread: new LinkEnd(thread, options) };
  return { ...ends, memory: main, clock, broken, advance: (ms: number) => clock.advance(ms), eventually };
}

/** An end that hears no bell and rings none. */
const DEAF: Bell = { sleep: () => {}, ring: () => {}, close: () => {} };

/** A thread whose loop ends no turn: it did not get the processor since. */
class StarvedClock extends ManualClock {
  override afterTurn(): void {}
}

/** What is to be done after the turn is done at once: the other thread was faster. */
class HastyClock extends ManualClock {
  override afterTurn(callback: () => void): void {
    callback();
  }
}

/** A loop whose turns a test ends. */
class StepClock extends ManualClock {
  #after: (() => void)[] = [];
  override afterTurn(callback: () => void): void {
    this.#after.push(callback);
  }
  endTurn(): void {
    for (const callback of this.#after.splice(0)) callback();
  }
}

describe.each(SIZES)('a link keeps its contract: %s', (_, sizes) => {
  it.each(LINK_CONTRACT)('$name', async ({ holds }) => {
    const subject = bothEnds(sizes);
    await holds(subject);
    subject.main.close();
    subject.thread.close();
    expect(subject.broken).toEqual([]);
    expect([subject.main.missedBells, subject.thread.missedBells]).toEqual([0, 0]);
    expect(subject.clock.pending).toBe(0);
  });
});

describe('a link', () => {
  it('is broken for its reader when a record is not the next one, and nothing of it is delivered', async () => {
    const { main, thread, memory, broken } = bothEnds({});
    const seen: number[] = [];
    thread.handle(16, body => void seen.push(body.length));
    main.post(16, new Uint8Array(1));
    main.post(16, new Uint8Array(2));
    // The second record, 24 bytes after the first one; its number is 8 bytes after its beginning.
    new DataView(memory.outgoing, CONTROL_BYTES).setUint32(24 + 8, 7, true);
    await eventually('the link is broken', () => broken.length === 1);
    expect(broken[0]).toBeInstanceOf(LinkBroken);
    expect(seen).toEqual([1]);
    await expect(thread.request(16, new Uint8Array(0))).rejects.toMatchObject({ name: 'LinkBusy' });
    main.close();
  });

  it('repairs and counts a bell that was lost', async () => {
    const clock = new ManualClock();
    const { main, thread } = createLink({});
    const writer = new LinkEnd(main, { clock, bell: DEAF });
    const reader = new LinkEnd(thread, { clock, bell: DEAF });
    const seen: number[] = [];
    reader.handle(16, body => void seen.push(body.length));
    writer.post(16, new Uint8Array(5));
    await clock.advance(600);
    await eventually('the record was found', () => seen.length === 1);
    expect([seen, reader.missedBells, writer.missedBells]).toEqual([[5], 1, 0]);
    writer.close();
    reader.close();
  });

  it('finds a record whose writer did not run until its bell, and counts nothing', async () => {
    const clock = new ManualClock();
    const { main, thread } = createLink({});
    const writer = new LinkEnd(main, { clock: new StarvedClock() });
    const reader = new LinkEnd(thread, { clock });
    const seen: number[] = [];
    reader.handle(16, body => void seen.push(body.length));
    writer.post(16, new Uint8Array(5));
    await clock.advance(600);
    await eventually('the record was found', () => seen.length === 1);
    expect([reader.missedBells, writer.missedBells]).toEqual([0, 0]);
    writer.close();
    reader.close();
  });

  it('sees room whose bell was rung before its sleep was announced', async () => {
    const { main, thread } = createLink({ upBytes: 4096, downBytes: 4096 });
    const own = new SharedBell(new RingMemory(main.incoming), new RingMemory(main.outgoing));
    let beforeSleep = () => {};
    const bell: Bell = {
      sleep(wake) {
        beforeSleep();
        own.sleep(wake);
      },
      ring: () => own.ring(),
      close: () => own.close(),
    };
    const other = new SharedBell(new RingMemory(thread.incoming), new RingMemory(thread.outgoing));
    const writer = new LinkEnd(main, { clock: new ManualClock(), bell });
    // The reader reads only when it is told to, so that the order of what both ends do is the worst one.
    const reader = new LinkEnd(thread, {
      clock: new HastyClock(),
      bell: { ...DEAF, ring: () => other.ring() },
    });
    const seen: number[] = [];
    reader.handle(16, body => void seen.push(body[0] ?? -1));
    writer.handle(17, () => {});
    for (let n = 0; n < 10; n++) writer.post(16, new Uint8Array(1000).fill(n));
    let slept = 0;
    beforeSleep = () => {
      slept++;
      reader.readRest();
    };
    reader.post(17, new Uint8Array(0)); // wakes the writer, whose ring is full until it is about to sleep again
    await eventually('the writer slept', () => slept > 0);
    await eventually('all arrived', () => {
      reader.readRest();
      return seen.length === 10;
    });
    expect(seen).toEqual(Array.from({ length: 10 }, (_, n) => n));
    writer.close();
    reader.close();
  });

  it('tells of room also when a later event wrote what had waited', async () => {
    const { main, thread } = createLink({ downBytes: 4096, downSpillBytes: 2000 });
    const writer = new LinkEnd(main, { clock: new ManualClock(), bell: DEAF });
    const reader = new LinkEnd(thread, { clock: new ManualClock(), bell: DEAF });
    let rooms = 0;
    writer.onRoom(() => rooms++);
    reader.handle(16, () => {});
    while (writer.post(16, new Uint8Array(1000)));
    await new Promise(setImmediate);
    reader.readRest();
    expect([writer.post(16, new Uint8Array(8)), rooms]).toEqual([true, 0]);
    await eventually('the writer was told of room', () => rooms === 1);
    writer.close();
    reader.close();
  });

  it.each([
    ['main', 512],
    ['thread', 1024],
  ] as const)('lets the sockets of %s have a turn after %i records', (end, most) => {
    const link = createLink({});
    const writer = new LinkEnd(link[end === 'main' ? 'thread' : 'main'], { clock: new StepClock() });
    writer.post(16, new Uint8Array(1));
    for (let n = 0; n < 2 * most; n++) writer.post(16, new Uint8Array(1));
    const clock = new StepClock();
    let seen = 0;
    const reader = new LinkEnd(link[end], { clock });
    reader.handle(16, () => void seen++);
    const turns = [1, 2, 3].map(() => {
      clock.endTurn();
      return seen;
    });
    expect(turns).toEqual([most, 2 * most, 2 * most + 1]);
    writer.close();
    reader.close();
  });

  it('gives up what a dead thread had written before it ended', () => {
    const { main, thread } = bothEnds({}, new ManualClock());
    const seen: number[] = [];
    main.handle(16, body => void seen.push(body.length));
    thread.post(16, new Uint8Array(1));
    thread.post(16, new Uint8Array(80_000));
    main.readRest();
    expect(seen).toEqual([1, 80_000]);
    main.close();
    thread.close();
  });

  it.each([0, 1024, 5000, 2 ** 31])('refuses a ring of %i bytes', bytes => {
    expect(() => createLink({ upBytes: bytes })).toThrow(RangeError);
  });

  it('numbers records past 32 bits of positions', { timeout: 60_000 }, async () => {
    // Positions are 32-bit counters: they are set close to their end, as after four gigabytes.
    const { main, thread } = createLink({ upBytes: 4096, downBytes: 4096 });
    const words = new Int32Array(main.outgoing, 0, CONTROL_BYTES / 4);
    words[0] = words[16] = -4096;
    const options = { clock: systemClock };
    const [writer, reader] = [new LinkEnd(main, options), new LinkEnd(thread, options)];
    const seen: number[] = [];
    reader.handle(16, body => void seen.push(body[0] ?? -1));
    for (let n = 0; n < 200; n++) writer.post(16, new Uint8Array(100).fill(n));
    await eventually('all arrived', () => seen.length === 200);
    expect(seen).toEqual(Array.from({ length: 200 }, (_, n) => n));
    writer.close();
    reader.close();
  });
});
