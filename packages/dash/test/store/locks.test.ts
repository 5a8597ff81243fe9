import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { ManualClock } from '@msg/foundation/clock/testing';
import { eventually } from '@msg/testkit';
import { describe, expect, it } from 'vitest';
import { FileStore } from '#src/store/file-store.ts';
import { LockManager, MOST_WRITERS } from '#src/store/lock-manager.ts';
import { documentBytes, errorOf, storeAt, temporaryRoots } from './stores.ts';

const root = temporaryRoots();
const OLD = new Date(Date.now() - 120_000);

async function lockFile(directory: string, holder: object): Promise<string> {
  const path = join(directory, '.dash-lock-a');
  const complete = {
    token: 'f'.repeat(24),
    host: hostname(),
    pid: process.pid,
    started: '',
    time: '',
    ...holder,
  };
  await writeFile(path, JSON.stringify(complete));
  return path;
}

/** The number of a process that has ended. */
async function deadProcess(): Promise<number> {
  const child = spawn(process.execPath, ['-e', '']);
  await once(child, 'exit');
  return child.pid ?? 0;
}

async function storeWithDocument() {
  const directory = await root();
  const store = storeAt('fs', directory, 200);
  await store.save('a', documentBytes('a', 'one'));
  return { directory, store, save: () => store.save('a', documentBytes('a', 'two')) };
}

describe('the lock of a document', () => {
  it('makes a writer wait, then give up with STORAGE_BUSY; readers do not wait', async () => {
    const { directory, store, save } = await storeWithDocument();
    await lockFile(directory, {});
    expect(await errorOf(save())).toMatchObject({ code: 'STORAGE_BUSY', details: { id: 'a' } });
    expect((await store.load('a')).bytes).toEqual(Buffer.from(documentBytes('a', 'one')));
  });

  it('also makes writers of one process wait for each other', async () => {
    const { store, save } = await storeWithDocument();
    const { promise, resolve } = Promise.withResolvers<void>();
    const holding = store.exclusively('a', () => promise);
    expect(await errorOf(save())).toMatchObject({ code: 'STORAGE_BUSY' });
    resolve();
    await holding;
    await save();
  });

  it('of a dead process on this host is taken over', async () => {
    const { directory, save } = await storeWithDocument();
    await lockFile(directory, { pid: await deadProcess() });
    await save();
    expect((await readdir(directory)).sort()).toEqual(['a.json']);
  });

  it('of an earlier process with the same number is taken over', async () => {
    const { directory, save } = await storeWithDocument();
    const proc = await readFile('/proc/self/stat', 'utf8').catch(() => '');
    if (proc === '') return;
    await lockFile(directory, { pid: process.pid, started: '1' });
    await save();
  });

  it('is taken over by one of many takers, who then write one after the other', async () => {
    const { directory } = await storeWithDocument();
    await lockFile(directory, { pid: await deadProcess() });
    let inside = 0;
    const takers = Array.from({ length: 10 }, () => storeAt('fs', directory));
    await Promise.all(
      takers.map(store =>
        store.exclusively('a', async () => {
          inside++;
          expect(inside).toBe(1);
          await store.load('a');
          inside--;
        }),
      ),
    );
    expect((await readdir(directory)).sort()).toEqual(['a.json']);
  });

  it('is renewed every five seconds while it is held', async () => {
    const directory = await root();
    const clock = new ManualClock(Date.now() - 600_000);
    const store = new FileStore({ root: directory, clock });
    await store.save('a', documentBytes('a', 'one'));
    await store.exclusively('a', async () => {
      for (let renewal = 0; renewal < 2; renewal++) {
        await clock.advance(5000);
        await eventually('the lock has the time of the renewal', async () => {
          const { mtimeMs } = await stat(join(directory, '.dash-lock-a'));
          return Math.round(mtimeMs) === clock.now();
        });
      }
    });
    expect(clock.pending).toBe(0);
  });

  it('lost to another host forbids the write', async () => {
    const { directory, store } = await storeWithDocument();
    const stolen = store.exclusively('a', async document => {
      await lockFile(directory, { host: 'elsewhere' });
      await document.save(documentBytes('a', 'two'));
    });
    expect(await errorOf(stolen)).toMatchObject({ code: 'STORAGE_IO', details: { operation: 'save' } });
    expect((await store.load('a')).bytes).toEqual(Buffer.from(documentBytes('a', 'one')));
  });

  it('sweeps what killed writers left', async () => {
    const { directory, save } = await storeWithDocument();
    const left = join(directory, '.dash-tmp-left');
    await writeFile(left, '{');
    await utimes(left, OLD, OLD);
    await save();
    expect(await readdir(directory)).toEqual(['a.json']);
  });
});

