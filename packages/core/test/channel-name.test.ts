import { describe, expect, test } from 'vitest';
import { buildName, formatName, isValidName, parseName } from '#src/channel-name.ts';
import { MsgError } from '#src/errors.ts';

// The accept and reject lists of messaging details 4.1.
const accepted = [
  'public:shop.status',
  'public:shop.order.7',
  'public:shop.order.7.items',
  'private:shop.order.7',
  'private:a-b.c_d.9.x',
];
const rejected = [
  '',
  'shop.status',
  'Public:shop.status',
  'team:shop.status',
  'public:shop',
  'public:',
  'public:shop.',
  'public:.shop',
  'public:shop..x',
  'public:shop.Order',
  'public:shop.a b',
  'public:shop.status:x',
  'private:shop.order',
  'public:my_shop.status',
  'public:a.b.c.d.e',
  'public:shop.statüs',
  ' public:shop.status',
  'public:shop.status\n',
  `public:shop.${'x'.repeat(244)}`,
];

describe('channel names', () => {
  test.each(accepted)('%s is a name', text => {
    const name = parseName(text);
    expect(name.text).toBe(text);
    expect(formatName(name)).toBe(text);
    expect(isValidName(text)).toBe(true);
  });

  test.each(rejected)('%j is refused with MSG_CHANNEL_INVALID', text => {
    expect(isValidName(text)).toBe(false);
    expect(() => parseName(text)).toThrow(MsgError);
    expect(() => parseName(text)).toThrow(
      expect.objectContaining({ code: 'MSG_CHANNEL_INVALID', status: 400 }),
    );
  });

  test('255 bytes are the longest name', () => {
    expect(isValidName(`public:shop.${'x'.repeat(243)}`)).toBe(true);
  });

  test('a name is built from its parts and checked', () => {
    expect(buildName('private', 'shop', 'order', '7')).toBe('private:shop.order.7');
    expect(() => buildName('private', 'shop', 'order')).toThrow(MsgError);
  });
});
