import { type ChildProcessWithoutNullStreams, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** What a tool answered: the text that a model sees. */
export interface Told {
  readonly text: string;
  readonly isError: boolean;
}

interface Message {
  readonly id?: number;
  readonly result?: Record<string, unknown>;
  readonly error?: unknown;
}

/** A program under test, and what it says when it ends before it is stopped. */
class Program {
  readonly child: ChildProcessWithoutNullStreams;
  /** Rejects when the program ends. */
  readonly ended: Promise<never>;
  #errors = '';

  constructor(program: string, words: readonly string[]) {
    this.child = spawn(process.execPath, [program, ...words]);
    this.child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#errors += text;
    });
    // Writing to a program that has ended fails; why it ended is what its last words say.
    this.child.stdin.on('error', () => undefined);
    this.ended = once(this.child, 'close').then(([status]) => {
      throw new Error(`dashdoc ${words[0]} ended with ${status}: ${this.#errors.slice(-2_000)}`);
    });
    this.ended.catch(() => undefined);
  }

  /** Waits for the end that was asked for. */
  async stopped(): Promise<void> {
    await this.ended.catch(() => undefined);
  }
}

/** `dashdoc mcp` as a host starts it. */
export class Host {
  readonly #program: Program;
  readonly #waiting = new Map<number, (message: Message) => void>();
  #next = 1;

  constructor(program: string, words: readonly string[]) {
    this.#program = new Program(program, ['mcp', ...words]);
    createInterface({ input: this.#program.child.stdout }).on('line', line => {
      const message = JSON.parse(line) as Message;
      this.#waiting.get(message.id ?? 0)?.(message);
    });
  }

  async initialize(): Promise<void> {
    const clientInfo = { name: 'bench', version: '1' };
    await this.request('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
  }

  /** @throws Error with the last words of the program when it ends without an answer. */
  async request(method: string, params: object = {}): Promise<Record<string, unknown>> {
    const id = this.#next++;
    const { promise, resolve } = Promise.withResolvers<Message>();
    this.#waiting.set(id, resolve);
    this.#program.child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    const { result, error } = await Promise.race([promise, this.#program.ended]);
    if (result === undefined) throw new Error(`${method}: ${JSON.stringify(error)}`);
    return result;
  }

  async call(name: string, args: unknown): Promise<Told> {
    const result = await this.request('tools/call', { name, arguments: args });
    const [content] = result['content'] as { readonly text: string }[];
    return { text: content?.text ?? '', isError: result['isError'] === true };
  }

  async stop(): Promise<void> {
    this.#program.child.stdin.end();
    await this.#program.stopped();
  }
}

/** `dashdoc serve`, with which the human reviews and commits. */
export class Serve {
  readonly #program: Program;
  readonly #root: string;
  readonly url: string;

  private constructor(program: Program, root: string, url: string) {
    this.#program = program;
    this.#root = root;
    this.url = url;
  }

  /** @throws Error with the last words of the program when it ends before it listens. */
  static async start(program: string, root: string): Promise<Serve> {
    const words = ['serve', '--port', '0', '--store', 'git', '--root', root];
    const started = new Program(program, words);
    const first = once(createInterface({ input: started.child.stdout }), 'line') as Promise<[string]>;
    const [line] = await Promise.race([first, started.ended]);
    return new Serve(started, root, / on (http:\S+)$/.exec(line)?.[1] ?? '');
  }

  /** A document that the human makes by hand, with a commit. */
  async write({ id, document }: { readonly id: string; readonly document: object }): Promise<void> {
    const file = `${id}.json`;
    await writeFile(join(this.#root, file), `${JSON.stringify(document, null, 2)}\n`);
    const git = (...words: string[]): Buffer => execFileSync('git', words, { cwd: this.#root });
    git('add', '--', file);
    git('commit', '--quiet', '-m', `Add ${id}`);
  }

  /** A commit: the status and the body. */
  async commit(body: unknown): Promise<{ readonly status: number; readonly text: string }> {
    const response = await fetch(`${this.url}/api/patch`, { method: 'POST', body: JSON.stringify(body) });
    return { status: response.status, text: await response.text() };
  }

  async stop(): Promise<void> {
    this.#program.child.kill();
    await this.#program.stopped();
  }
}
