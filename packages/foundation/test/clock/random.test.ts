import { describe, expect, it } from 'vitest';
import { systemRandom } from '#src/clock/random.ts';

describe('the random bytes of the operating system', () => {
  it.each([0, 1, 8, 16, 17, 5000, 65_537, 200_000])('are as many as asked for: %i', length => {
    expect(systemRandom.bytes(length)).toHaveLength(length);
  });

  it('come once, and are nothing that is there already', () => {
    const drawn = Array.from({ length: 5000 }, () => Buffer.from(systemRandom.bytes(16)).toString('hex'));
    expect(new Set(drawn).size).toBe(drawn.length);
    expect(drawn).not.toContain('0'.repeat(32));
  });

  it('are random to the end, however many', () => {
    expect(systemRandom.bytes(200_000).subarray(-32)).not.toEqual(new Uint8Array(32));
  });

  it('belong to the caller alone', () => {
    const first = systemRandom.bytes(16);
    expect(first.buffer.byteLength).toBe(16);
    first.fill(7);
    expect(systemRandom.bytes(16)).not.toEqual(first);
  });

  it('use every value', () => {
    const seen = new Set(Array.from({ length: 2000 }, () => [...systemRandom.bytes(16)]).flat());
    expect(seen.size).toBe(256);
  });
});
