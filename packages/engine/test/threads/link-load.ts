import { LinkEnd, type LinkMemory } from '@msg/engine/threads';
import { systemClock } from '@msg/foundation/clock';
import { Prng } from '../model/prng.ts';

/** A load of one end: it sends as many records as it expects, both from seeds that the two ends know. */
export interface LinkLoad {
  readonly memory: LinkMemory;
  readonly records: number;
  readonly sendSeed: number;
  readonly expectSeed: number;
  /** One record of so many is followed by a stall of up to 20 ms. */
  readonly stallEvery: number;
}

/** What one end saw. */
export interface LinkVerdict {
  readonly received: number;
  /** The first record that was not the expected one. */
  readonly wrong: string | null;
  /** Events that were refused and sent again. */
  readonly refused: number;
  readonly missedBells: number;
  /** Resident memory after a quarter of the records, and the most afterwards, bytes. */
  readonly rssAtQuarter: number;
  readonly rssMost: number;
}

const KINDS = 40;
const PARCEL_EVERY = 20_000;
/** What is sent before the loop turns. */
const BURST = 64;

/** The records of a seed: kind, flags and body. */
class Records {
  readonly #prng: Prng;
  #sent = 0;

  constructor(seed: number) {
    this.#prng = new Prng(seed);
  }

  next(): { kind: number; flags: number; body: Uint8Array } {
    const prng = this.#prng;
    const isParcel = ++this.#sent % PARCEL_EVERY === 0;
    const length = isParcel ? prng.between(66_000, 90_000) : prng.below(prng.chance(5) ? 2000 : 120);
    const body = new Uint8Array(length);
    for (let at = 0; at < length; at += 61) body[at] = prng.next();
    return { kind: 16 + prng.below(KINDS), flags: prng.below(128), body };
  }
}

/** Stops the whole thread, as a long turn or a collection does. */
function stall(prng: Prng): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, prng.below(20));
}

/** Sends and receives everything, with stalls on both ways. */
export async function playLinkLoad(load: LinkLoad): Promise<LinkVerdict> {
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const { promise: sent, resolve: allSent } = Promise.withResolvers<void>();
  const stalls = new Prng(load.sendSeed + 1);
  const expected = new Records(load.expectSeed);
  let [received, refused, rssAtQuarter, rssMost] = [0, 0, 0, 0];
  let wrong: string | null = null;
  const link = new LinkEnd(load.memory, {
    clock: systemClock,
    onBroken: error => {
      wrong ??= error.message;
      end();
      allSent();
    },
  });
  const watchMemory = (): void => {
    const { rss } = process.memoryUsage();
    if (received <= load.records / 4) rssAtQuarter = rss;
    else rssMost = Math.max(rssMost, rss);
  };
  for (let kind = 16; kind < 16 + KINDS; kind++)
    link.handle(kind, (body, record) => {
      const next = expected.next();
      received++;
      if (next.kind !== record.kind || next.flags !== record.flags || Buffer.compare(next.body, body) !== 0)
        wrong ??= `record ${received} of kind ${record.kind} with ${body.length} bytes, not ${next.kind} with ${next.body.length}`;
      if (received % 50_000 === 0) watchMemory();
      if (stalls.below(load.stallEvery) === 0) stall(stalls);
      if (received === load.records) end();
    });
  const records = new Records(load.sendSeed);
  let left = load.records;
  let again: ReturnType<Records['next']> | null = null;
  const sendSome = (): void => {
    for (let n = 0; n < BURST && left > 0; n++) {
      const record = again ?? records.next();
      again = null;
      if (link.post(record.kind, record.body, record.flags)) left--;
      else {
        refused++;
        again = record;
        return; // until there is room
      }
    }
    if (left > 0) setImmediate(sendSome);
    else allSent();
  };
  link.onRoom(sendSome);
  sendSome();
  await Promise.all([ended, sent]);
  // The other end may still read: the last record is answered by its verdict.
  return { received, wrong, refused, missedBells: link.missedBells, rssAtQuarter, rssMost };
}
