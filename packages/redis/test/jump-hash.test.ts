import { fnv1a64, jumpHash, shardOf } from '@msg/redis/internal';
import { describe, expect, it } from 'vitest';

describe('consistent hashing', () => {
  it.each([
    ['a', 'af63dc4c8601ec8c'],
    ['public:chat.room.42', '1f8769b9ac2d1153'],
    ['test', 'f9e6e6ef197c2b25'],
  ])('FNV-1a of %s', (text, hash) => {
    expect(fnv1a64(text).toString(16)).toBe(hash);
  });

  it('jumps as the reference does', () => {
    expect(jumpHash(42n, 57)).toBe(43);
    expect(jumpHash(256n, 1024)).toBe(520);
    expect([2, 3, 4, 16, 128].map(n => shardOf('public:chat.room.42', n))).toEqual([1, 2, 2, 12, 38]);
    expect([2, 3, 4, 16, 128].map(n => shardOf('test', n))).toEqual([1, 1, 1, 10, 116]);
  });
});
