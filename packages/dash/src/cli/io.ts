import type { ProgramIo } from '@msg/command-line';
import type { DocumentEngine } from '../reads/document-engine.ts';

/** What a command touches besides the store: the process itself, or a test. */
export interface DashIo extends ProgramIo {
  /** The engine of the types in `directory`, or of the built-in ones. */
  openEngine(directory: string | undefined): DocumentEngine;
}
