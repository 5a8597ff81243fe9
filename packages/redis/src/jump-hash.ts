const FNV_BASIS = 14_695_981_039_346_656_037n;
const FNV_PRIME = 1_099_511_628_211n;
const JUMP_FACTOR = 2_862_933_555_777_941_757n;

/** FNV-1a, 64 bits, over the UTF-8 bytes. */
export function fnv1a64(text: string): bigint {
  let hash = FNV_BASIS;
  for (const byte of Buffer.from(text)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * FNV_PRIME);
  return hash;
}

/** Jump consistent hash: a bucket in [0, buckets). A new bucket gets only its share of the keys. */
export function jumpHash(key: bigint, buckets: number): number {
  let state = key;
  let bucket = -1;
  let next = 0;
  while (next < buckets) {
    bucket = next;
    state = BigInt.asUintN(64, state * JUMP_FACTOR + 1n);
    next = Math.trunc((bucket + 1) * (2 ** 31 / (Number(state >> 33n) + 1)));
  }
  return bucket;
}

/** The shard of a name among `shards` (client protocol 16.1). */
export function shardOf(name: string, shards: number): number {
  return shards <= 1 ? 0 : jumpHash(fnv1a64(name), shards);
}
