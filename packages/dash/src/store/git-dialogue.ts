import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import type { Socket } from 'node:net';
import type { Clock, TimerHandle } from '@msg/foundation/clock';
import { type Git, GitFailure } from './git-command.ts';

/** How long the process stays without a question (review details 9). */
const IDLE_MS = 30_000;

/** The first answer of what git wrote, and its length; undefined while it is not there whole. */
export type ReadAnswer<T> = (received: Buffer) => { readonly answer: T; readonly length: number } | undefined;

interface Question {
  /** Takes the answer out of `received` and returns its length; undefined while it is not there whole. */
  readonly take: (received: Buffer) => number | undefined;
  readonly reject: (error: Error) => void;
}

/**
 * A git process that answers one line with one answer, in order. It starts with the first question, again when it has
 * died, and ends after 30 s, or as long as it is told, without one. It never keeps this process alive.
 */
export class GitDialogue {
  readonly #git: Git;
  readonly #args: readonly string[];
  readonly #clock: Clock;
  readonly #idleMs: number;
  readonly #waiting: Question[] = [];
  #child: ChildProcessWithoutNullStreams | undefined;
  #received: Buffer = Buffer.alloc(0);
  #complaint = '';
  #idle: TimerHandle | undefined;

  /** @param idleMs How long the process stays without a question. */
  constructor(git: Git, args: readonly string[], clock: Clock, idleMs = IDLE_MS) {
    this.#git = git;
    this.#args = args;
    this.#clock = clock;
    this.#idleMs = idleMs;
  }

  /**
   * Asks one line. A process that died without an answer is replaced once.
   * @throws GitFailure when the second one dies, too, and for a line that is two.
   */
  async ask<T>(line: string, read: ReadAnswer<T>): Promise<T> {
    if (line.includes('\n')) throw new GitFailure('a path with a line end cannot be read');
    try {
      return await this.askOnce(line, read);
    } catch {
      return this.askOnce(line, read);
    }
  }

  /** Asks lines that have one answer. @throws GitFailure when the process ends without it. */
  askOnce<T>(lines: string, read: ReadAnswer<T>): Promise<T> {
    this.#stopIdling();
    this.#child ??= this.#start();
    setReferenced(this.#child, true);
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const take = (received: Buffer): number | undefined => {
      const whole = read(received);
      if (whole !== undefined) resolve(whole.answer);
      return whole?.length;
    };
    this.#waiting.push({ take, reject });
    this.#child.stdin.write(`${lines}\n`);
    return promise;
  }

  /** Ends the process once it has answered. */
  end(): void {
    this.#stopIdling();
    this.#child?.stdin.end();
  }

  #start(): ChildProcessWithoutNullStreams {
    const child = this.#git.start(this.#args);
    const end = (): void => this.#ended(child);
    this.#complaint = '';
    child.stdout.on('data', (chunk: Buffer) => this.#receive(child, chunk));
    child.stderr.on('data', (chunk: Buffer) => {
      if (child === this.#child) this.#complaint = `${this.#complaint}${chunk}`.slice(0, 1_000);
    });
    child.stdin.on('error', () => undefined);
    child.on('error', end);
    child.on('close', end);
    return child;
  }

  #receive(child: ChildProcessWithoutNullStreams, chunk: Buffer): void {
    if (child !== this.#child) return;
    this.#received = Buffer.concat([this.#received, chunk]);
    for (;;) {
      const length = this.#waiting[0]?.take(this.#received);
      if (length === undefined) break;
      this.#received = this.#received.subarray(length);
      this.#waiting.shift();
    }
    if (this.#waiting.length === 0) this.#idleFrom(child);
  }

  #ended(child: ChildProcessWithoutNullStreams): void {
    if (child !== this.#child) return;
    this.#stopIdling();
    this.#child = undefined;
    this.#received = Buffer.alloc(0);
    for (const { reject } of this.#waiting.splice(0)) reject(new GitFailure(this.#complaint));
  }

  #idleFrom(child: ChildProcessWithoutNullStreams): void {
    setReferenced(child, false);
    this.#stopIdling();
    this.#idle = this.#clock.setTimeout(() => {
      this.#child = undefined;
      child.stdin.end();
    }, this.#idleMs);
  }

  #stopIdling(): void {
    if (this.#idle !== undefined) this.#clock.clearTimeout(this.#idle);
    this.#idle = undefined;
  }
}

/** Whether the process and its pipes keep this process alive. */
function setReferenced(child: ChildProcessWithoutNullStreams, isReferenced: boolean): void {
  // Pipes of a child are sockets: the type of its streams does not say so.
  for (const handle of [child, child.stdin, child.stdout, child.stderr] as unknown as Socket[]) {
    if (isReferenced) handle.ref();
    else handle.unref();
  }
}
