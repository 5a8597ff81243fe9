import { type Field, type Members, type ObjectOf, required, text } from '@msg/foundation/shape';
import type { JsonObject } from '../document/json.ts';
import type { DocumentEngine } from '../reads/document-engine.ts';
import type { DocumentStore } from '../store/contract.ts';
import type { SkillPack } from './skills.ts';

/** The context of the tools. */
export interface ToolContext {
  readonly store: DocumentStore;
  readonly engine: DocumentEngine;
  readonly skills: SkillPack;
  readonly version: string;
}

export type Arguments = Readonly<Record<string, unknown>>;

/** One tool (dashboard details 13.3). Tools read or validate; none writes. */
export interface DashTool {
  readonly name: string;
  readonly title: string;
  /** The first line is the summary that the bootstrap manifest shows. */
  readonly description: string;
  readonly takes: Members<Field<unknown>>;
  readonly outputSchema: JsonObject;
  /** True when a failure is a regular outcome, with `ok: false` as structured content. */
  readonly answersFailure?: true;
  /** Runs the tool. @throws DashError for failures that the caller can correct */
  run(args: Arguments, context: ToolContext, tools: readonly DashTool[]): Promise<object>;
}

/** The row of a tool, whose arguments have the types that it declares. */
interface ToolRow<M extends Members<Field<unknown>>> extends Omit<DashTool, 'takes' | 'run'> {
  readonly takes: M;
  run(args: ObjectOf<M>, context: ToolContext, tools: readonly DashTool[]): Promise<object>;
}

/** Makes a tool of its row. Its arguments are read before it runs. */
export function dashTool<const M extends Members<Field<unknown>>>(row: ToolRow<M>): DashTool {
  return { ...row, run: (args, context, tools) => row.run(args as ObjectOf<M>, context, tools) };
}

export const DOCUMENT_ID = required(text, 'manifest.id of the document, as dash_list_dashboards gives it');
