import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { canonicalText } from '#src/document/canonical.ts';
import { teamPulse } from '../changeset/team-pulse.ts';
import { RawHost, type ToolAnswer } from './host.ts';
import type { Way } from './ways.ts';

/** The one document that is stored. */
export const id = 'team-pulse';
const text = canonicalText(teamPulse());

interface Envelope {
  readonly code: string;
  readonly message: string;
  readonly details: Record<string, unknown> & { known?: string[] };
}

export interface Fields {
  readonly surface: readonly { key: string; type: string }[];
  readonly surfacePath?: string;
  readonly ownSurface?: readonly { key: string; type: string }[];
}

export interface Described {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Record<string, unknown>;
  readonly outputSchema: Record<string, unknown>;
  readonly annotations: Record<string, boolean>;
  readonly _meta?: Record<string, unknown>;
}

/** The tool server as a process that was started one way, with the checks that every answer must pass. */
export class ToolsUnderTest {
  readonly #way: Way;
  #host: RawHost | undefined;
  directory = '';
  tools: readonly Described[] = [];

  constructor(way: Way) {
    this.#way = way;
    beforeAll(() => this.#start(), 60_000);
    afterAll(() => this.#stop());
    // Nothing here ever writes.
    afterEach(async () => {
      expect(await readFile(join(this.directory, `${id}.json`), 'utf8')).toBe(text);
    });
  }

  /** Calls a tool that works, and checks its answer against the tool's own schema. */
  async ask<T>(name: string, args: object = {}): Promise<T> {
    const answer = await this.#call(name, args);
    expect(answer.isError ?? false, answer.content[0]?.text).toBe(false);
    this.#expectConforming(name, answer);
    return answer.structuredContent as T;
  }

  /** Calls a tool that fails, and checks the convention of failures. */
  async refused(name: string, args: object = {}): Promise<Envelope> {
    const answer = await this.#call(name, args);
    expect(answer.isError).toBe(true);
    const said = JSON.parse(answer.content[0]?.text ?? '') as Envelope & { ok?: boolean };
    expect(said.message).toEqual(expect.any(String));
    expect(said.details).toEqual(expect.any(Object));
    if (name !== 'dash_validate_patch') {
      expect(answer.structuredContent).toBeUndefined();
      expect(Object.keys(said)).toEqual(['code', 'message', 'details']);
      return said;
    }
    this.#expectConforming(name, answer);
    const { ok, ...envelope } = said;
    expect(ok).toBe(false);
    return envelope;
  }

  async #start(): Promise<void> {
    this.directory = await mkdtemp(join(tmpdir(), 'dash-mcp-'));
    await writeFile(join(this.directory, `${id}.json`), text);
    const words = await this.#way.start(this.directory, id);
    this.#host = new RawHost(['--root', this.directory, ...words]);
    await this.#host.initialize();
    this.tools = (await this.#host.request('tools/list')).result?.['tools'] as Described[];
  }

  async #stop(): Promise<void> {
    await this.#host?.hangUp();
    this.#host?.messages();
    await rm(this.directory, { recursive: true });
  }

  #call(name: string, args: object): Promise<ToolAnswer> {
    if (this.#host === undefined) throw new Error('not started');
    return this.#host.tool(name, { ...this.#way.further(name, args), ...args });
  }

  #expectConforming(name: string, answer: ToolAnswer): void {
    expect(JSON.parse(answer.content[0]?.text ?? '')).toEqual(answer.structuredContent);
    const schema = this.tools.find(tool => tool.name === name)?.outputSchema ?? false;
    const ajv = new Ajv2020({ strict: false });
    expect(ajv.validate(schema, answer.structuredContent), ajv.errorsText()).toBe(true);
  }
}
