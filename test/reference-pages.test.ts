import { readFileSync } from 'node:fs';
import { describe, expect, it, test } from 'vitest';
import { messagesOf } from '../scripts/messages/provocation.ts';
import { referencePages } from '../scripts/reference-pages.ts';

test.each([...(await referencePages())])('%s is as the code declares it', (path, content) => {
  const hint = 'stale: run node --conditions=msg-source scripts/write-reference.ts';
  expect(readFileSync(path, 'utf8') === content, hint).toBe(true);
});

describe('the messages of a code', () => {
  const fail = (code: string) => () => {
    throw Object.assign(new Error('the text'), { code });
  };

  it('are those of the errors that its calls end in', async () => {
    const calls = { A: [{ when: 'first', call: fail('A') }] };
    expect((await messagesOf(calls)).get('A')).toEqual([{ when: 'first', message: 'the text' }]);
  });

  it.each([
    ['another code', fail('B')],
    ['no error', () => undefined],
  ])('need a call that does not end in %s', async (_, call) => {
    await expect(messagesOf({ A: [{ when: 'first', call }] })).rejects.toThrow('first: ');
  });
});
