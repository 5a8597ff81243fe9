import { BLOCK, BlockIndex, RollingHash } from './block-index.ts';
import { checksum } from './checksum.ts';
import { digitCount, writeDigits } from './digits.ts';

/** How many blocks of one bucket are tried per window. */
const SEARCH_LIMIT = 250;

/** Bytes of length, checksum, their punctuation, and the last literal's head. */
const FRAME_BYTES = 32;

const LF = 0x0a;
const COMMA = 0x2c;
const COLON = 0x3a;
const SEMICOLON = 0x3b;
const AT = 0x40;

/**
 * A fossil delta that turns `base` into `target` (client protocol, appendix B). Costs time linear in `target`,
 * times at most the search limit. The delta may be longer than `target`: see `createPatch`.
 */
export function createDelta(base: Uint8Array, target: Uint8Array): Uint8Array {
  const writer = new DeltaWriter(target);
  if (base.length > BLOCK) findCopies(base, target, writer);
  return writer.finish();
}

/**
 * Writes commands. A copy is written only if it is not longer than the bytes that it replaces, so the size is bounded.
 */
class DeltaWriter {
  readonly #target: Uint8Array;
  readonly #out: Uint8Array;
  #pos: number;
  /** Bytes of the target that are covered by commands. */
  covered: number;

  constructor(target: Uint8Array) {
    this.#target = target;
    this.#out = new Uint8Array(target.length + FRAME_BYTES);
    this.covered = 0;
    this.#pos = writeDigits(target.length, this.#out, 0);
    this.#out[this.#pos++] = LF;
  }

  /** Inserts the target's bytes up to `end`. */
  insert(end: number): void {
    const size = end - this.covered;
    if (size === 0) return;
    this.#pos = writeDigits(size, this.#out, this.#pos);
    this.#out[this.#pos++] = COLON;
    this.#out.set(this.#target.subarray(this.covered, end), this.#pos);
    this.#pos += size;
    this.covered = end;
  }

  copy(size: number, offset: number): void {
    this.#pos = writeDigits(size, this.#out, this.#pos);
    this.#out[this.#pos++] = AT;
    this.#pos = writeDigits(offset, this.#out, this.#pos);
    this.#out[this.#pos++] = COMMA;
    this.covered += size;
  }

  finish(): Uint8Array {
    this.insert(this.#target.length);
    this.#pos = writeDigits(checksum(this.#target), this.#out, this.#pos);
    this.#out[this.#pos++] = SEMICOLON;
    return this.#out.slice(0, this.#pos);
  }
}

/** Slides a window over the target and copies what the base already has. */
function findCopies(base: Uint8Array, target: Uint8Array, writer: DeltaWriter): void {
  const index = new BlockIndex(base);
  const hash = new RollingHash();
  let at = 0;
  if (at + BLOCK <= target.length) hash.start(target, at);
  while (at + BLOCK <= target.length) {
    const match = bestMatch(base, target, index, hash.value, at, writer.covered);
    if (match === null) {
      if (at + BLOCK < target.length) hash.roll(target[at]!, target[at + BLOCK]!);
      at++;
      continue;
    }
    writer.insert(match.start);
    writer.copy(match.size, match.offset);
    at = writer.covered;
    if (at + BLOCK <= target.length) hash.start(target, at);
  }
}

interface Match {
  /** Start in the target. */
  readonly start: number;
  readonly size: number;
  /** Start in the base. */
  readonly offset: number;
}

/** The longest run around `target[at]` that pays for its commands; nothing before `covered` is taken. */
function bestMatch(
  base: Uint8Array,
  target: Uint8Array,
  index: BlockIndex,
  hash: number,
  at: number,
  covered: number,
): Match | null {
  let best: Match | null = null;
  let bestAhead = 0;
  let block = index.first(hash);
  for (let tries = SEARCH_LIMIT; block >= 0 && tries > 0; tries--, block = index.after(block)) {
    const offset = block * BLOCK;
    // A run that ends before the best one can be longer only by the bytes before the window.
    if (base[offset + bestAhead] !== target[at + bestAhead]) continue;
    const ahead = runAhead(base, offset, target, at);
    if (ahead === 0) continue;
    const behind = runBehind(base, offset, target, at, covered);
    const size = ahead + behind;
    const literal = at - behind - covered;
    const cost = digitCount(literal) + digitCount(size) + digitCount(offset - behind) + 3;
    if (size < cost || (best !== null && size <= best.size)) continue;
    best = { start: at - behind, size, offset: offset - behind };
    bestAhead = ahead;
    if (at + ahead === target.length) break;
  }
  return best;
}

function runAhead(base: Uint8Array, offset: number, target: Uint8Array, at: number): number {
  const most = Math.min(base.length - offset, target.length - at);
  let size = 0;
  while (size < most && base[offset + size] === target[at + size]) size++;
  return size;
}

function runBehind(
  base: Uint8Array,
  offset: number,
  target: Uint8Array,
  at: number,
  covered: number,
): number {
  const most = Math.min(offset, at - covered);
  let size = 0;
  while (size < most && base[offset - size - 1] === target[at - size - 1]) size++;
  return size;
}
