import { describe, expect, test } from 'vitest';
import { itemsOf, TextInput } from '#src/cli/append-input.ts';

async function* pieces(...parts: (string | readonly number[])[]): AsyncIterable<Uint8Array> {
  for (const part of parts) yield Buffer.from(part as string); // or bytes
}

/** What an input becomes, and how many characters of it were replaced. */
async function read(...parts: Parameters<typeof pieces>): Promise<readonly [string, number]> {
  const input = new TextInput();
  let text = '';
  for await (const piece of input.read(pieces(...parts))) text += String(piece);
  return [text, input.replaced];
}

async function items(...parts: string[]): Promise<readonly string[]> {
  const all: string[] = [];
  for await (const written of itemsOf(pieces(...parts))) {
    if (typeof written === 'string' || written instanceof Uint8Array) throw new Error('not an item');
    all.push(String(written.item));
  }
  return all;
}

describe('a text from the standard input', () => {
  test('characters that were split between two pieces are joined', async () => {
    const bytes = [...Buffer.from('Grüß 👋')];
    expect(await read(...bytes.map(byte => [byte]))).toEqual(['Grüß 👋', 0]);
  });

  test('what is not UTF-8 is replaced and counted, also at the end; U+FFFD itself is not counted', async () => {
    expect(await read('a', [0xff], 'b')).toEqual(['a\ufffdb', 1]);
    expect(await read('a', [0xf0, 0x9f, 0x91])).toEqual(['a\ufffd', 1]);
    expect(await read('a\ufffdb')).toEqual(['a\ufffdb', 0]);
    expect(await read([0xef], [0xbf], [0xbd, 0xff], [0xef, 0xbf])).toEqual(['\ufffd\ufffd\ufffd', 2]);
    expect(await read([0xef, 0xef, 0xbf, 0xbd])).toEqual(['\ufffd\ufffd', 1]);
  });
});

describe('items from the standard input', () => {
  test('each line is one value, as it is; empty lines and a missing line break at the end do not matter', async () => {
    expect(await items('{"a": 1.0}\n\n  \n[1,', '2]\n', '"end"')).toEqual(['{"a": 1.0}', '[1,2]', '"end"']);
  });

  test('a line that is not one value is named', async () => {
    await expect(items('1\n', '{"a"\n')).rejects.toMatchObject({
      code: 'MSG_INVALID_ARGUMENT',
      message: 'line 2 must be one JSON value',
    });
  });
});
