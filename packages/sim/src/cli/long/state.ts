import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { BadUse } from '../arguments.ts';
import type { Finished } from './finished.ts';
import { addSeed, noTotals, type Totals } from './totals.ts';

/** The state of the campaign under way. */
export const STATE = join(import.meta.dirname, '../../../../../.tmp/sim/campaign');

/** What all seeds of a piece have in common. */
export interface PieceIdentity {
  /** Of the sources; with a mark if they differ from it. */
  readonly commit: string;
  /** The version of Node.js. */
  readonly node: string;
  /** The class that is played; `all`: in turn. */
  readonly class: string;
  /** The first seed. */
  readonly from: number;
}

/** What is on disk of a piece. */
export interface PieceState {
  readonly identity: PieceIdentity;
  readonly totals: Totals;
  readonly done: ReadonlySet<number>;
}

/** The piece in a folder; undefined: none has begun. A line that was being written at a kill is not counted. */
export function readState(folder: string): PieceState | undefined {
  const { piece, journal } = filesOf(folder);
  if (!existsSync(piece)) return undefined;
  const identity = JSON.parse(readFileSync(piece, 'utf8')) as PieceIdentity; // of beginState
  const totals = noTotals();
  const done = new Set<number>();
  const text = existsSync(journal) ? readFileSync(journal, 'utf8') : '';
  for (const line of text.slice(0, text.lastIndexOf('\n') + 1).split('\n')) {
    if (line === '') continue;
    const seed = JSON.parse(line) as Finished; // of Journal
    addSeed(totals, seed);
    done.add(seed.seed);
  }
  return { identity, totals, done };
}

/** Begins a piece; whatever the folder held is gone. */
export function beginState(folder: string, identity: PieceIdentity): PieceState {
  const { piece, journal } = filesOf(folder);
  rmSync(journal, { force: true });
  writeFileSync(piece, `${JSON.stringify(identity)}\n`);
  return { identity, totals: noTotals(), done: new Set() };
}

/** Gets a line for each finished seed. The only writer is the process that holds the lock. */
export class Journal {
  readonly #file: string;

  constructor(folder: string) {
    this.#file = filesOf(folder).journal;
    if (!existsSync(this.#file)) return;
    const bytes = readFileSync(this.#file);
    truncateSync(this.#file, bytes.lastIndexOf(0x0a) + 1);
  }

  append(seed: Finished): void {
    appendFileSync(this.#file, `${JSON.stringify(seed)}\n`);
  }
}

/**
 * Keeps other processes out of the folder; returns what lets them in again.
 * @throws BadUse if another one plays a campaign there
 */
export function lockState(folder: string): () => void {
  mkdirSync(folder, { recursive: true });
  const { lock } = filesOf(folder);
  const holder = existsSync(lock) ? Number(readFileSync(lock, 'utf8')) : 0;
  if (holder > 0 && isAlive(holder))
    throw new BadUse(
      `process ${holder} plays a campaign in ${folder}; if it is another program, remove ${lock}`,
    );
  writeFileSync(lock, String(process.pid));
  return () => rmSync(lock, { force: true });
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function filesOf(folder: string) {
  return {
    piece: join(folder, 'piece.json'),
    journal: join(folder, 'finished.jsonl'),
    lock: join(folder, 'lock'),
  };
}
