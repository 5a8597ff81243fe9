import { DashError } from '../errors.ts';

const MOST_FURTHER = 20;

/** Collects the errors of one stage, so that a model can correct several in one round (dashboard details 10.1). */
export class ErrorCollector {
  readonly #errors: DashError[] = [];

  /** Runs one independent check; undefined when it failed. */
  check<T>(check: () => T): T | undefined {
    if (this.#errors.length > MOST_FURTHER) return undefined;
    try {
      return check();
    } catch (error) {
      if (!(error instanceof DashError)) throw error;
      this.#errors.push(error);
      return undefined;
    }
  }

  /** Ends the stage. @throws DashError the first error, the further ones in `details.also`. */
  throwIfAny(): void {
    const [first, ...further] = this.#errors;
    if (first === undefined) return;
    if (further.length === 0) throw first;
    const also = further.slice(0, MOST_FURTHER).map(error => error.toEnvelope());
    throw new DashError(first.code, first.message, { ...first.details, also });
  }
}
