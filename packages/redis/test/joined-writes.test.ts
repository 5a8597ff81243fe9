import { Writable } from 'node:stream';
import { systemClock } from '@msg/foundation/clock';
import { expect, it } from 'vitest';
import { JoinedWrites } from '#src/joined-writes.ts';

/** A socket that tells what each system call would hold. */
function socket(): { writes: string[]; stream: Writable } {
  const writes: string[] = [];
  const stream = new Writable({
    decodeStrings: false,
    write: (chunk, _encoding, done) => {
      writes.push(String(chunk));
      done();
    },
    writev: (chunks, done) => {
      writes.push(chunks.map(({ chunk }) => String(chunk)).join(''));
      done();
    },
  });
  return { writes, stream };
}

const turn = (): Promise<void> => new Promise(resolve => systemClock.afterTurn(resolve));

it('joins what is written in a turn, in its order', async () => {
  const { writes, stream } = socket();
  const joined = new JoinedWrites(systemClock);
  for (const text of ['a', 'b']) {
    joined.join(stream);
    stream.write(text);
  }
  await Promise.resolve();
  joined.join(stream);
  stream.write('c');
  expect(writes).toEqual([]);
  await turn();
  expect(writes).toEqual(['abc']);
});

it('holds back each turn anew, and each socket by itself', async () => {
  const [one, other] = [socket(), socket()];
  const joined = new JoinedWrites(systemClock);
  for (const text of ['a', 'b']) {
    for (const { stream } of [one, other]) {
      joined.join(stream);
      stream.write(text);
      joined.join(stream);
      stream.write(text);
    }
    await turn();
  }
  expect([one.writes, other.writes]).toEqual([
    ['aa', 'bb'],
    ['aa', 'bb'],
  ]);
});

it('holds back nothing of a socket that ends', async () => {
  const { writes, stream } = socket();
  new JoinedWrites(systemClock).join(stream);
  stream.write('a');
  stream.end('b');
  expect(writes.join('')).toBe('ab');
  await turn();
  expect(writes.join('')).toBe('ab');
});
