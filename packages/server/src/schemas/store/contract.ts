import type { ChannelPattern } from '@msg/core';

/** Every version of one pattern, the current one last; never empty. */
export type SchemaHistory = readonly ChannelPattern[];

/** What a store held at one moment. */
export interface StoredSchemas {
  readonly histories: ReadonlyMap<string, SchemaHistory>;
  /** Tells this content from any other. */
  readonly revision: string;
}

/** One step, carried out as a whole or not at all. */
export interface SchemaStep {
  /** Revision of the content that the step was decided on. */
  readonly seen: string;
  readonly pattern: string;
  /** `undefined` removes the pattern. */
  readonly history: SchemaHistory | undefined;
}

/**
 * Where the registry keeps its patterns. One writer wins: a step on content that another changed meanwhile is refused.
 * Source: messaging details 14.1 and section 18.
 */
export interface SchemaStore {
  /** Whether other nodes write here too. */
  readonly shared: boolean;
  load(): Promise<StoredSchemas>;
  /** The revision alone, for a cheap look. */
  probe(): Promise<string>;
  /** Answers the new revision; `undefined` when the content is not what was seen. */
  step(step: SchemaStep): Promise<string | undefined>;
  /**
   * Replaces everything; given a revision, only what was seen at that. Answers the new revision; `undefined` when the
   * content is not what was seen.
   */
  replaceAll(histories: ReadonlyMap<string, SchemaHistory>, seen?: string): Promise<string | undefined>;
}
