import { createHash } from 'node:crypto';
import { deflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readFragment } from '#src/web/islands/review/fragment.ts';
import { sha256 } from '#src/web/islands/review/sha256.ts';

const BODY = {
  id: 'golden',
  ops: [{ op: 'replace', path: '/$manifest/title', value: 'Weekly – “ü”' }],
  baseRevision: '8c1e0d4f2b6a9c3e5d7f1a0b2c4d6e8f0a1b2c3d',
};

const checkOf = (payload: string): string =>
  createHash('sha256').update(payload).digest('base64url').slice(0, 6);
const linkOf = (payload: string): string => `v1.${checkOf(payload)}.${payload}`;
const payloadOf = (text: string): string => deflateRawSync(text).toString('base64url');

describe('the fragment of a link', () => {
  it('holds a proposal', async () => {
    expect(await readFragment(linkOf(payloadOf(JSON.stringify(BODY))))).toEqual({ body: BODY });
  });

  it('of one operation is at most 512 characters with the address', () => {
    const url = `http://127.0.0.1:8080/review#${linkOf(payloadOf(JSON.stringify(BODY)))}`;
    expect(url.length).toBeLessThanOrEqual(512);
  });

  it('says that it is damaged, whichever one character is another one or missing', async () => {
    const link = linkOf(payloadOf(JSON.stringify(BODY)));
    for (let at = 0; at < link.length; at++) {
      const other = link[at] === 'x' ? 'y' : 'x';
      for (const altered of [
        link.slice(0, at) + other + link.slice(at + 1),
        link.slice(0, at) + link.slice(at + 1),
      ])
        expect(await readFragment(altered), altered).toEqual({
          error: expect.stringMatching(/^(?:damaged|form)$/),
        });
    }
  });

  it('of a newer version says so', async () => {
    expect(await readFragment('v2.abcdef.xyz')).toEqual({ error: 'version' });
  });

  it.each([
    ['bytes that are not deflated', Buffer.from('no deflate').toString('base64url')],
    ['a text that is not JSON', payloadOf('{')],
    ['a list', payloadOf('[]')],
    ['bytes that are not UTF-8', deflateRawSync(Buffer.from([0x22, 0xff, 0x22])).toString('base64url')],
    ['100 MB in few bytes', payloadOf(`"${' '.repeat(100_000_000)}"`)],
  ])('with %s and a right check is damaged', async (_name, payload) => {
    expect(await readFragment(linkOf(payload))).toEqual({ error: 'damaged' });
  });
});

it('the digest is that of SHA-256, for any bytes', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), bytes => {
      expect(Buffer.from(sha256(bytes)).toString('hex')).toBe(
        createHash('sha256').update(bytes).digest('hex'),
      );
    }),
  );
});
