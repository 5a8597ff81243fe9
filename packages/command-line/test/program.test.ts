import {
  command,
  defineProgram,
  type ProgramIo,
  processIo,
  runProgram,
  text,
  texts,
  toggle,
  UsageError,
} from '@msg/command-line';
import { describe, expect, it } from 'vitest';

const SHARED = {
  json: { key: 'json', flag: '--json', type: toggle, fallback: false, help: 'as JSON' },
  root: {
    key: 'root',
    flag: '--root',
    short: '-r',
    env: 'TEST_ROOT',
    type: text,
    fallback: '.',
    help: 'where',
  },
  shown: {
    key: 'shown',
    flag: '--shown',
    placeholder: 'on|off',
    type: toggle,
    fallback: true,
    help: 'a switch that is on',
  },
} as const;

/** Commands that print what they were called with. */
const list = command<ProgramIo, typeof SHARED>({
  name: 'list',
  summary: 'list things',
  settings: SHARED,
  async run({ args, settings, io }) {
    io.out(JSON.stringify({ command: 'list', args, ...settings }));
  },
});
const SET = {
  set: { key: 'set', flag: '--set', type: texts, fallback: [], help: 'a value; repeatable' },
} as const;
const change = command<ProgramIo, typeof SET>({
  name: 'things change',
  args: [
    { name: 'id', help: 'which' },
    { name: 'more', help: 'others', optional: true, repeatable: true },
  ],
  summary: 'change things',
  settings: SET,
  async run({ args, settings, io }) {
    io.out(JSON.stringify({ command: 'change', args, ...settings }));
    return 7;
  },
});
const NAME = {
  name: { key: 'name', flag: '--name', type: text, fallback: '', help: 'a name', required: true },
} as const;
const named = command<ProgramIo, typeof NAME>({
  name: 'things name',
  summary: 'name things',
  settings: NAME,
  run: async () => undefined,
});
const mend = command<ProgramIo, Record<never, never>>({
  name: 'things parts mend',
  summary: 'mend parts',
  settings: {},
  async run({ args, io }) {
    io.out(JSON.stringify({ command: 'mend', args }));
    return undefined;
  },
});

const PROGRAM = defineProgram<ProgramIo>({
  name: 'try-it',
  summary: 'a program',
  version: 'version 1',
  commands: [list, change, named, mend],
  groups: { things: 'what there is', 'things parts': 'what they are made of' },
  failure: (error, json) => ({
    text: json ? JSON.stringify({ error: String(error) }) : String(error),
    exitCode: error instanceof UsageError ? 2 : 1,
  }),
});

async function run(line: string, env: Record<string, string> = {}) {
  const ended = { out: '', err: '' };
  const io: ProgramIo = {
    ...processIo(),
    env,
    out: text => {
      ended.out += text;
    },
    err: text => {
      ended.err += text;
    },
  };
  const code = await runProgram(PROGRAM, line.split(' ').filter(Boolean), io);
  return { code, ...ended };
}

describe('a program of rows', () => {
  it.each([
    ['list', { json: false, root: '.', shown: true }],
    ['list --root=a --json', { json: true, root: 'a', shown: true }],
    ['--json list', { json: true, root: '.', shown: true }],
    ['-r a list', { json: false, root: 'a', shown: true }],
    ['--root list list', { json: false, root: 'list', shown: true }],
    ['--shown off list', { json: false, root: '.', shown: false }],
  ])('%s resolves its settings, wherever the flags stand', async (line, settings) => {
    const { code, out, err } = await run(line);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(JSON.parse(out)).toEqual({ command: 'list', args: [], ...settings });
  });

  it('takes a variable where the flag is missing', async () => {
    expect(JSON.parse((await run('list', { TEST_ROOT: 'b' })).out)).toMatchObject({ root: 'b' });
    expect(JSON.parse((await run('list -r a', { TEST_ROOT: 'b' })).out)).toMatchObject({ root: 'a' });
  });

  it('hands over arguments and every text of a flag, and ends with the code of the command', async () => {
    const { code, out } = await run('--set a=1,2 things --set b change x -- --y');
    expect(code).toBe(7);
    expect(JSON.parse(out)).toEqual({ command: 'change', args: ['x', '--y'], set: ['a=1,2', 'b'] });
  });

  it('has commands of three words', async () => {
    expect(JSON.parse((await run('things parts mend')).out)).toEqual({ command: 'mend', args: [] });
    expect((await run('things parts --help')).out).toContain('mend parts');
  });

  it.each([
    ['lsit', 'command "lsit" does not exist; did you mean "list"?'],
    ['--root a lsit', 'command "lsit" does not exist; did you mean "list"?'],
    ['version', 'command "version" does not exist; did you mean "--version"?'],
    ['things zzzzzz', 'command "zzzzzz" does not exist; known: change, name, parts'],
    ['things parts mned', 'command "mned" does not exist; did you mean "mend"?'],
    ['things parts mend x', 'argument "x" is not allowed: the usage is try-it things parts mend [options]'],
    ['list --rot x', 'flag "--rot" does not exist; did you mean "--root"?'],
    ['list --root', 'the value of --root is required'],
    ['list extra', 'argument "extra" is not allowed: the usage is try-it list [options]'],
    ['things change', 'argument <id> is required'],
    ['things name', '--name is required'],
    ['completion tcsh', '<shell> must be one of bash, zsh, fish; got "tcsh"'],
  ])('%s is a usage error that says what to do', async (line, problem) => {
    expect(await run(line)).toEqual({ code: 2, out: '', err: `UsageError: ${problem}\n` });
  });

  it.each([
    ['', 'Usage: try-it [options] [command]'],
    ['things', 'Usage: try-it things [options] [command]'],
    ['things parts', 'Usage: try-it things parts [options] [command]'],
  ])('%j prints the help after the error', async (line, usage) => {
    const { code, out, err } = await run(line);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(/^UsageError: a command is required\n\nUsage: /);
    expect(err).toContain(usage);
  });

  it('prints nothing but the error where --json asks for data', async () => {
    expect((await run('--json')).err).toBe('{"error":"UsageError: a command is required"}\n');
  });

  it('prints help and version', async () => {
    const help = await run('list --help');
    expect(help).toMatchObject({ code: 0, err: '' });
    expect(help.out).toMatch(/--root <text>\s+where \(env TEST_ROOT, default \.\)/);
    expect(await run('--version')).toEqual({ code: 0, out: 'version 1\n', err: '' });
  });

  it('completes commands and flags of any program name', async () => {
    const { out } = await run('completion bash');
    expect(out).toContain("'things change') offers='--set -h --help' ;;");
    expect(out).toContain("'things') offers='change name parts -h --help' ;;");
    expect(out).toContain("'things parts') offers='mend -h --help' ;;");
    expect(out).toContain('complete -o default -F _try_it try-it');
  });

  it('keeps a long or unprintable text of the caller out of its errors', async () => {
    expect((await run(`list --root a \u001b${'x'.repeat(500)}`)).err).toMatch(/^[\x20-\x7e…]{0,300}\n$/);
  });
});
