import { describe, expect, it } from 'vitest';
import { chain, recover } from '#src/promises/maybe-promise.ts';

const double = (value: number): number => value * 2;
const fail = (): never => {
  throw new Error('failed');
};
const shown = (error: unknown): string => `recovered: ${(error as Error).message}`;

describe('chain', () => {
  it('answers at once when the value is there', () => {
    expect(chain(2, double)).toBe(4);
    expect(() => chain(2, fail)).toThrow('failed');
  });

  it('answers with a promise when the value is to come', async () => {
    const answer = chain(Promise.resolve(2), double);
    expect(answer).toBeInstanceOf(Promise);
    expect(await answer).toBe(4);
    await expect(chain(Promise.resolve(2), fail)).rejects.toThrow('failed');
    await expect(chain(Promise.reject(new Error('before')), double)).rejects.toThrow('before');
  });

  it('waits for what comes next', async () => {
    expect(await chain(2, async value => double(value))).toBe(4);
    expect(await chain(Promise.resolve(2), async value => double(value))).toBe(4);
  });
});

describe('recover', () => {
  it('answers at once what work answers or what becomes of its error', () => {
    expect(recover<string>(() => 'done', shown)).toBe('done');
    expect(recover<string>(fail, shown)).toBe('recovered: failed');
    expect(() => recover<string>(fail, fail)).toThrow('failed');
  });

  it('takes rejections alike', async () => {
    expect(await recover<string>(async () => 'done', shown)).toBe('done');
    expect(await recover<string>(async () => fail(), shown)).toBe('recovered: failed');
    await expect(recover<string>(async () => fail(), fail)).rejects.toThrow('failed');
  });
});
