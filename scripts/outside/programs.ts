import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { CapturedCommand } from './capture-program.ts';

/** A package of the workspace that has commands. */
interface Manifest {
  readonly bin?: Readonly<Record<string, string>>;
}

/** Command lines whose end is recorded: exit code, and the beginning of what goes to standard error. */
const ENDINGS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  msg: [
    [],
    ['--version'],
    ['--help'],
    ['--json'],
    ['no-such-command'],
    ['channels'],
    ['channels', 'no-such-command'],
    ['channels', 'list', '--no-such-flag'],
    ['channels', 'get'],
    ['channels', 'list', '--server', 'http://127.0.0.1:1'],
    ['serve', '--addr', 'nonsense'],
    ['config', 'check', '/nonexistent/msg.yaml'],
  ],
  'msg-gen': [
    [],
    ['--version'],
    ['--help'],
    ['--no-such-flag'],
    ['--registry-file', '/nonexistent/schemas.json'],
    ['--registry', 'http://127.0.0.1:1'],
  ],
  dashdoc: [
    ['--version'],
    ['--help'],
    ['no-such-command'],
    ['list', '--no-such-flag'],
    ['list', '--store', 'no-such-kind'],
    ['list', '--root', '/nonexistent'],
    ['resolve', '/nonexistent/document.json'],
    ['serve'],
  ],
  'create-msg-app': [
    [],
    ['--version'],
    ['--help'],
    ['--no-such-flag'],
    ['app', '--template', 'no-such-template'],
    ['No App', '--yes'],
  ],
};

/** Programs without the parser of the others, because they depend on nothing: what they say of themselves is recorded. */
const WITHOUT_PARSER = ['create-msg-app'];

interface Ended {
  readonly exit: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program in an environment that says nothing to it. */
function run(bin: string, args: readonly string[], extra: Record<string, string> = {}): Promise<Ended> {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(MSG|DASHDOC)_/.test(name));
  const env = { ...Object.fromEntries(inherited), HOME: '/nonexistent', ...extra };
  return new Promise(resolve => {
    const child = execFile(process.execPath, [bin, ...args], { env }, (_error, stdout, stderr) =>
      resolve({ exit: child.exitCode, stdout, stderr }),
    );
  });
}

/** `error: <code>`, or the program's name that stands before a text. */
function beginningOf(stderr: string): string {
  return /^(?:error: [A-Z_]+|[a-z-]+)(?=:)/.exec(stderr)?.[0] ?? '';
}

async function endingOf(bin: string, args: readonly string[]): Promise<string> {
  const { exit, stdout, stderr } = await run(bin, args);
  const streams = [...(stdout === '' ? [] : ['stdout']), ...(stderr === '' ? [] : [beginningOf(stderr)])];
  return [`exit ${exit}`, ...streams].join(', ');
}

async function captured(bin: string): Promise<CapturedCommand> {
  const folder = mkdtempSync(join(tmpdir(), 'outside-'));
  try {
    const file = join(folder, 'program.json');
    const NODE_OPTIONS = `--import=${new URL('capture-program.ts', import.meta.url)}`;
    // The word is never looked at, but a program may not parse an empty line.
    const { stderr } = await run(bin, ['word'], { NODE_OPTIONS, OUTSIDE_CAPTURE: file });
    if (stderr !== '') throw new Error(`${bin}: ${stderr}`);
    return JSON.parse(readFileSync(file, 'utf8')) as CapturedCommand; // written by capture-program
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The programs of the packages: commands, arguments and flags as their parser knows them, and how they end. */
export async function programs(root: string, packages: readonly string[]): Promise<object> {
  const described: Record<string, object> = {};
  for (const folder of packages) {
    const { bin = {} } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as Manifest;
    for (const [name, path] of Object.entries(bin)) {
      const program = resolve(root, folder, path);
      const endings: Record<string, string> = {};
      for (const args of ENDINGS[name] ?? [])
        endings[[name, ...args].join(' ')] = await endingOf(program, args);
      const shape = WITHOUT_PARSER.includes(name)
        ? { help: (await run(program, ['--help'])).stdout.split('\n') }
        : await captured(program);
      described[name] = { ...shape, endings };
    }
  }
  return described;
}
