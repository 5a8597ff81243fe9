import { describe, expect, it } from 'vitest';
import { keySlot } from '#src/key-slot.ts';

describe('slots of keys', () => {
  it.each([
    ['123456789', 0x31c3],
    ['', 0],
    ['{user1000}.following', keySlot('user1000')],
    ['foo{}{bar}', keySlot('foo{}{bar}')],
    ['foo{{bar}}zap', keySlot('{bar')],
    ['foo{bar}{zap}', keySlot('bar')],
    ['foo{bar', keySlot('foo{bar')],
  ])('%j', (key, slot) => {
    expect(keySlot(key)).toBe(slot);
  });
});
