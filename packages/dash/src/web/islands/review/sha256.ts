/** Words of the constants of SHA-256 (FIPS 180-4): the first bits behind the point of roots of the first primes. */
function rootWords(count: number, exponent: number): number[] {
  const words: number[] = [];
  for (let candidate = 2; words.length < count; candidate++) {
    if (!isPrime(candidate)) continue;
    const root = candidate ** exponent;
    words.push(((root - Math.floor(root)) * 2 ** 32) | 0);
  }
  return words;
}

function isPrime(number: number): boolean {
  for (let divisor = 2; divisor * divisor <= number; divisor++) if (number % divisor === 0) return false;
  return true;
}

const START = rootWords(8, 1 / 2);
const ROUNDS = rootWords(64, 1 / 3);

/**
 * SHA-256. The browser's own is only there in secure contexts, and a review may be served over plain HTTP to a whole
 * house; this one guards against damage and not against forgery.
 */
export function sha256(bytes: Uint8Array): Uint8Array {
  const state = Int32Array.from(START);
  const padded = pad(bytes);
  const view = new DataView(padded.buffer);
  for (let block = 0; block < padded.length; block += 64) mix(state, view, block);
  const hash = new DataView(new ArrayBuffer(32));
  for (const [index, word] of state.entries()) hash.setInt32(4 * index, word);
  return new Uint8Array(hash.buffer);
}

function pad(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const padded = new Uint8Array(Math.ceil((bytes.length + 9) / 64) * 64);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  new DataView(padded.buffer).setUint32(padded.length - 4, bytes.length * 8);
  return padded;
}

const turn = (word: number, by: number): number => (word >>> by) | (word << (32 - by));

function mix(state: Int32Array, view: DataView, block: number): void {
  const words = new Int32Array(64);
  for (let index = 0; index < 16; index++) words[index] = view.getInt32(block + 4 * index);
  const at = (index: number): number => words[index] ?? 0;
  for (let index = 16; index < 64; index++) {
    const [near, far] = [at(index - 2), at(index - 15)];
    const small = turn(far, 7) ^ turn(far, 18) ^ (far >>> 3);
    const large = turn(near, 17) ^ turn(near, 19) ^ (near >>> 10);
    words[index] = at(index - 16) + small + at(index - 7) + large;
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let index = 0; index < 64; index++) {
    const choice = (e & f) ^ (~e & g);
    const first = h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + choice + (ROUNDS[index] ?? 0) + at(index);
    const majority = (a & b) ^ (a & c) ^ (b & c);
    const second = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + majority;
    [a, b, c, d, e, f, g, h] = [(first + second) | 0, a, b, c, (d + first) | 0, e, f, g];
  }
  for (const [index, word] of [a, b, c, d, e, f, g, h].entries()) state[index] = (state[index] ?? 0) + word;
}
