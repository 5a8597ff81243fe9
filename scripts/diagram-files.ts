import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';

/** A diagram of the documentation: its source, and the drawing that is committed beside it. */
export interface Diagram {
  /** File name without its ending. */
  readonly name: string;
  readonly source: string;
  /** Path of the drawing. */
  readonly path: string;
  /** SHA-256 of the source, in hex; stands in the drawing. */
  readonly digest: string;
}

/** The diagrams below `docs/diagrams`, by name. */
export function diagrams(): Diagram[] {
  return globSync('docs/diagrams/*.mmd')
    .toSorted()
    .map(file => {
      const source = readFileSync(file, 'utf8');
      const name = file.replace(/^.*\/|\.mmd$/g, '');
      const digest = createHash('sha256').update(source).digest('hex');
      return { name, source, path: file.replace(/mmd$/, 'svg'), digest };
    });
}
