import type { Encoding } from './steps.ts';

/** How to start the program of one release; the arguments of the session follow. */
export interface Program {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** The published releases of one client, and how its program is made with one of them. */
export interface Language {
  /** As the table shows it. */
  readonly name: string;
  readonly client: string;
  /** Releases that the matrix runs, the oldest first. */
  readonly releases: readonly string[];
  readonly encodings: readonly Encoding[];
  /** Why a short run leaves it out, when it does. */
  readonly tooSlow?: string;
  /** What this machine lacks; `undefined`: nothing. */
  missing(): string | undefined;
  /** Fetches these releases with the language's own client of its registry, below `folder`, which outlives the run. */
  prepare(releases: readonly string[], folder: string): Promise<(release: string) => Promise<Program>>;
}
