import type { LetterBody } from './destination.ts';

/** What is known about a letter from outside. `maybe`: the answer to a call about it was lost with its node. */
export interface Entry {
  readonly id: string;
  readonly sink: string;
  readonly n: number;
  /** How often its destination took it. */
  taken: number;
  /** The newest edit whose answer came, and the newest that was asked for. */
  version: number;
  asked: number;
  discarded: 'no' | 'yes' | 'maybe';
  hidden: 'no' | 'yes' | 'maybe';
  /** It was in the air when a node was killed: whether it arrived only its destination knows. */
  isUnknown: boolean;
  /** A call about it is under way. */
  isBusy: boolean;
}

/** The letters of a siege, and everything that is wrong with them. */
export class Ledger {
  readonly entries: Entry[] = [];
  readonly faults: string[] = [];
  readonly #byNumber = new Map<string, Entry>();

  add(id: string, sink: string, n: number): void {
    const entry: Entry = {
      id,
      sink,
      n,
      taken: 0,
      version: 0,
      asked: 0,
      discarded: 'no',
      hidden: 'no',
      isUnknown: false,
      isBusy: false,
    };
    this.entries.push(entry);
    this.#byNumber.set(`${sink} ${n}`, entry);
  }

  /** Letters of a sink that may be sent by a new call: those that nobody knows about are left alone. */
  open(sink: string): Entry[] {
    return this.entries.filter(
      entry => entry.sink === sink && entry.taken === 0 && entry.discarded === 'no' && !entry.isUnknown,
    );
  }

  /** A destination has taken a letter. */
  take(sink: string, { n, version }: LetterBody): void {
    const entry = this.#byNumber.get(`${sink} ${n}`);
    if (entry === undefined) {
      this.faults.push(`${sink} got a letter that nobody parked: ${n}`);
      return;
    }
    entry.taken++;
    if (entry.taken > 1) this.faults.push(`letter ${n} of ${sink} arrived ${entry.taken} times`);
    if (version < entry.version || version > entry.asked)
      this.faults.push(
        `letter ${n} of ${sink} arrived as its edit ${version}, after edit ${entry.version} of ${entry.asked}`,
      );
  }

  /** A node was killed: letters that are still listed although they arrived were in its hands. @returns how many */
  killed(listed: ReadonlySet<string>): number {
    const held = this.entries.filter(({ id, taken }) => taken > 0 && listed.has(id));
    for (const entry of held) entry.isUnknown = true;
    return held.length;
  }

  /** Compares what is listed at the end, when nothing is hidden any more, with what happened. */
  close(listed: ReadonlySet<string>): void {
    for (const { id, sink, n, taken, discarded, isUnknown } of this.entries) {
      const isThere = listed.has(id);
      const name = `letter ${n} of ${sink}`;
      if (taken > 0 && isThere && !isUnknown) this.faults.push(`${name} arrived and is still listed`);
      if (taken === 0 && discarded === 'no' && !isThere) this.faults.push(`${name} is lost`);
      if (discarded === 'yes' && isThere) this.faults.push(`${name} was discarded and is still listed`);
    }
  }
}
