import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { canonicalText } from '#src/document/canonical.ts';
import type { Json } from '#src/document/json.ts';
import { readArguments } from '#src/mcp/arguments.ts';
import { failure, success } from '#src/mcp/result.ts';
import { DASH_TOOLS } from '#src/mcp/server.ts';
import { loadSkills } from '#src/mcp/skills.ts';
import type { ToolContext } from '#src/mcp/tool.ts';
import { documentEngine } from '#src/reads/document-engine.ts';
import { FileStore } from '#src/store/file-store.ts';
import { catalog } from '../resolve/team-pulse.ts';

const skills = loadSkills();
const CALL = { tools: DASH_TOOLS, opensUrls: false, signal: new AbortController().signal };

/** What a model gets of a call: the text, and the data that the text spells. */
export interface Told {
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly data: any;
  readonly isError: boolean;
  /** The picture behind the text. */
  readonly png: Buffer | undefined;
}

/** The tools on a store, without a process. */
export class Tools {
  readonly context: ToolContext;

  constructor(context: Partial<ToolContext> & Pick<ToolContext, 'store'>) {
    this.context = {
      engine: documentEngine(catalog, { environment: {} }),
      skills,
      version: 'test',
      ...context,
    };
  }

  async call(name: string, args: object = {}): Promise<Told> {
    const tool = DASH_TOOLS.find(candidate => candidate.name === name);
    if (tool === undefined) throw new Error(name);
    const answer = await this.#answer(tool, args as Record<string, unknown>);
    const [content, picture] = answer.content;
    const text = content?.type === 'text' ? content.text : '';
    const png = picture?.type === 'image' ? Buffer.from(picture.data, 'base64') : undefined;
    return { text, data: JSON.parse(text), isError: answer.isError === true, png };
  }

  validate(id: string, ops: readonly unknown[], args: object = {}): Promise<Told> {
    return this.call('dash_validate_patch', { id, ops, ...args });
  }

  async #answer(tool: (typeof DASH_TOOLS)[number], args: Record<string, unknown>) {
    try {
      return success(await tool.run(readArguments(tool, args), this.context, CALL));
    } catch (error) {
      return failure(tool, error);
    }
  }
}

/** A folder of documents, by id, with the tools on it. */
export async function toolsOn(
  documents: Readonly<Record<string, unknown>>,
  context: Partial<ToolContext> = {},
): Promise<{ readonly tools: Tools; readonly root: string; stop(): Promise<void> }> {
  const root = await mkdtemp(join(tmpdir(), 'dash-tools-'));
  for (const [id, document] of Object.entries(documents)) {
    await writeFile(join(root, `${id}.json`), canonicalText(document as Json));
  }
  const tools = new Tools({ store: new FileStore({ root }), ...context });
  return { tools, root, stop: () => rm(root, { recursive: true }) };
}