describe('the queue of writers of one process', () => {
  const WAIT_MS = 15_000;

  /** A lock whose writers end when they are told to. */
  async function queue() {
    const clock = new ManualClock();
    const locks = new LockManager(WAIT_MS, clock);
    const path = join(await root(), '.dash-lock-a');
    const ends: (() => void)[] = [];
    const write = (): Promise<void> =>
      locks.withLock(path, 'a', () => new Promise<void>(resolve => ends.push(resolve)));
    const holding = (count: number) => eventually(`writer ${count}`, () => ends.length === count);
    return { clock, write, ends, holding };
  }

  it('is waited for as long as it moves', async () => {
    const { clock, write, ends, holding } = await queue();
    const writers = Array.from({ length: 6 }, write);
    for (let at = 0; at < writers.length; at++) {
      await holding(at + 1);
      await clock.advance(WAIT_MS - 1_000);
      ends[at]?.();
    }
    await Promise.all(writers);
  });

  it('that stands still is STORAGE_BUSY for all who wait, and the lock is free afterwards', async () => {
    const { clock, write, ends, holding } = await queue();
    const first = write();
    await holding(1);
    const waiting = Array.from({ length: 3 }, () => errorOf(write()));
    await clock.advance(WAIT_MS);
    for (const fault of await Promise.all(waiting)) expect(fault).toMatchObject({ code: 'STORAGE_BUSY' });
    ends[0]?.();
    await first;
    const next = write();
    await holding(2);
    ends[1]?.();
    await next;
    expect(clock.pending).toBe(0);
  });

  it('takes so many and no more', async () => {
    const { write, ends, holding } = await queue();
    const writers = Array.from({ length: MOST_WRITERS }, write);
    expect(await errorOf(write())).toMatchObject({ code: 'STORAGE_BUSY', details: { id: 'a' } });
    for (let at = 0; at < MOST_WRITERS; at++) {
      await holding(at + 1);
      ends[at]?.();
    }
    await Promise.all(writers);
  });
});

describe('the lock of another host', () => {
  const HOUR = 3_600_000;

  /** Moves a clock by the pauses of the work that waits for a lock; `onPause` runs after each. */
  async function runPauses<T>(
    clock: ManualClock,
    onPause: () => Promise<void>,
    work: Promise<T>,
  ): Promise<T> {
    const ended = new AbortController();
    const end = () => ended.abort();
    void work.then(end, end);
    while (!ended.signal.aborted) {
      await clock.advance(clock.pending === 0 ? 0 : 40);
      await onPause();
    }
    return work;
  }

  async function foreignLock(ageMs: number) {
    const directory = await root();
    const clock = new ManualClock(Date.now());
    const path = await lockFile(directory, { host: 'elsewhere', pid: 1 });
    const renew = (at: number) => utimes(path, new Date(at), new Date(at));
    await renew(clock.now() - ageMs);
    const exclusive = new LockManager(15_000, clock);
    const take = (onPause = async () => {}) =>
      runPauses(
        clock,
        onPause,
        exclusive.withLock(path, 'a', async () => 'taken'),
      );
    return { clock, renew, take };
  }

  it('is dead when it was not renewed for a minute nor while another process watches', async () => {
    const { clock, take } = await foreignLock(120_000);
    const start = clock.monotonic();
    expect(await take()).toBe('taken');
    expect(clock.monotonic() - start).toBeGreaterThanOrEqual(11_000);
  });

  it('is respected for a minute', async () => {
    const { clock, take } = await foreignLock(0);
    expect(await errorOf(take())).toMatchObject({ code: 'STORAGE_BUSY' });
    await clock.advance(50_000);
    expect(await take()).toBe('taken');
  });

  it.each([
    ['forward', HOUR],
    ['back', -HOUR],
  ])('that is renewed stays its own when a clock is set %s by an hour', async (_direction, jump) => {
    const { clock, renew, take } = await foreignLock(0);
    let renewedAt = clock.monotonic();
    const onPause = async () => {
      if (clock.monotonic() - renewedAt < 5000) return;
      renewedAt = clock.monotonic();
      // The holder's clock was not set.
      await renew(clock.now() - jump);
    };
    clock.jump(jump);
    expect(await errorOf(take(onPause))).toMatchObject({ code: 'STORAGE_BUSY' });
    expect(await errorOf(take(onPause))).toMatchObject({ code: 'STORAGE_BUSY' });
  });

  it('that a dead holder left is taken although a clock was set back meanwhile', async () => {
    const { take } = await foreignLock(-HOUR);
    expect(await take()).toBe('taken');
  });
});
