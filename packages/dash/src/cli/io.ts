import type { ProgramIo } from '@msg/command-line';
import type { DocumentEngine } from '../reads/document-engine.ts';

/** The I/O of a command besides the store, of the process or of a test. */
export interface DashIo extends ProgramIo {
  /** The engine of the types in `directory`, or of the built-in ones. */
  openEngine(directory: string | undefined): DocumentEngine;
}
