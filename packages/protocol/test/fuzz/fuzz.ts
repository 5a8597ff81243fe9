import { DecodeError } from '@msg/protocol';
import { Random } from '../support/random.ts';
import { mutate, seedInputs } from './corpus.ts';
import { TARGETS } from './targets.ts';

const POOL = 2_000;
/** One input may take this long, garbage collection of a busy machine included. */
const HANG_MS = 2_000;

export interface FuzzOptions {
  readonly seed: number;
  /** Stops after this many inputs, each given to one decoder. */
  readonly inputs: number;
  /** Or after this time, milliseconds. */
  readonly forMs: number;
}

export interface FuzzReport {
  readonly inputs: number;
  /** How many each decoder took without an error, and how many it refused. */
  readonly perTarget: ReadonlyMap<string, { accepted: number; refused: number }>;
}

/** What went wrong, with all that is needed to see it again. */
export class FuzzFailure extends Error {
  override readonly name = 'FuzzFailure';
}

/**
 * Gives mutated inputs to all decoders in turn. Inputs that a decoder accepts although they are new, or refuses in a
 * way not seen before, join the pool that is mutated further.
 *
 * @throws FuzzFailure when a decoder throws anything but `DecodeError`, or does not come back in time.
 */
export function fuzz({ seed, inputs, forMs }: FuzzOptions): FuzzReport {
  const random = new Random(seed);
  const pool = seedInputs(random, POOL);
  const perTarget = new Map(TARGETS.map(target => [target.name, { accepted: 0, refused: 0 }]));
  const refusals = new Set<string>();
  const started = performance.now();
  let count = 0;
  for (; count < inputs; count++) {
    const now = performance.now();
    if (now - started > forMs) break;
    const input = mutate(random.pick(pool), random.pick(pool), random);
    const target = TARGETS[count % TARGETS.length]!;
    const outcome = attempt(
      target.run,
      input,
      () => `seed ${seed}, input ${count}, ${target.name}, ${hex(input)}`,
    );
    const tally = perTarget.get(target.name)!;
    if (outcome === null) tally.accepted++;
    else tally.refused++;
    const isNew = outcome === null ? random.chance(0.05) : !refusals.has(`${target.name} ${outcome}`);
    if (outcome !== null) refusals.add(`${target.name} ${outcome}`);
    if (isNew) pool[random.below(POOL)] = Uint8Array.from(input);
    if (performance.now() - now > HANG_MS)
      throw new FuzzFailure(`took too long: seed ${seed}, ${hex(input)}`);
  }
  return { inputs: count, perTarget };
}

/** Null, or code and message of the decode error. */
function attempt(run: (input: Uint8Array) => void, input: Uint8Array, where: () => string): string | null {
  try {
    run(input);
    return null;
  } catch (error) {
    if (error instanceof DecodeError) return `${error.code} ${error.message}`;
    throw new FuzzFailure(where(), { cause: error });
  }
}

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
