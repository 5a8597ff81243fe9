import { describe, expect, it } from 'vitest';
import { publishData } from '#src/rpc/publish-data.ts';

describe('publish data', () => {
  const text = (value: unknown) => Buffer.from(publishData.read(value, 'data')).toString();
  it.each([
    ['eyJoZWxsbyI6IndvcmxkIn0=', '{"hello":"world"}'],
    ['eyJoZWxsbyI6IndvcmxkIn0', '{"hello":"world"}'],
    ['hello world', 'hello world'],
    ['YR==', 'YR=='],
    [{ a: [1, null] }, '{"a":[1,null]}'],
    [[1], '[1]'],
    [1.5, '1.5'],
    [false, 'false'],
    ['', ''],
  ])('%j becomes %s', (value, expected) => {
    expect(text(value)).toBe(expected);
  });
});
