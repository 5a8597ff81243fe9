/** A planted bug: a text of a source that is replaced when it is loaded. */
export interface Mutant {
  readonly name: string;
  /** The class of worlds that finds it. */
  readonly world: 'memory' | 'outbox';
  /** From the root of the repository. */
  readonly file: string;
  /** Occurs once in the file; otherwise the mutant is stale. */
  readonly text: string;
  readonly replacement: string;
  /** The oracles of which one must find it. */
  readonly oracles: readonly string[];
  /** Where its hunt begins, for a bug that few seeds find; default 1. */
  readonly firstSeed?: number;
}
