import type { Host, Serve } from './host.ts';
import { KnownWords } from './provenance.ts';
import { filled } from './references.ts';

/** A document that the human stores, as an earlier code needs it: there, nothing could be created by a changeset. */
interface Written {
  readonly id: string;
  readonly document: object;
}

/** One value of the end state: of a stored document, or of the answer to a step. */
interface End {
  readonly id?: string;
  readonly answer?: number;
  /** JSON Pointer. */
  readonly at: string;
  /** The value; null for one that is absent. */
  readonly is: unknown;
}

/** One step of a task: a call of the model, or a commit by the human or by somebody else. */
export interface Step {
  readonly tool?: string;
  readonly args?: Readonly<Record<string, unknown>>;
  /** A commit; `told`: the model gets its answer to read. */
  readonly commit?: Readonly<Record<string, unknown>>;
  readonly told?: boolean;
  readonly write?: Written;
  /** `ok`, the code of an error, or the status of a commit. */
  readonly expect: string;
}

export interface Task {
  readonly name: string;
  /** What the user says. */
  readonly words: string;
  /** Ids and names that the model makes up. */
  readonly new?: readonly string[];
  /** The kind of mistake that the task plants. */
  readonly mistake?: string;
  readonly steps: readonly Step[];
  /** What is true afterwards. */
  readonly ends?: readonly End[];
}

/** What a task took. */
export interface Taken {
  readonly name: string;
  readonly calls: number;
  readonly errors: number;
  readonly characters: number;
}

/** One conversation: what the model has seen, and what each tool cost. */
export class Session {
  readonly tools = new Map<string, { calls: number; characters: number }>();
  readonly #host: Host;
  readonly #serve: Serve;
  readonly #known = new KnownWords();

  constructor(host: Host, serve: Serve) {
    this.#host = host;
    this.#serve = serve;
  }

  /** The characters of tools/list, which the model sees before its first call. */
  async start(): Promise<number> {
    const listed = await this.#host.request('tools/list');
    this.#known.learn(listed);
    return JSON.stringify(listed).length;
  }

  /** @throws Error when a step ends otherwise than expected, or a call holds a word of unknown provenance. */
  async run(task: Task): Promise<Taken> {
    this.#known.learn([task.words, task.new ?? []]);
    const answers: unknown[] = [];
    let [calls, errors, characters] = [0, 0, 0];
    for (const [index, step] of task.steps.entries()) {
      const where = `task "${task.name}", step ${index}`;
      const { answer, cost, isError } = await this.#step(step, answers, where);
      answers.push(answer);
      characters += cost;
      if (step.tool !== undefined) calls++;
      if (isError) errors++;
    }
    for (const end of task.ends ?? []) await this.#require(end, answers, `task "${task.name}"`);
    return { name: task.name, calls, errors, characters };
  }

  async #step(step: Step, answers: readonly unknown[], where: string) {
    if (step.write !== undefined) {
      await this.#serve.write(step.write);
      return { answer: {}, cost: 0, isError: false };
    }
    if (step.tool === undefined) return this.#commit(step, answers, where);
    const args = filled(step.args ?? {}, answers);
    const unknown = this.#known.unknownIn(args);
    if (unknown.length > 0) throw new Error(`${where}: unknown provenance: ${unknown.join(', ')}`);
    const { text, isError } = await this.#host.call(step.tool, args);
    const answer = JSON.parse(text) as { code?: string };
    const outcome = isError ? answer.code : 'ok';
    if (outcome !== step.expect)
      throw new Error(`${where}: ${step.expect} expected, got ${text.slice(0, 2_000)}`);
    this.#known.learn(answer);
    const cost = JSON.stringify(args).length + text.length;
    const tool = this.tools.get(step.tool) ?? { calls: 0, characters: 0 };
    this.tools.set(step.tool, { calls: tool.calls + 1, characters: tool.characters + cost });
    return { answer: { ...answer, args }, cost, isError };
  }

  /** Looks at the end state; this is no call of the model, and costs nothing. */
  async #require({ id, answer, at, is }: End, answers: readonly unknown[], where: string): Promise<void> {
    const told = id === undefined ? answers[answer ?? 0] : (await this.#stored(id)).document;
    const value = JSON.stringify(valueAt(told, at) ?? null);
    if (value === JSON.stringify(is)) return;
    throw new Error(`${where}: ${JSON.stringify(is)} expected at ${at}, got ${value}`);
  }

  async #stored(id: string): Promise<{ readonly document: unknown }> {
    const { text } = await this.#host.call('dash_get_document', { id });
    return JSON.parse(text) as { document: unknown };
  }

  async #commit(step: Step, answers: readonly unknown[], where: string) {
    const body = filled(step.commit ?? {}, answers) as object;
    const { status, text } = await this.#serve.commit(body);
    if (String(status) !== step.expect) throw new Error(`${where}: ${status} ${text.slice(0, 2_000)}`);
    const answer: unknown = JSON.parse(text);
    if (step.told === true) this.#known.learn(answer);
    return { answer, cost: step.told === true ? text.length : 0, isError: false };
  }
}

/** The value that a JSON Pointer names, or undefined. The pointer must hold no `~` escapes. */
function valueAt(whole: unknown, pointer: string): unknown {
  let value = whole;
  for (const name of pointer.split('/').slice(1))
    value = (value as Record<string, unknown> | undefined)?.[name];
  return value;
}
