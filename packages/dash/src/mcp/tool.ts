import type { JsonObject } from '../document/json.ts';
import type { DocumentEngine } from '../reads/document-engine.ts';
import type { DocumentStore } from '../store/contract.ts';
import type { SkillPack } from './skills.ts';

/** What the tools work with. */
export interface ToolContext {
  readonly store: DocumentStore;
  readonly engine: DocumentEngine;
  readonly skills: SkillPack;
  readonly version: string;
}

/** One argument of a tool; `ops` is looked at by the changeset layer itself. */
export interface Argument {
  readonly type: 'string' | 'boolean' | 'changeset';
  readonly description: string;
  readonly required: boolean;
}

export type Arguments = Readonly<Record<string, unknown>>;

/** One tool (dashboard details 13.3). All of them read or try, none writes. */
export interface DashTool {
  readonly name: string;
  readonly title: string;
  /** The first line is the summary that the bootstrap manifest shows. */
  readonly description: string;
  readonly takes: Readonly<Record<string, Argument>>;
  readonly outputSchema: JsonObject;
  /** True when a failure is an outcome of its own, with `ok: false` as structured content. */
  readonly answersFailure?: true;
  /** @throws DashError for everything that the caller can do something about. */
  run(args: Arguments, context: ToolContext, tools: readonly DashTool[]): Promise<object>;
}

/** A required text argument. */
export function text(description: string): Argument {
  return { type: 'string', description, required: true };
}

export const DOCUMENT_ID = text('manifest.id of the document, as dash_list_dashboards gives it');
