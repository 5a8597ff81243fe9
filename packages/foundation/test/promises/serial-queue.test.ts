import { describe, expect, it } from 'vitest';
import { SerialQueue } from '#src/promises/serial-queue.ts';

describe('a serial queue', () => {
  it('runs work one after the other, whatever each takes', async () => {
    const queue = new SerialQueue();
    const order: string[] = [];
    const gate = Promise.withResolvers<void>();
    const first = queue.run(async () => {
      order.push('first begins');
      await gate.promise;
      order.push('first ends');
      return 1;
    });
    const second = queue.run(() => {
      order.push('second');
      return 2;
    });
    expect(order).toEqual([]);
    await new Promise(resolve => setImmediate(resolve));
    expect(order).toEqual(['first begins']);
    gate.resolve();
    expect(await Promise.all([first, second])).toEqual([1, 2]);
    expect(order).toEqual(['first begins', 'first ends', 'second']);
  });

  it('continues after work that fails, and rejects only for its caller', async () => {
    const queue = new SerialQueue();
    const failing = queue.run(async () => {
      throw new Error('failed');
    });
    const throwing = queue.run(() => {
      throw new Error('thrown');
    });
    const next = queue.run(() => 'next');
    await expect(failing).rejects.toThrow('failed');
    await expect(throwing).rejects.toThrow('thrown');
    expect(await next).toBe('next');
  });

  it('is settled when all work so far is, failed or not', async () => {
    const queue = new SerialQueue();
    const gate = Promise.withResolvers<void>();
    let ended = false;
    queue.run(() => gate.promise).catch(() => {});
    const settled = queue.settled().then(() => {
      ended = true;
    });
    await new Promise(resolve => setImmediate(resolve));
    expect(ended).toBe(false);
    gate.reject(new Error('failed'));
    await settled;
    expect(ended).toBe(true);
  });
});
