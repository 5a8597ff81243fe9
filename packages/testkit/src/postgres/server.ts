import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chmodSync, chownSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../eventually.ts';
import { freePort } from '../ports.ts';
import { guard } from '../watchdog.ts';
import { postgresProgram, unprivileged } from './programs.ts';

export interface PostgresServerOptions {
  /** Settings of `postgresql.conf`, such as `max_connections`. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Serve TLS with this certificate. */
  readonly tls?: { readonly cert: string; readonly key: string };
  /** Roles that need no password. */
  readonly trusted?: readonly string[];
}

/** How long a server may take to answer after its start. */
const START_MS = 60_000;

/** Of a statement, bytes. */
const LARGEST_ANSWER = 256 * 1024 * 1024;

/** The superuser of every cluster, with a password like everybody. */
const ADMIN = 'admin';
const PASSWORD = 'password-of-tests';

/** A real PostgreSQL on a free port of the loopback interface, with a new cluster in a temporary folder. */
export class PostgresServer {
  readonly port: number;
  readonly folder: string;
  readonly #options: PostgresServerOptions;
  readonly #user = unprivileged();
  #child: ChildProcess | undefined;
  #unguard: (() => void) | undefined;
  #log = '';

  private constructor(port: number, options: PostgresServerOptions) {
    this.port = port;
    this.#options = options;
    this.folder = mkdtempSync(join(tmpdir(), 'msg-postgres-'));
  }

  /** A running cluster with the superuser `admin` and an empty database `shop`. */
  static async start(options: PostgresServerOptions = {}): Promise<PostgresServer> {
    const server = new PostgresServer(await freePort(), options);
    try {
      server.#init();
      await server.restart();
      server.sql('CREATE DATABASE shop', 'postgres');
      return server;
    } catch (error) {
      await server.stop();
      throw error;
    }
  }

  /** `postgres://<user>@127.0.0.1:<port>/shop` */
  url(user: string, host = '127.0.0.1'): string {
    return `postgres://${user}@${host}:${this.port}/shop`;
  }

  /** `postgres://127.0.0.1:<port>` */
  get origin(): string {
    return `postgres://127.0.0.1:${this.port}`;
  }

  /** Password of every role that {@link addRole} makes, and of `admin`. */
  get password(): string {
    return PASSWORD;
  }

  /** A role that may connect and read what `grants` says. */
  addRole(name: string, grants: readonly string[] = []): void {
    this.sql([`CREATE ROLE ${name} LOGIN PASSWORD '${PASSWORD}'`, ...grants].join(';\n'));
  }

  /** Runs statements as the superuser; the rows of the last, cells with `|` between them. */
  sql(text: string, database = 'shop'): string {
    return execFileSync(postgresProgram('psql'), [...this.#psqlArgs(database), '-f', '-'], {
      ...this.#psqlOptions(),
      input: text,
      encoding: 'utf8',
      maxBuffer: LARGEST_ANSWER,
    }).trim();
  }

