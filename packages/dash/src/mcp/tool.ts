import type { Catalog } from '#src/catalog/types.ts';
import type { Workshop } from '#src/changeset/pipeline.ts';
import type { JsonObject } from '#src/document/json.ts';
import type { ResolveOptions } from '#src/resolve/index.ts';
import type { SkillPack } from './skills.ts';

/** What the tools work with: the store, the catalogue and the resolver, and the skills to hand out. */
export interface ToolRoom {
  readonly shop: Workshop<unknown>;
  readonly catalog: Catalog;
  /** How the outline resolves: as `shop.resolve` does. */
  readonly resolveOptions: ResolveOptions;
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
  run(args: Arguments, room: ToolRoom, tools: readonly DashTool[]): Promise<object>;
}

/** A required text argument. */
export function text(description: string): Argument {
  return { type: 'string', description, required: true };
}

export const DOCUMENT_ID = text('manifest.id of the document, as dash_list_dashboards gives it');
