import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect, test } from 'vitest';
import { readBody } from '#src/http/body.ts';

const LIMIT = 10;

/** What a reader was told about the bodies of requests sent over one connection, part by part. */
async function outcomes(...parts: readonly string[]): Promise<readonly string[]> {
  const told: string[] = [];
  const server = createServer((request, response) => {
    const say = (text: string): void => {
      told.push(text);
      response.end();
    };
    readBody(
      request,
      LIMIT,
      body => say(body.toString()),
      error => say(error.message),
    );
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1'); // a bound TCP server has one
  socket.on('error', () => {}).resume();
  for (const part of parts)
    await new Promise<void>(resolve => socket.write(part, () => setImmediate(resolve)));
  socket.end();
  await new Promise<void>(resolve => socket.on('close', () => resolve()));
  await new Promise<void>(resolve => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
  return told;
}

const head = (framing: string): string => `POST / HTTP/1.1\r\nHost: x\r\n${framing}\r\n\r\n`;
const sized = (length: number): string => head(`Content-Length: ${length}`);
const CHUNKED = head('Transfer-Encoding: chunked');

test.each([
  ['with the head', [`${sized(3)}abc`], ['abc']],
  ['in pieces', [sized(3), 'a', 'bc'], ['abc']],
  ['empty', [sized(0)], ['']],
  ['of unknown length', [CHUNKED, '1\r\na\r\n2\r\nbc\r\n0\r\n\r\n'], ['abc']],
  ['of unknown length and empty', [`${CHUNKED}0\r\n\r\n`], ['']],
  ['of exactly the limit', [`${sized(10)}0123456789`], ['0123456789']],
  ['twice on one connection', [`${sized(1)}a${sized(2)}bc`], ['a', 'bc']],
  ['too large', [`${sized(11)}0123456789a`], ['request body too large']],
  ['too large, of unknown length', [`${CHUNKED}b\r\n0123456789a\r\n0\r\n\r\n`], ['request body too large']],
  ['that ends early', [`${sized(5)}ab`], []],
])('a body %s is told once, or not at all', async (_title, parts, expected) => {
  expect(await outcomes(...parts)).toEqual(expected);
});
