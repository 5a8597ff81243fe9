const FACTOR = 0x5deece66dn;
const ADDEND = 0xbn;
const MODULUS = 2n ** 48n;
const GREATEST = 2 ** 31 - 1;

let state = 0n;

/** Begins the numbers of `math.random` anew: every script sees those of seed 0 (rand.c of Redis). */
export function seedNumbers(seed: number): void {
  state = (BigInt.asUintN(32, BigInt(seed)) << 16n) | 0x330en;
}

/** The next number of at least 0 and below 1. */
export function drawFraction(): number {
  state = (state * FACTOR + ADDEND) % MODULUS;
  return (Number(state >> 17n) % GREATEST) / GREATEST;
}
