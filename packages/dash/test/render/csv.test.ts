import { expect, it } from 'vitest';
import { csvText } from '#src/render/items/csv.ts';

it('a text that a spreadsheet would run has a quote before it, a number has not', () => {
  const rows = [['=1+1', '+1', '-1', '@x', '\tx', '\rx', -1, 'a=b', null, true]];
  expect(csvText([], rows)).toBe(`'=1+1,'+1,'-1,'@x,'\tx,"'\rx",-1,a=b,,true\r\n`);
});

it('commas, quotes and line ends stand between quotes', () => {
  expect(csvText(['a,b', 'say "x"'], [['one\ntwo', 'three']])).toBe(
    '"a,b","say ""x"""\r\n"one\ntwo",three\r\n',
  );
});