  /** Listens for notifications as the superuser; `stop` answers the payloads that came. */
  listen(channel: string): { readonly ready: Promise<void>; stop(): Promise<string[]> } {
    const child = spawn(postgresProgram('psql'), [...this.#psqlArgs('shop'), '-f', '-'], this.#psqlOptions());
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    const closed = new Promise<void>(resolve => child.once('close', () => resolve()));
    child.stdin.write(`LISTEN ${channel};\nSELECT 'listening';\n`);
    return {
      ready: eventually(`psql listens to ${channel}`, () => output.includes('listening')),
      stop: async () => {
        child.stdin.end("SELECT 'over';\n");
        await closed;
        return [...output.matchAll(/with payload "([^"]*)"/g)].map(([, payload]) => payload ?? '');
      },
    };
  }

  /** Ends the server at once, as a crash does; its cluster stays. */
  async kill(): Promise<void> {
    const child = this.#child;
    if (child === undefined) return;
    this.#child = undefined;
    const gone = new Promise<void>(resolve => child.once('close', () => resolve()));
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGQUIT');
      await gone;
    }
    this.#unguard?.();
    this.#unguard = undefined;
  }

  /** Ends every process of the server with SIGKILL; its cluster stays, and {@link restart} recovers it. Linux only. */
  async killProcesses(): Promise<void> {
    const pid = this.#child?.pid;
    if (pid === undefined) return;
    // Never a number that names a group of processes.
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').match(/\d{2,}/g) ?? [];
    // The first of them would end the others in its own way.
    for (const each of [pid, ...children.map(Number)]) signal(each, 'SIGKILL');
    await this.kill();
    await eventually('the processes are gone', () => !children.some(isRunning));
  }

  /** Kills the server if it still runs and starts it on the same port and cluster; resolves when it answers. */
  async restart(): Promise<void> {
    await this.kill();
    const settings = Object.entries({
      listen_addresses: '127.0.0.1',
      unix_socket_directories: '',
      fsync: 'off',
      ...this.#tls(),
      ...this.#options.settings,
    });
    const args = ['-D', join(this.folder, 'data'), '-p', String(this.port)];
    const child = spawn(
      postgresProgram('postgres'),
      [...args, ...settings.flatMap(([name, value]) => ['-c', `${name}=${value}`])],
      { cwd: this.folder, stdio: ['ignore', 'ignore', 'pipe'], ...this.#user },
    );
    this.#child = child;
    this.#unguard = guard(child, this.folder, 'QUIT');
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#log = (this.#log + text).slice(-8_000);
    });
    await eventually(`PostgreSQL on port ${this.port} answers`, () => this.#answers(child), START_MS, 50);
  }

  /** What the server has written about itself lately. */
  get log(): string {
    return this.#log;
  }

  /** Kills the server and removes its cluster. Safe to call again. */
  async stop(): Promise<void> {
    await this.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }

  #psqlArgs(database: string): string[] {
    const format = ['-X', '-q', '-A', '-t', '-v', 'ON_ERROR_STOP=1'];
    return [...format, '-h', '127.0.0.1', '-p', String(this.port), '-U', ADMIN, '-d', database];
  }

  #psqlOptions() {
    const stdio: ['pipe', 'pipe', 'pipe'] = ['pipe', 'pipe', 'pipe'];
    return { env: { ...process.env, PGPASSWORD: PASSWORD }, stdio };
  }

  #answers(child: ChildProcess): boolean {
    if (child.exitCode !== null) throw new Error(`PostgreSQL ended:\n${this.#log}`);
    try {
      return this.sql('SELECT 1', 'postgres') === '1';
    } catch {
      return false;
    }
  }

  #init(): void {
    const password = join(this.folder, 'password');
    writeFileSync(password, `${PASSWORD}\n`);
    this.#own(this.folder);
    this.#own(password);
    const how = ['-U', ADMIN, `--pwfile=${password}`, '--auth=scram-sha-256', '-E', 'UTF8', '--locale=C'];
    execFileSync(postgresProgram('initdb'), ['-D', join(this.folder, 'data'), ...how, '--no-sync'], {
      cwd: this.folder,
      stdio: ['ignore', 'ignore', 'pipe'],
      ...this.#user,
    });
    const { trusted = [] } = this.#options;
    const rules = join(this.folder, 'data', 'pg_hba.conf');
    const first = trusted.map(role => `host all ${role} 127.0.0.1/32 trust\n`).join('');
    writeFileSync(rules, `${first}${readFileSync(rules, 'utf8')}`);
  }

  #tls(): Readonly<Record<string, string>> {
    const { tls } = this.#options;
    if (tls === undefined) return {};
    const [cert, key] = ['tls.cert.pem', 'tls.key.pem'].map(name => join(this.folder, name));
    for (const [path, text] of [
      [cert, tls.cert],
      [key, tls.key],
    ]) {
      writeFileSync(path ?? '', text ?? '', { mode: 0o600 });
      this.#own(path ?? '');
    }
    return { ssl: 'on', ssl_cert_file: cert ?? '', ssl_key_file: key ?? '' };
  }

  #own(path: string): void {
    if (this.#user === undefined) return;
    chmodSync(path, 0o700);
    chownSync(path, this.#user.uid, this.#user.gid);
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // it has ended
  }
}

/** False for one that has ended and waits to be collected. */
function isRunning(pid: string): boolean {
  try {
    return !/^State:\tZ/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}
