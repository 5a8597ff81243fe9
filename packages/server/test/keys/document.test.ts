import { describe, expect, test } from 'vitest';
import { formatKeyring, KeyringFormatError, parseKeyring } from '#src/keys/document.ts';
import { TestKey } from '../support/minting.ts';

const key = new TestKey('k-0a1b2c3d4e5f');
const other = new TestKey('imported kid/1');
const document = (changes: object = {}) =>
  JSON.stringify({
    format_version: '1',
    active_key_id: key.kid,
    keys: [key.entry('active'), other.entry()],
    ...changes,
  });

describe('the keyring document', () => {
  test('is written as it was read: two spaces, sorted by id, one newline', () => {
    const text = formatKeyring(parseKeyring(document({ unknown: true })));
    expect(text).toBe(
      `${JSON.stringify({ format_version: '1', active_key_id: key.kid, keys: [other.entry(), key.entry('active')] }, null, 2)}\n`,
    );
    expect(formatKeyring(parseKeyring(text))).toBe(text);
  });

  test('an empty version, missing alg, longer fractions and retired entries are read', () => {
    const ring = parseKeyring(
      document({
        format_version: '',
        keys: [
          { ...key.entry('active'), created_at: '2026-01-02T03:04:05.678901234Z', retired_at: 'ignored' },
          { ...other.entry('retired'), secret_hex: 'x' },
        ],
      }),
    );
    expect(ring.keys.map(({ id, role, createdAt }) => [id, role, createdAt])).toEqual([
      [key.kid, 'active', Date.UTC(2026, 0, 2, 3, 4, 5, 678)],
    ]);
    expect(parseKeyring('{"keys":[],"active_key_id":""}').active).toBeUndefined();
  });

  test('active_key_id makes a key active when no entry says so', () => {
    expect(parseKeyring(document({ keys: [key.entry(), other.entry()] })).active?.id).toBe(key.kid);
  });

  test.each<[string, string]>([
    ['no JSON', '{'],
    ['no object', '[]'],
    ['an unknown version', document({ format_version: '3' })],
    ['keys that are no list', document({ keys: {} })],
    ['no active key', document({ active_key_id: '' })],
    ['an active key that is not there', document({ active_key_id: 'k-none' })],
    ['two active keys', document({ keys: [key.entry('active'), other.entry('active')] })],
    [
      'another active key than named',
      document({ active_key_id: other.kid, keys: [key.entry('active'), other.entry()] }),
    ],
    ['one id twice', document({ keys: [key.entry('active'), key.entry()] })],
    ['an unknown role', document({ keys: [key.entry('boss')] })],
    ['a short secret', document({ keys: [{ ...key.entry('active'), secret_hex: 'abcd' }] })],
    [
      'a secret that is not hexadecimal',
      document({ keys: [{ ...key.entry('active'), secret_hex: 'z'.repeat(64) }] }),
    ],
    ['an unknown algorithm', document({ keys: [{ ...key.entry('active'), alg: 'HS1' }] })],
    ['a bad time', document({ keys: [{ ...key.entry('active'), created_at: 'yesterday' }] })],
    ['a missing id', document({ keys: [{ ...key.entry('active'), id: '' }] })],
    ['a number as id', document({ keys: [{ ...key.entry('active'), id: 7 }] })],
  ])('%s is refused without showing a secret', (_title, source) => {
    expect(() => parseKeyring(source)).toThrow(KeyringFormatError);
    expect(() => parseKeyring(source)).not.toThrow(key.secret.toString('hex'));
  });
});
