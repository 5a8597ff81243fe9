import { message, text } from '@msg/foundation/shape';
import { describe, expect, it } from 'vitest';
import { readRequest } from '#src/rpc/request.ts';
import { MalformedRequest } from '#src/rpc/twirp.ts';

const request = message({ name: text, inner: message({ key: text }) });

describe('the message of a request', () => {
  it('is read with the members it does not know', () => {
    const unknown: { path: string }[] = [];
    expect(readRequest(request, { name: 'a', x: 1 }, unknown as never)).toEqual({
      name: 'a',
      inner: { key: '' },
    });
    expect(unknown.map(({ path }) => path)).toEqual(['x']);
  });

  it.each([
    [{ name: 7 }, 'name must be a string'],
    [{ inner: { key: 7 } }, 'inner.key must be a string'],
    [{ inner: [] }, 'inner must be an object'],
    [[], 'the json request could not be decoded'],
  ])('%j is malformed: %s', (value, text) => {
    expect(() => readRequest(request, value, [])).toThrow(new MalformedRequest(text));
  });
});
