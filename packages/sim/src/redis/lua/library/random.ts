const FACTOR = 0x5deece66dn;
const ADDEND = 0xbn;
const MODULUS = 2n ** 48n;
const GREATEST = 2 ** 31 - 1;

/** Where a server begins. */
const START = 0x1234abcd330en;

let state = START;

/** Begins where a server begins: the real one goes on from script to script, here each run is alike. */
export function resetNumbers(): void {
  state = START;
}

/** Begins the numbers of `math.random` with a seed (rand.c of Redis). */
export function seedNumbers(seed: number): void {
  state = (BigInt.asUintN(32, BigInt(seed)) << 16n) | 0x330en;
}

/** The next number of at least 0 and below 1. */
export function drawFraction(): number {
  state = (state * FACTOR + ADDEND) % MODULUS;
  return (Number(state >> 17n) % GREATEST) / GREATEST;
}
