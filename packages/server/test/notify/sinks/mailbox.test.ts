import { expect, test } from 'vitest';
import { mailboxAddress } from '#src/notify/sinks/email/mailbox.ts';

test.each([
  ['a@example.com', 'a@example.com'],
  [' a@example.com ', 'a@example.com'],
  ['first.last+tag@mail.example.co.uk', 'first.last+tag@mail.example.co.uk'],
  ['Ann Other <a@example.com>', 'a@example.com'],
  ['Ann O. Other <a@example.com>', 'a@example.com'],
  ['"Other, Ann" <a@example.com>', 'a@example.com'],
  ['"a \\"b\\"" <a@example.com>', 'a@example.com'],
  ['<a@example.com>', 'a@example.com'],
  ['"odd local"@example.com', '"odd local"@example.com'],
  ['a@[192.0.2.1]', 'a@[192.0.2.1]'],
  ['a@localhost', 'a@localhost'],
  ['jürgen@exämple.com', 'jürgen@exämple.com'],
  [`${'l'.repeat(64)}@example.com`, `${'l'.repeat(64)}@example.com`],
])('%s', (text, address) => {
  expect(mailboxAddress(text)).toBe(address);
});

test.each([
  '',
  'a',
  '@example.com',
  'a@',
  'a b@example.com',
  'a@example.com, b@example.com',
  'a@b@example.com',
  '.a@example.com',
  'a..b@example.com',
  'a@example..com',
  'a@example.com>',
  '<a@example.com',
  'Ann <a@example.com> x',
  'friends: a@example.com;',
  'a@example.com\r\nBcc: b@example.com',
  '"a\r\nb" <a@example.com>',
  'a\u0000@example.com',
  `${'l'.repeat(65)}@example.com`,
  `a@${'d.'.repeat(130)}com`,
  `${' '.repeat(5000)}a`,
])('%j is not one mailbox', text => {
  expect(mailboxAddress(text)).toBeUndefined();
});

test('a hostile text is refused in no time', () => {
  const start = performance.now();
  for (const part of ['a ', '" "', 'a.', '"a'] as const) {
    expect(mailboxAddress(`${part.repeat(300)}<`)).toBeUndefined();
  }
  expect(performance.now() - start).toBeLessThan(500);
});
