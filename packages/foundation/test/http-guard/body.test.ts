import { describe, expect, it } from 'vitest';
import { readBody } from '#src/http-guard/body.ts';

const bound = { limit: 4, dropLimit: 8 };

/** Chunks of these lengths; `taken` counts those that were asked for. */
function bodyOf(lengths: readonly number[], failure?: Error) {
  const state = { taken: 0, ended: false };
  async function* chunks(): AsyncGenerator<Uint8Array> {
    try {
      for (const length of lengths) {
        state.taken++;
        yield new Uint8Array(length).fill(state.taken);
      }
      if (failure !== undefined) throw failure;
    } finally {
      state.ended = true;
    }
  }
  return { state, chunks: chunks() };
}

describe('a body', () => {
  it('is the bytes of its chunks in order', async () => {
    expect(await readBody(bodyOf([1, 2, 1]).chunks, bound)).toEqual(new Uint8Array([1, 2, 2, 3]));
    expect(await readBody(bodyOf([]).chunks, bound)).toEqual(new Uint8Array());
  });

  it('above the limit is refused after all of it was received', async () => {
    const { state, chunks } = bodyOf([4, 1, 3]);
    expect(await readBody(chunks, bound)).toBeUndefined();
    expect(state).toEqual({ taken: 3, ended: true });
  });

  it('far above the limit is not read to its end', async () => {
    const { state, chunks } = bodyOf([4, 4, 1, 4, 4]);
    expect(await readBody(chunks, bound)).toBeUndefined();
    expect(state).toEqual({ taken: 3, ended: true });
  });

  it('that breaks off rejects with its error', async () => {
    const failure = new Error('reset');
    await expect(readBody(bodyOf([1], failure).chunks, bound)).rejects.toBe(failure);
  });
});
