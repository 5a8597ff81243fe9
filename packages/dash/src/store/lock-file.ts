import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  futimesSync,
  linkSync,
  openSync,
  readFileSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import type { Clock, TimerHandle } from '@msg/foundation/clock';
import { isRecord } from '@msg/foundation/json';
import { errnoOf } from './contract.ts';
import { type LockWatch, RENEWAL_MS } from './lock-watch.ts';

/** A pipe in the place of a lock is read as empty, and not waited for. */
const NON_BLOCKING = constants.O_RDONLY | constants.O_NONBLOCK;
const WITHOUT_LINKS: ReadonlySet<string> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);

/** The process that holds a lock. `started` tells a process from a later one with the same number, where the system shows it. */
interface Holder {
  readonly token: string;
  readonly host: string;
  readonly pid: number;
  readonly started: string;
  readonly time: string;
}

/** A lock file that this process made, open so that it can be renewed. */
interface CreatedLock {
  readonly token: string;
  readonly descriptor: number;
}

/**
 * An exclusively created file that keeps other processes, on this host and on others, from the same work. A crash leaves
 * it behind; the next taker finds that its holder is gone and removes it. The calls wait for the file system: each takes
 * some microseconds and none flushes, so handing a dozen of them to threads would take a busy machine longer than the
 * work under the lock.
 */
export class LockFile {
  readonly #path: string;
  readonly #token: string;
  readonly #descriptor: number;
  readonly #clock: Clock;
  #renewal: TimerHandle;

  constructor(path: string, { token, descriptor }: CreatedLock, clock: Clock) {
    this.#path = path;
    this.#token = token;
    this.#descriptor = descriptor;
    this.#clock = clock;
    this.#renewal = this.#scheduleRenewal();
  }

  /** Takes the lock, or returns undefined when it is held. A lock left by a dead holder is removed on the way. */
  static async tryAcquire(path: string, watch: LockWatch): Promise<LockFile | undefined> {
    const holder = readHolder(path);
    if (holder === undefined) {
      const created = await createLock(path, watch);
      if (created === undefined) return undefined;
      watch.forget(path);
      return new LockFile(path, created, watch.clock);
    }
    if (await isAbandoned(path, holder, watch)) await removeAbandoned(path, holder, watch);
    return undefined;
  }

  /** True while the file is still ours; a paused process may find that another host took over. */
  isHeld(): boolean {
    return readHolder(this.#path)?.token === this.#token;
  }

  release(): void {
    this.#clock.clearTimeout(this.#renewal);
    closeSync(this.#descriptor);
    if (this.isHeld()) unlinkIfPresent(this.#path);
  }

  #scheduleRenewal(): TimerHandle {
    return this.#clock.setTimeout(() => {
      this.#renewal = this.#scheduleRenewal();
      this.#renew();
    }, RENEWAL_MS);
  }

  /** Through the open file, so that never another taker's file is renewed. */
  #renew(): void {
    const time = new Date(this.#clock.now());
    try {
      futimesSync(this.#descriptor, time, time);
    } catch {
      // The next renewal may succeed; other hosts wait longer than one.
    }
  }
}

/** Creates the file together with its content: a reader never sees a lock without a holder. */
async function createLock(path: string, { clock }: LockWatch): Promise<CreatedLock | undefined> {
  const token = randomBytes(12).toString('hex');
  ownStart ??= processStart(process.pid);
  const holder: Holder = {
    token,
    host: hostname(),
    pid: process.pid,
    started: await ownStart,
    time: new Date(clock.now()).toISOString(),
  };
  const draft = join(dirname(path), `.dash-tmp-${token}`);
  const descriptor = createWith(draft, holder);
  let isLock = false;
  try {
    linkSync(draft, path);
    isLock = true;
    return { token, descriptor };
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return undefined;
    if (!WITHOUT_LINKS.has(errnoOf(error) ?? '')) throw error;
    return createInPlace(path, holder);
  } finally {
    if (!isLock) closeSync(descriptor);
    unlinkIfPresent(draft);
  }
}

/** Where the file system has no hard links: still exclusive, but a crash in between leaves a lock without a holder. */
function createInPlace(path: string, holder: Holder): CreatedLock | undefined {
  try {
    return { token: holder.token, descriptor: createWith(path, holder) };
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return undefined;
    throw error;
  }
}

function createWith(path: string, holder: Holder): number {
  const descriptor = openSync(path, 'wx');
  try {
    writeFileSync(descriptor, JSON.stringify(holder));
    return descriptor;
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
}

function readHolder(path: string): Holder | undefined {
  try {
    const holder: unknown = JSON.parse(readFileSync(path, { encoding: 'utf8', flag: NON_BLOCKING }));
    return isHolder(holder) ? holder : { token: '', host: '', pid: 0, started: '', time: '' };
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    if (error instanceof SyntaxError) return { token: '', host: '', pid: 0, started: '', time: '' };
    throw error;
  }
}

function isHolder(value: unknown): value is Holder {
  if (!isRecord(value)) return false;
  const { token, host, pid, started } = value;
  return (
    typeof token === 'string' &&
    typeof host === 'string' &&
    typeof pid === 'number' &&
    typeof started === 'string'
  );
}

async function isAbandoned(path: string, holder: Holder, watch: LockWatch): Promise<boolean> {
  return holder.host === hostname() ? !(await isRunning(holder)) : watch.isDead(path);
}

async function isRunning(holder: Holder): Promise<boolean> {
  try {
    process.kill(holder.pid, 0);
  } catch (error) {
    return errnoOf(error) === 'EPERM';
  }
  // A restarted container gives its first process the same number again: the start time tells the two apart.
  const started = await processStart(holder.pid);
  return started === '' || holder.started === '' || started === holder.started;
}

/** Start of this process, read once. */
let ownStart: Promise<string> | undefined;

/** Start of a process in clock ticks since boot (Linux, field 22 of `stat`); empty where the system does not show it. */
async function processStart(pid: number): Promise<string> {
  const line = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return line.slice(line.lastIndexOf(')') + 2).split(' ')[19] ?? '';
}

/**
 * Removes a lock that its holder left. Two takers must not both do so, or the second would remove the first one's fresh
 * lock: the right to remove this one lock is itself a lock, named by its token, and the lock is read again under it.
 */
async function removeAbandoned(path: string, holder: Holder, watch: LockWatch): Promise<void> {
  const guard = join(
    dirname(path),
    `.dash-take-${/^[0-9a-f]{24}$/.test(holder.token) ? holder.token : 'unknown'}`,
  );
  const taken = await createLock(guard, watch);
  if (taken === undefined) {
    const taker = readHolder(guard);
    if (taker !== undefined && (await isAbandoned(guard, taker, watch)))
      await removeAbandoned(guard, taker, watch);
    return;
  }
  try {
    if (readHolder(path)?.token === holder.token) unlinkIfPresent(path);
  } finally {
    closeSync(taken.descriptor);
    unlinkIfPresent(guard);
  }
}

function unlinkIfPresent(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error;
  }
}
