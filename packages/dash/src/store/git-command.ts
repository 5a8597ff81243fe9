import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { DashError } from '../errors.ts';
import { ioFailure } from './contract.ts';

/** What one run of git gave. */
export interface GitResult {
  readonly status: number;
  readonly stdout: Buffer;
  readonly stderr: string;
}

export interface GitInput {
  readonly stdin?: string | Uint8Array;
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * Runs git in one directory: without a shell, without hooks and signing, with literal path names, and cleared of
 * variables that would point it at another repository (dashboard details 18, rule 6).
 */
export class Git {
  readonly #directory: string;
  readonly #program: string;

  constructor(directory: string, program = 'git') {
    this.#directory = directory;
    this.#program = program;
  }

  /** Starts git; the caller reads, feeds and ends the process. */
  start(args: readonly string[], env: GitInput['env'] = {}): ChildProcessWithoutNullStreams {
    return spawn(this.#program, [...FIXED_OPTIONS, ...args], {
      cwd: this.#directory,
      env: { ...cleanEnvironment(process.env), ...env },
      stdio: 'pipe',
    });
  }

  /** Runs git and hands back its result, whatever the status. @throws DashError STORAGE_IO when git cannot be run. */
  async run(args: readonly string[], input: GitInput = {}): Promise<GitResult> {
    const { promise, resolve, reject } = Promise.withResolvers<GitResult>();
    const child = this.start(args, input.env);
    const stdout: Buffer[] = [];
    const stderr: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk));
    child.stdin.on('error', () => undefined);
    child.on('error', () => reject(ioFailure('git', 'git cannot be run')));
    child.on('close', status =>
      resolve({
        status: status ?? 128,
        stdout: Buffer.concat(stdout),
        stderr: Buffer.concat(stderr).toString(),
      }),
    );
    child.stdin.end(input.stdin);
    return promise;
  }

  /** Runs git and returns its standard output without the last line end. @throws DashError STORAGE_IO on any other status than 0. */
  async read(args: readonly string[], input: GitInput = {}): Promise<string> {
    return (await this.readBytes(args, input)).toString().replace(/\n$/, '');
  }

  /** The same as bytes, all of them. @throws DashError STORAGE_IO on any other status than 0. */
  async readBytes(args: readonly string[], input: GitInput = {}): Promise<Buffer> {
    const result = await this.run(args, input);
    if (result.status === 0) return result.stdout;
    throw new GitFailure(result.stderr);
  }
}

/** A git command that failed, with its complaint freed of paths. */
export class GitFailure extends Error {
  constructor(stderr: string) {
    super(complaintOf(stderr));
    this.name = 'GitFailure';
  }
}

/** STORAGE_IO for a failed git command; coded errors pass unchanged. */
function asGitFailure(error: unknown, operation: string, id?: string): unknown {
  if (error instanceof GitFailure) return ioFailure(operation, error.message, id);
  return error instanceof DashError && error.code === 'STORAGE_IO' && id !== undefined
    ? ioFailure(operation, String(error.details['reason']), id)
    : error;
}

/** Runs the work; its failures of git become STORAGE_IO of that operation. @throws DashError */
export async function withGitErrors<T>(
  operation: string,
  id: string | undefined,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw asGitFailure(error, operation, id);
  }
}

/** Options that keep a user's configuration from running programs, taking locks later and widening a list. */
const FIXED_OPTIONS = [
  ...['-c', 'core.hooksPath=/dev/null', '-c', 'commit.gpgSign=false', '-c', 'core.fsync=committed,reference'],
  ...['-c', 'gc.auto=0', '-c', 'maintenance.auto=false', '-c', 'log.follow=false'],
  ...['-c', 'log.showSignature=false', '--literal-pathspecs', '--no-pager'],
] as const;

function cleanEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const entries = Object.entries(env).filter(([name]) => !name.startsWith('GIT_') || KEPT.has(name));
  return { ...Object.fromEntries(entries), LC_ALL: 'C', GIT_OPTIONAL_LOCKS: '0', GIT_TERMINAL_PROMPT: '0' };
}

/** Where the configuration lives is the user's choice; everything else under `GIT_` would redirect a command. */
const KEPT: ReadonlySet<string> = new Set([
  'GIT_CONFIG_GLOBAL',
  'GIT_CONFIG_SYSTEM',
  'GIT_CONFIG_NOSYSTEM',
  'GIT_EXEC_PATH',
  'GIT_CEILING_DIRECTORIES',
]);

function complaintOf(stderr: string): string {
  const line = stderr.split('\n').find(text => text.trim() !== '') ?? 'git failed';
  return line.replace(/\/[^\s'":]+/g, path => path.slice(path.lastIndexOf('/') + 1)).slice(0, 300);
}
