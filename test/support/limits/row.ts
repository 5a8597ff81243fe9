import type { Source } from '../constant-source.ts';
import type { Evidence } from '../evidence.ts';

/** What a row of docs/limits.md rests on. */
export interface LimitRow {
  readonly constants: readonly Source[];
  readonly tests: readonly Evidence[];
}
