import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { type MsgServer, startMsg } from '@msg/testkit';
import type { PostgresServer } from '@msg/testkit/postgres';
import type { RedisServer } from '@msg/testkit/redis';

/** What is killed and comes back. */
export interface Actor {
  /** Ends it with SIGKILL. Everything that it would still do after the call is not done. */
  kill(): void | Promise<void>;
  /** Starts it again; resolves when it works. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

const FLAGS = ['--conditions=msg-source', '--disable-warning=ExperimentalWarning'];

/** A program of this folder; `args` are asked for at each start, with how often it was started before. */
export class ProgramActor implements Actor {
  readonly #program: string;
  readonly #args: (starts: number) => readonly string[];
  readonly #onLine: (line: string) => void;
  #starts = 0;
  #child: ChildProcess | undefined;

  constructor(program: string, args: (starts: number) => readonly string[], onLine: (line: string) => void) {
    this.#program = new URL(program, import.meta.url).pathname;
    this.#args = args;
    this.#onLine = onLine;
  }

  kill(): void {
    this.#child?.kill('SIGKILL');
  }

  async restart(): Promise<void> {
    await this.#end('SIGKILL');
    const child = spawn(process.execPath, [...FLAGS, this.#program, ...this.#args(this.#starts++)], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.#child = child;
    createInterface(child.stdout).on('line', this.#onLine);
  }

  stop(): Promise<void> {
    return this.#end('SIGKILL');
  }

  /** Ends it after what it has begun. */
  finish(): Promise<void> {
    return this.#end('SIGTERM');
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    if (child === undefined) return;
    this.#child = undefined;
    const closed = new Promise(resolve => child.once('close', resolve));
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill(signal);
    await closed;
  }
}

/** `msg serve` on one port. */
export class NodeActor implements Actor {
  readonly #port: number;
  readonly #args: readonly string[];
  readonly #env: Readonly<Record<string, string>>;
  #server: MsgServer | undefined;

  constructor(port: number, args: readonly string[], env: Readonly<Record<string, string>>) {
    this.#port = port;
    this.#args = args;
    this.#env = env;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  get token(): string {
    return this.#server?.token ?? '';
  }

  kill(): void {
    this.#server?.kill('SIGKILL');
  }

  async restart(): Promise<void> {
    this.kill();
    await this.#server?.exited();
    this.#server = await startMsg({ port: this.#port, args: this.#args, env: this.#env });
  }

  async stop(): Promise<void> {
    this.kill();
    await this.#server?.exited();
  }
}

/** The database, or the store of the nodes: the same folder on the same port. */
export class ServerActor implements Actor {
  readonly #server: RedisServer | PostgresServer;

  constructor(server: RedisServer | PostgresServer) {
    this.#server = server;
  }

  kill(): Promise<void> {
    return 'killProcesses' in this.#server ? this.#server.killProcesses() : this.#server.kill();
  }

  restart(): Promise<void> {
    return this.#server.restart();
  }

  stop(): Promise<void> {
    return this.#server.stop();
  }
}
