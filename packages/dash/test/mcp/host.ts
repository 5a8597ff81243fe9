import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export const BINARY = fileURLToPath(new URL('../../bin/dashdoc.js', import.meta.url));

/** For programs whose host hands on no other variable: what Node.js has compiled of them is used again. */
export const COMPILED: Readonly<Record<string, string>> = {
  NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '',
};

/** One message from the server. */
export interface Message {
  readonly id?: number | string | null;
  readonly method?: string;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** What a tool answered. */
export interface ToolAnswer {
  readonly isError?: boolean;
  readonly content: readonly { readonly type: string; readonly text: string }[];
  readonly structuredContent?: Record<string, unknown>;
}

/** How a process ended. */
export interface Ending {
  readonly status: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A host that speaks raw lines with `dashdoc mcp`, and keeps every byte that it prints. */
export class RawHost {
  readonly ended: Promise<Ending>;
  stdout = '';
  stderr = '';
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #heard: Message[] = [];
  readonly #waiting = new Set<() => void>();
  #line = '';
  #nextId = 1;

  constructor(words: readonly string[], cwd?: string) {
    this.#child = spawn(process.execPath, [BINARY, 'mcp', ...words], cwd === undefined ? {} : { cwd });
    this.#child.stdout.setEncoding('utf8').on('data', (text: string) => this.#hear(text));
    this.#child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text;
      this.#wake();
    });
    this.#child.stdin.on('error', () => undefined);
    this.ended = once(this.#child, 'close').then(([status, signal]) => ({ status, signal }) as Ending);
    this.ended.then(() => this.#wake());
  }

  /** Sends bytes as they are. */
  raw(bytes: string | Uint8Array): void {
    this.#child.stdin.write(bytes);
  }

  send(message: object): void {
    this.raw(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }

  /** Sends a request and waits for its answer. */
  async request(method: string, params: object = {}): Promise<Message> {
    const id = this.#nextId++;
    this.send({ id, method, params });
    return this.answer(id);
  }

  async answer(id: number | string): Promise<Message> {
    return this.until(() => this.#heard.find(message => message.id === id));
  }

  /** Waits until `find` finds something; fails when the process ends without. */
  async until<T>(find: () => T | undefined): Promise<T> {
    for (;;) {
      const found = find();
      if (found !== undefined) return found;
      const dead = this.#child.exitCode !== null || this.#child.signalCode !== null;
      if (dead && this.#child.stdout.readableEnded) throw new Error(`the server ended: ${this.stderr}`);
      await new Promise<void>(resolve => {
        this.#waiting.add(resolve);
      });
    }
  }

  /** Waits until stderr, a stream of its own that may come later than an answer, fits the pattern so many times. */
  async logged(pattern: RegExp, times = 1): Promise<void> {
    const all = new RegExp(pattern, 'g');
    await this.until(() => ((this.stderr.match(all)?.length ?? 0) >= times ? true : undefined));
  }

  async initialize(protocolVersion = '2025-06-18'): Promise<Message> {
    const capabilities = {};
    const clientInfo = { name: 'raw', version: '1' };
    const answer = await this.request('initialize', { protocolVersion, capabilities, clientInfo });
    this.send({ method: 'notifications/initialized' });
    return answer;
  }

  async tool(name: string, args: object = {}): Promise<ToolAnswer> {
    const { result, error } = await this.request('tools/call', { name, arguments: args });
    if (result === undefined) throw new Error(`${name}: ${JSON.stringify(error)}`);
    return result as unknown as ToolAnswer;
  }

  /** Closes the server's input. */
  async hangUp(): Promise<Ending> {
    this.#child.stdin.end();
    return this.ended;
  }

  async kill(signal: NodeJS.Signals): Promise<Ending> {
    this.#child.kill(signal);
    return this.ended;
  }

  /** Every line of stdout; throws when one is not a JSON-RPC message. */
  messages(): Message[] {
    const lines = this.stdout.split('\n');
    if (lines.pop() !== '') throw new Error('stdout does not end with a whole line');
    return lines.map(line => {
      const message = JSON.parse(line) as Message & { jsonrpc?: string };
      if (message.jsonrpc !== '2.0') throw new Error(`stray line on stdout: ${line}`);
      return message;
    });
  }

  #hear(text: string): void {
    this.stdout += text;
    const lines = (this.#line + text).split('\n');
    this.#line = lines.pop() ?? '';
    for (const line of lines) this.#heard.push(JSON.parse(line) as Message);
    this.#wake();
  }

  #wake(): void {
    for (const resolve of this.#waiting) resolve();
    this.#waiting.clear();
  }
}
