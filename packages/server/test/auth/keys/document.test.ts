import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { formatKeyring, KeyringFormatError, parseKeyring } from '#src/auth/keys/document.ts';
import { ALGORITHMS, keyringDocument, TestKey } from '../../support/minting.ts';

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
    const keySet = parseKeyring(
      document({
        format_version: '',
        keys: [
          { ...key.entry('active'), created_at: '2026-01-02T03:04:05.678901234Z', retired_at: 'ignored' },
          { ...other.entry('retired'), secret_hex: 'x' },
        ],
      }),
    );
    expect(keySet.keys.map(({ id, role, createdAt }) => [id, role, createdAt])).toEqual([
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

describe('keys of asymmetric algorithms', () => {
  const ASYMMETRIC = ALGORITHMS.filter(alg => alg !== 'HS256');

  test.each(ASYMMETRIC)('%s is written as version 2 and read again', alg => {
    const pair = TestKey.of(alg);
    const text = formatKeyring(parseKeyring(keyringDocument(pair, key)));
    const written = JSON.parse(text);
    expect(written.format_version).toBe('2');
    const entry = written.keys.find(({ id }: { id: string }) => id === pair.kid);
    expect(entry).toEqual(pair.entry('active'));
    expect(Object.keys(entry)).toEqual(['id', 'alg', 'private_pem', 'role', 'created_at']);
    expect(formatKeyring(parseKeyring(text))).toBe(text);
  });

  const rsa = TestKey.of('RS256').entry('active') as { private_pem: string };
  const pemOf = (type: 'pkcs1' | 'sec1', pair: KeyObject) => pair.export({ type, format: 'pem' }).toString();
  const short = generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey;
  const curve = generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).privateKey;
  const pkcs8 = (pair: KeyObject) => pair.export({ type: 'pkcs8', format: 'pem' }).toString();

  test.each<[string, object]>([
    ['a key of another type', { ...rsa, alg: 'ES256' }],
    ['a key of another curve', { ...rsa, alg: 'ES256', private_pem: pkcs8(curve) }],
    [
      'a key of another Edwards curve',
      { ...rsa, alg: 'EdDSA', private_pem: pkcs8(generateKeyPairSync('ed448').privateKey) },
    ],
    ['an RSA key that is too short', { ...rsa, private_pem: pkcs8(short) }],
    [
      'a PKCS#1 text',
      { ...rsa, private_pem: pemOf('pkcs1', generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey) },
    ],
    ['a missing key', { ...rsa, private_pem: '' }],
    ['a broken key', { ...rsa, private_pem: rsa.private_pem.slice(0, 300) }],
    ['a secret besides', { ...rsa, secret_hex: 'ab'.repeat(32) }],
  ])('%s is refused without showing it', (_title, entry) => {
    const source = JSON.stringify({
      format_version: '2',
      active_key_id: (entry as { id: string }).id,
      keys: [entry],
    });
    expect(() => parseKeyring(source)).toThrow(KeyringFormatError);
    expect(() => parseKeyring(source)).not.toThrow(/MII|BEGIN/);
  });
});
