import { describe, expect, it } from 'vitest';
import { isJsonText } from '#src/json/text.ts';

describe('a text is JSON', () => {
  it.each(['{}', '[1, 2]', '"a"', ' 7 ', 'null'])('%s', text => {
    expect(isJsonText(text)).toBe(true);
  });

  it.each(['', 'a', '{', "'a'", '1 2', 'undefined'])('and not when it is "%s"', text => {
    expect(isJsonText(text)).toBe(false);
  });
});
