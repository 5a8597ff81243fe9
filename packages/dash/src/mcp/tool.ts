import { type Field, type Members, type ObjectOf, optional, required, text } from '@msg/foundation/shape';
import type { DataSources } from '../data/sources.ts';
import type { JsonObject } from '../document/json.ts';
import type { DocumentEngine } from '../reads/document-engine.ts';
import type { DocumentStore } from '../store/contract.ts';
import type { ReviewServer } from './review-server.ts';
import type { SkillPack } from './skills.ts';
import type { ToolCall } from './tool-call.ts';

/** The context of the tools. */
export interface ToolContext {
  readonly store: DocumentStore;
  readonly engine: DocumentEngine;
  readonly skills: SkillPack;
  readonly version: string;
  /** What a validation without the argument `preview` shows; the whole tree by default. */
  readonly preview?: Preview;
  /** Where proposals are reviewed. */
  readonly review?: ReviewServer;
  /** The connections that may be asked, and their origins. */
  readonly queries?: { readonly sources: DataSources; readonly origins: readonly string[] };
}

/** The answer of a tool that first asks the user of the host to open a page. */
export class PageRequest {
  readonly url: string;
  readonly message: string;
  /** Comes back with the user's answer. */
  readonly state: string;

  constructor(url: string, message: string, state: string) {
    this.url = url;
    this.message = message;
    this.state = state;
  }
}

/** The answer of a tool with a picture beside its text. */
export class PicturedAnswer {
  readonly output: object;
  readonly png: Uint8Array;

  constructor(output: object, png: Uint8Array) {
    this.output = output;
    this.png = png;
  }
}

/** How much of the resolved tree a validation shows (review details 7.1). */
export const PREVIEWS = ['full', 'changed', 'none'] as const;

export type Preview = (typeof PREVIEWS)[number];

/** The page that a host shows beside the answer of a tool (page and review 8). */
export const PREVIEW_APP = 'ui://dash/preview';

export type Arguments = Readonly<Record<string, unknown>>;

/** One tool (dashboard details 13.3). Tools read or validate; none writes. */
export interface DashTool {
  readonly name: string;
  readonly title: string;
  /** The first line is the summary that the bootstrap manifest shows. */
  readonly description: string;
  readonly takes: Members<Field<unknown>>;
  readonly outputSchema: JsonObject;
  /** The page that a host may show beside the answer. */
  readonly page?: typeof PREVIEW_APP;
  /** The tool may ask connections, where the process may. */
  readonly asksConnections?: true;
  /** True when a failure is a regular outcome, with `ok: false` as structured content. */
  readonly answersFailure?: true;
  /** Runs the tool. @throws DashError for failures that the caller can correct */
  run(args: Arguments, context: ToolContext, call: ToolCall): Promise<object>;
}

/** The row of a tool, whose arguments have the types that it declares. */
interface ToolRow<M extends Members<Field<unknown>>> extends Omit<DashTool, 'takes' | 'run'> {
  readonly takes: M;
  run(args: ObjectOf<M>, context: ToolContext, call: ToolCall): Promise<object>;
}

/** Makes a tool of its row. Its arguments are read before it runs. */
export function dashTool<const M extends Members<Field<unknown>>>(row: ToolRow<M>): DashTool {
  return { ...row, run: (args, context, call) => row.run(args as ObjectOf<M>, context, call) };
}

export const DOCUMENT_ID = required(text, 'of the document');

/** A former state of a document, where the store keeps history. */
export const AT = optional(text, 'as of this revision');
