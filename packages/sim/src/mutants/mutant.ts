/** A text of a source that is replaced when it is loaded. */
export interface PlantedText {
  readonly name: string;
  /** From the root of the repository. */
  readonly file: string;
  /** Occurs once in the file; otherwise the mutant is stale. */
  readonly text: string;
  readonly replacement: string;
}

/** A planted bug that a world finds. */
export interface Mutant extends PlantedText {
  /** The class of worlds that finds it. */
  readonly world: 'memory' | 'standard' | 'outbox';
  /** The oracles of which one must find it. */
  readonly oracles: readonly string[];
  /** Where its hunt begins, for a bug that few seeds find; default 1. */
  readonly firstSeed?: number;
}
