import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';

const RESIDENT = /^VmRSS:\s+(\d+) kB$/m;
const SAMPLE_MS = 50;
/** Collections until the memory stands still, at most. */
const COLLECTIONS = 16;
const COLLECTION_MS = 250;
/** Memory that stands still changes by less. */
const STILL_BYTES = 1_048_576;
/** Looks in a row at which it does: a thread that is busy collects late. */
const STILL_LOOKS = 3;

/** Files and sockets that a process has open. */
export function openFiles(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}

/** Memory of a process that is in RAM, bytes. */
export function residentBytes(pid: number): number {
  return Number(RESIDENT.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024;
}

/**
 * Makes a process collect its garbage until its memory stands still; answers that, bytes.
 * @throws Error when the process has ended
 */
export async function settledBytes(pid: number): Promise<number> {
  let before = Number.POSITIVE_INFINITY;
  let now = residentBytes(pid);
  for (let i = 0, still = 0; i < COLLECTIONS && still < STILL_LOOKS; i++) {
    process.kill(pid, 'SIGUSR2');
    await wait(COLLECTION_MS);
    before = now;
    now = residentBytes(pid);
    still = Math.abs(before - now) > STILL_BYTES ? 0 : still + 1;
  }
  return now;
}

/** The highest memory of a process while it is watched. */
export class MemoryWatch {
  readonly #timer: NodeJS.Timeout;
  #peakBytes: number;

  constructor(pid: number) {
    this.#peakBytes = residentBytes(pid);
    this.#timer = setInterval(() => {
      try {
        this.#peakBytes = Math.max(this.#peakBytes, residentBytes(pid));
      } catch {
        clearInterval(this.#timer); // the process has ended
      }
    }, SAMPLE_MS);
  }

  /** Ends the watch; answers the highest value seen, bytes. */
  stop(): number {
    clearInterval(this.#timer);
    return this.#peakBytes;
  }
}
