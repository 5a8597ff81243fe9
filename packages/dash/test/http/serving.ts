import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { fileURLToPath } from 'node:url';
import { eventually } from '@msg/testkit';
import type { JsonObject } from '#src/document/json.ts';
import { PATIENT_MS } from '../store/stores.ts';

const BIN = fileURLToPath(new URL('../../bin/dashdoc.js', import.meta.url));

/** One answer of the server. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export interface Asked {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** A request with headers that `fetch` would not send, such as a foreign `Host`. */
export async function ask(url: string, { method = 'GET', headers = {}, body }: Asked = {}): Promise<Answer> {
  const sent = httpRequest(url, { method, headers, agent: false });
  sent.end(body);
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  let text = '';
  for await (const chunk of answer.setEncoding('utf8')) text += chunk;
  return { status: answer.statusCode ?? 0, headers: answer.headers, text };
}

export interface JsonAnswer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly body: any;
}

/** An answer whose body is JSON; an error body holds exactly the three members of an envelope. */
export async function askJson(url: string, asked?: Asked): Promise<JsonAnswer> {
  const { status, headers, text } = await ask(url, asked);
  if (headers['content-type'] !== 'application/json') throw new Error(`${headers['content-type']}: ${text}`);
  const body = JSON.parse(text) as JsonObject;
  if (status >= 400 && Object.keys(body).sort().join() !== 'code,details,message') {
    throw new Error(`no envelope: ${text}`);
  }
  return { status, body };
}

/** A commit or a dry run. */
export function post(url: string, body: unknown, headers: Record<string, string> = {}): Promise<JsonAnswer> {
  return askJson(url, { method: 'POST', headers, body: JSON.stringify(body) });
}

/** `dashdoc serve` as a process of its own. */
export class Serving {
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;
  stdout = '';
  stderr = '';

  constructor(words: readonly string[], env: Readonly<Record<string, string>>) {
    const options = { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] as const };
    this.#child = spawn(process.execPath, [BIN, 'serve', ...words], {
      ...options,
      stdio: [...options.stdio],
    });
    this.#child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.stdout += text;
    });
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text;
    });
    this.#ended = once(this.#child, 'close');
  }

  /** Started and listening. */
  static async start(words: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Serving> {
    const serving = new Serving(['--port', '0', ...words], env);
    const printed = () => serving.stdout.includes('\n') || serving.#child.exitCode !== null;
    await eventually('the banner', printed, PATIENT_MS);
    if (serving.#child.exitCode !== null) throw new Error(serving.stderr);
    return serving;
  }

  /** One that is expected to end by itself. */
  static async failing(
    words: readonly string[],
  ): Promise<{ status: number | null; stderr: string; stdout: string }> {
    const serving = new Serving(words, {});
    await serving.#ended;
    return { status: serving.#child.exitCode, stderr: serving.stderr, stdout: serving.stdout };
  }

  get url(): string {
    return / on (http:\S+)\n$/.exec(this.stdout)?.[1] ?? '';
  }

  /** The process is over, on purpose or not. */
  get hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** Megabytes of memory that the process holds. */
  get residentMib(): number {
    const [, kib] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${this.#child.pid}/status`, 'utf8')) ?? [];
    return Number(kib) / 1_024;
  }

  get port(): string {
    return new URL(this.url).port;
  }

  /** Ends the process and answers its exit status. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    this.#child.kill(signal);
    await this.#ended;
    return this.#child.exitCode;
  }
}
