import { DashError } from '#src/errors.ts';

const MOST_FURTHER = 20;

/** Collects the faults of one stage, so that a model can correct several in one round (dashboard details 10.1). */
export class Faults {
  private readonly found: DashError[] = [];

  /** Runs one independent check; undefined when it failed. */
  attempt<T>(check: () => T): T | undefined {
    if (this.found.length > MOST_FURTHER) return undefined;
    try {
      return check();
    } catch (error) {
      if (!(error instanceof DashError)) throw error;
      this.found.push(error);
      return undefined;
    }
  }

  /** Ends the stage. @throws DashError the first fault, the further ones in `details.also`. */
  settle(): void {
    const [first, ...further] = this.found;
    if (first === undefined) return;
    if (further.length === 0) throw first;
    const also = further.slice(0, MOST_FURTHER).map(error => error.toEnvelope());
    throw new DashError(first.code, first.message, { ...first.details, also });
  }
}
