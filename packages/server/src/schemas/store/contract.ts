import type { ChannelPattern } from '@msg/core';

/** Every version of one pattern, the current one last; never empty. */
export type SchemaHistory = readonly ChannelPattern[];

/** The content of a store at one moment. */
export interface StoredSchemas {
  readonly histories: ReadonlyMap<string, SchemaHistory>;
  /** Identifies this content. */
  readonly revision: string;
}

/** One atomic step. */
export interface SchemaStep {
  /** Revision of the content that the step is based on. */
  readonly seen: string;
  readonly pattern: string;
  /** `undefined` removes the pattern. */
  readonly history: SchemaHistory | undefined;
}

/**
 * The store of the registry's patterns. A step on content that another writer has changed is refused. Source: messaging
 * details 14.1 and section 18.
 */
export interface SchemaStore {
  /** Whether other nodes write to this store. */
  readonly shared: boolean;
  load(): Promise<StoredSchemas>;
  /** The revision alone, for a cheap look. */
  probe(): Promise<string>;
  /** Returns the new revision; `undefined` when the content has another revision than `seen`. */
  step(step: SchemaStep): Promise<string | undefined>;
  /**
   * Replaces everything, with `seen` only if the content still has that revision. Returns the new revision; `undefined`
   * when the revision differs.
   */
  replaceAll(histories: ReadonlyMap<string, SchemaHistory>, seen?: string): Promise<string | undefined>;
  /**
   * False: another thread of the process changed the schemas, and content of this revision must not be used. Absent:
   * always true.
   */
  isCurrent?(revision: string): boolean;
}
