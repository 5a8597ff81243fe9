/** A subscribe after a break. */
interface Recovery {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly recovered: boolean;
}

/** Counts of one client language. */
export interface LanguageCounts {
  readonly heard: number;
  readonly lost: number;
  readonly doubled: number;
  readonly brokenOffsets: number;
  readonly recoveries: number;
  /** Subscribes after a break that were not recovered. */
  readonly refused: number;
  /** Clients that gave up. */
  readonly ended: number;
}

const NOTHING: LanguageCounts = {
  heard: 0,
  lost: 0,
  doubled: 0,
  brokenOffsets: 0,
  recoveries: 0,
  refused: 0,
  ended: 0,
};

/** What one client language heard, judged as it comes. */
export class Ledger {
  readonly #last = new Map<string, { n: number; offset: number }>();
  readonly recoveries: Recovery[] = [];
  heard = 0;
  lost = 0;
  doubled = 0;
  brokenOffsets = 0;
  /** Why a client ended, which none may. */
  readonly told: string[] = [];

  take(channel: string, n: number, offset: number): void {
    const last = this.#last.get(channel) ?? { n: 0, offset: offset - 1 };
    this.heard++;
    if (n <= last.n) this.doubled++;
    else this.lost += n - last.n - 1;
    if (offset !== last.offset + 1) this.brokenOffsets++;
    this.#last.set(channel, { n: Math.max(n, last.n), offset });
  }

  recovered(recovered: boolean): void {
    this.recoveries.push({ at: Date.now(), recovered });
  }

  /** True when it heard the number of each channel, or a later one. */
  hasAll(sent: ReadonlyMap<string, number>): boolean {
    return [...sent].every(([channel, n]) => (this.#last.get(channel)?.n ?? 0) >= n);
  }

  /** When a client was back, of those after a time. */
  recoveredAfter(at: number): readonly number[] {
    return this.recoveries.filter(recovery => recovery.at >= at).map(recovery => recovery.at);
  }

  counts(): LanguageCounts {
    const { heard, lost, doubled, brokenOffsets, recoveries, told } = this;
    const refused = recoveries.filter(({ recovered }) => !recovered).length;
    return {
      heard,
      lost,
      doubled,
      brokenOffsets,
      recoveries: recoveries.length,
      refused,
      ended: told.length,
    };
  }

  /** What was added to earlier counts. */
  since(before: LanguageCounts = NOTHING): LanguageCounts {
    const now = this.counts();
    return {
      heard: now.heard - before.heard,
      lost: now.lost - before.lost,
      doubled: now.doubled - before.doubled,
      brokenOffsets: now.brokenOffsets - before.brokenOffsets,
      recoveries: now.recoveries - before.recoveries,
      refused: now.refused - before.refused,
      ended: now.ended - before.ended,
    };
  }
}
