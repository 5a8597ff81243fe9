// What `msg subscribe --text` prints of append streams.
import { expect, test } from 'vitest';
import { AppendedText } from '#src/cli/appended-text.ts';

/** What is printed of these publications: on standard output, and on the other. */
function printed(...publications: unknown[]): readonly [string, string] {
  let [out, err] = ['', ''];
  const text = new AppendedText({
    out: part => {
      out += part;
    },
    err: part => {
      err += part;
    },
  });
  for (const data of publications) text.read(data);
  return [out, err];
}

const message = (text: string, status = 'streaming', id = 'm') => ({ id, status, text });

test('only what is new of a text, as it is, then a line break and how it ended', () => {
  const states = [message('a "b"\n'), message('a "b"\nü'), message('a "b"\nü 👋', 'complete')];
  expect(printed(...states)).toEqual(['a "b"\nü 👋\n', '-- m complete\n']);
  expect(printed(message('', 'failed'))).toEqual(['\n', '-- m failed\n']);
});

test('several messages, each its own', () => {
  const states = [
    message('one', 'cancelled'),
    message('tw', 'streaming', 'n'),
    message('two', 'complete', 'n'),
  ];
  expect(printed(...states)).toEqual(['one\ntwo\n', '-- m cancelled\n-- n complete\n']);
});

test('a text that is shorter than before is printed no second time', () => {
  expect(printed(message('so far'), message('so'), message('so far it'))).toEqual(['so far it', '']);
});

test('an item a line, the last one when it cannot grow any more', () => {
  const states = [[{ a: 1 }], [{ a: 1 }, { delta: 'x' }], [{ a: 1 }, { delta: 'xy' }, 7]];
  const documents = states.map((items, at) => ({
    id: 'm',
    status: at < 2 ? 'streaming' : 'complete',
    items,
  }));
  expect(printed(...documents.slice(0, 2))).toEqual(['{"a":1}\n', '']);
  expect(printed(...documents)).toEqual(['{"a":1}\n{"delta":"xy"}\n7\n\n', '-- m complete\n']);
});

test('nothing of other publications', () => {
  expect(printed(7, null, 'text', { id: 'm' }, { id: 'm', status: 'complete' }, { text: 'x' })).toEqual([
    '',
    '',
  ]);
});
