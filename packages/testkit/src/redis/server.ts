import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defined } from '@msg/foundation/json';
import { Redis } from 'ioredis';
import { eventually } from '../eventually.ts';
import { freePort } from '../ports.ts';
import { guard } from '../watchdog.ts';

/** One line of a Redis configuration file: a directive and its arguments. */
export type RedisDirective = readonly [string, ...string[]];

export interface RedisServerOptions {
  /** Lines of the configuration file. The port, the folder and the loopback address are added. */
  readonly config?: readonly RedisDirective[];
  /** Keep the data over `kill` and `restart`: every write reaches the append-only file first. Default: in memory only. */
  readonly persistent?: boolean;
  /** Run as a Sentinel. */
  readonly sentinel?: boolean;
  /** Serve TLS, and nothing else, with the test certificate of this package. */
  readonly tls?: { readonly cert: string; readonly key: string };
  /** The only user that can log in, with its ACL rules; default: all commands. */
  readonly user?: { readonly name: string; readonly password: string; readonly rules?: readonly string[] };
}

/** How long a server may take to answer after its start. */
const START_MS = 60_000;
/** A command without an answer for this time has a server that hangs. */
const ANSWER_MS = 30_000;

/** The program: `MSG_TEST_REDIS_SERVER` when set (`valkey-server`, say), else `redis-server`. */
export function redisProgram(): string {
  return process.env['MSG_TEST_REDIS_SERVER'] || 'redis-server';
}

function quoted(value: string): string {
  return `"${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}

function persistence(options: RedisServerOptions): readonly RedisDirective[] {
  if (options.sentinel === true) return [];
  if (options.persistent === true)
    return [
      ['appendonly', 'yes'],
      ['appendfsync', 'always'],
    ];
  return [
    ['save', ''],
    ['appendonly', 'no'],
  ];
}

function access(options: RedisServerOptions): readonly RedisDirective[] {
  if (options.user === undefined) return [];
  const { name, password, rules = ['~*', '&*', '+@all'] } = options.user;
  return [
    ['user', 'default', 'off'],
    ['user', name, 'on', `>${password}`, ...rules],
  ];
}

/** A real Redis server process on a free port of the loopback interface, in a new temporary folder. */
export class RedisServer {
  readonly host = '127.0.0.1';
  readonly port: number;
  readonly folder: string;
  readonly #options: RedisServerOptions;
  #child: ChildProcess | undefined;
  #unguard: (() => void) | undefined;
  #log = '';

  private constructor(port: number, options: RedisServerOptions) {
    this.port = port;
    this.#options = options;
    this.folder = mkdtempSync(join(tmpdir(), 'msg-redis-'));
  }

  static async start(options: RedisServerOptions = {}): Promise<RedisServer> {
    const server = new RedisServer(await freePort(), options);
    server.#configure();
    try {
      await server.restart();
    } catch (error) {
      await server.stop();
      throw error;
    }
    return server;
  }

  /** `host:port` */
  get address(): string {
    return `${this.host}:${this.port}`;
  }

  /** `redis://127.0.0.1:<port>`, or `rediss://` with TLS; without credentials. */
  get url(): string {
    return `${this.#options.tls === undefined ? 'redis' : 'rediss'}://${this.address}`;
  }

  get pid(): number {
    if (this.#child?.pid === undefined) throw new Error('this Redis server is not running');
    return this.#child.pid;
  }

  /** A new client; the caller closes it with `disconnect()`. */
  client(settings: { readonly commandTimeout?: number } = {}): Redis {
    const { tls, user } = this.#options;
    const client = new Redis({
      host: this.host,
      port: this.port,
      lazyConnect: true,
      maxRetriesPerRequest: 0,
      retryStrategy: () => null,
      ...settings,
      ...defined({ username: user?.name, password: user?.password, tls: tls && { ca: tls.cert } }),
    });
    client.on('error', () => undefined);
    return client;
  }

  /** Runs one command over a new connection. Rejects after 30 s without an answer. */
  async command(name: string, ...args: (string | number)[]): Promise<unknown> {
    const client = this.client({ commandTimeout: ANSWER_MS });
    try {
      return await client.call(name, ...args);
    } finally {
      client.disconnect();
    }
  }

  /** Ends the process at once, as a crash does, and waits until it is gone. What is not persistent is lost. */
  async kill(): Promise<void> {
    const child = this.#child;
    if (child === undefined) return;
    this.#child = undefined;
    const gone = new Promise<void>(resolve => child.once('close', () => resolve()));
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGKILL');
      await gone;
    }
    this.#unguard?.();
    this.#unguard = undefined;
  }

  /** Stops the process without ending it (SIGSTOP): its connections stay open and nothing answers. */
  pause(): void {
    process.kill(this.pid, 'SIGSTOP');
  }

  /** Lets a paused process go on. */
  resume(): void {
    process.kill(this.pid, 'SIGCONT');
  }

  /** Kills the process if it still runs and starts it on the same port and folder; resolves when it answers. */
  async restart(): Promise<void> {
    await this.kill();
    const args = ['redis.conf', ...(this.#options.sentinel === true ? ['--sentinel'] : [])];
    const child = spawn(redisProgram(), args, { cwd: this.folder, stdio: ['ignore', 'pipe', 'pipe'] });
    this.#child = child;
    let failure: Error | undefined;
    child.on('error', error => {
      failure = error;
    });
    const keep = (text: string): void => {
      this.#log = (this.#log + text).slice(-8000);
    };
    child.stdout.setEncoding('utf8').on('data', keep);
    child.stderr.setEncoding('utf8').on('data', keep);
    this.#unguard = guard(child, this.folder);
    const answers = async (): Promise<boolean> => {
      if (failure !== undefined) throw failure;
      if (child.exitCode !== null) throw new Error(`the Redis server ended:\n${this.#log}`);
      return (await this.command('PING').catch(() => undefined)) === 'PONG';
    };
    await eventually(`the Redis server on port ${this.port} answers`, answers, START_MS);
  }

  /** Kills the process and removes its folder. Safe to call again. */
  async stop(): Promise<void> {
    await this.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }

  #configure(): void {
    const { tls } = this.#options;
    const lines: RedisDirective[] = [
      ['bind', this.host],
      ['dir', this.folder],
      ['daemonize', 'no'],
      ...(tls === undefined ? this.#plainPort() : this.#tlsPort(tls)),
      ...persistence(this.#options),
      ...access(this.#options),
      ...(this.#options.config ?? []),
    ];
    const text = lines.map(([name, ...args]) => `${name} ${args.map(quoted).join(' ')}\n`).join('');
    writeFileSync(join(this.folder, 'redis.conf'), text, { mode: 0o600 });
  }

  #plainPort(): readonly RedisDirective[] {
    return [['port', String(this.port)]];
  }

  #tlsPort(tls: { readonly cert: string; readonly key: string }): readonly RedisDirective[] {
    const certificate = join(this.folder, 'tls.cert.pem');
    const key = join(this.folder, 'tls.key.pem');
    writeFileSync(certificate, tls.cert);
    writeFileSync(key, tls.key, { mode: 0o600 });
    return [
      ['port', '0'],
      ['tls-port', String(this.port)],
      ['tls-cert-file', certificate],
      ['tls-key-file', key],
      ['tls-ca-cert-file', certificate],
      ['tls-auth-clients', 'no'],
    ];
  }
}
