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
  /** What the code does with it, for the page about the proof. */
  readonly means: string;
  /** The class of worlds that finds it. */
  readonly world: 'memory' | 'standard' | 'outbox';
  /** Of its hunt: the values that bring the bug out; all others are drawn. */
  readonly switches?: Readonly<Record<string, string | number | boolean>>;
  /** The oracles of which one must find it. */
  readonly oracles: readonly string[];
  /** Its hunt takes more than ten seconds of the processor: CI does not draw it. */
  readonly isSlow?: true;
}
