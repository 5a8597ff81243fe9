import { type ChildProcess, spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PAGES, TEMPLATES } from '#src/index.ts';

const PROGRAM = join(import.meta.dirname, '../../bin/create-msg-app.js');
const NODE = [process.execPath, '--conditions=msg-source'];

interface Run {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

let home: string;
const children: ChildProcess[] = [];
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'create-msg-app-'));
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  rmSync(home, { recursive: true, force: true });
});

/**
 * Runs a program in the folder of the test. @param answers question that ends the output so far → what is typed then
 */
function run(command: readonly string[], answers: readonly (readonly [RegExp, string])[] = []): Promise<Run> {
  const [program = '', ...args] = command;
  const child = spawn(program, args, {
    cwd: home,
    env: { ...process.env, npm_config_user_agent: 'pnpm/10.1.0 x' },
  });
  children.push(child);
  let [stdout, stderr, read] = ['', '', 0];
  const waiting = [...answers];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout = stripVTControlCharacters(stdout + text);
    const [question, answer = ''] = waiting[0] ?? [];
    if (question?.test(stdout.slice(read)) !== true) return;
    read = stdout.length;
    waiting.shift();
    child.stdin.write(answer);
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  if (answers.length === 0) child.stdin.end();
  return new Promise(resolve => child.on('close', code => resolve({ code, stdout, stderr })));
}

const create = (...words: string[]): Promise<Run> => run([...NODE, PROGRAM, ...words]);

/** The same on a pseudo-terminal: `script` of util-linux opens it. */
const createOnTerminal = (
  answers: readonly (readonly [RegExp, string])[],
  ...words: string[]
): Promise<Run> => run(['script', '-qec', [...NODE, PROGRAM, ...words].join(' '), '/dev/null'], answers);

const templateOf = (folder: string): string =>
  /channel":"([a-z]+:[a-z]+)/.exec(readFileSync(join(home, folder, 'README.md'), 'utf8'))?.[1] ?? '';

describe('by flags', () => {
  it('writes the app and says what comes next, with the package manager that called', async () => {
    const { code, stdout, stderr } = await create('my-app', '--template', 'orders', '--page', 'vanilla');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(
      /^\d+ files written to my-app\. Next:\n\n {2}cd my-app\n {2}pnpm install\n {2}pnpm run dev\n$/,
    );
    expect(templateOf('my-app')).toBe('private:shop');
    expect(existsSync(join(home, 'my-app/page/main.ts'))).toBe(true);
  });

  it('--yes takes the first of everything', async () => {
    expect((await create('--yes')).code).toBe(0);
    expect(templateOf('msg-app')).toBe('public:chat');
    expect(existsSync(join(home, 'msg-app/page/main.tsx'))).toBe(true);
  });

  it('has a help that lists the choices, and a version', async () => {
    const { stdout } = await create('--help');
    for (const name of [...Object.keys(TEMPLATES), ...Object.keys(PAGES)])
      expect(stdout).toMatch(new RegExp(`^ {2}${name} `, 'm'));
    expect((await create('--version')).stdout).toMatch(/^version \d+\.\d+\.\d+\n$/);
  });

  const CHOICES = [...Object.keys(TEMPLATES)];
  it.each([
    [['my-app', '--template', 'game', '--page', 'react'], '--template does not know "game"', CHOICES],
    [['my-app', '--page', 'react'], '--template is needed', CHOICES],
    [['my-app', '--template', 'chat', '--page', 'vue'], '--page does not know "vue"', Object.keys(PAGES)],
    [['my-app', '--template', 'chat'], '--page is needed', Object.keys(PAGES)],
    [['--template', 'chat', '--page', 'react'], 'a folder is needed', ['npm create msg-app my-app']],
    [['a', 'b', '--yes'], 'one folder is enough; got a, b', []],
    [['a', '--nonsense'], "Unknown option '--nonsense'", ['--help']],
    [['full', '--yes'], 'full is not empty', ['does not exist yet']],
    [['My-App', '--yes'], '"My-App" cannot be the name of an app', ['such as my-app']],
  ])('%j is refused, with the remedy, and nothing is written', async (words, message, remedies) => {
    mkdirSync(join(home, 'full'));
    writeFileSync(join(home, 'full/note.txt'), '');
    const { code, stdout, stderr } = await create(...words);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(`error: MSG_INVALID_ARGUMENT: ${message}\n  try: `);
    for (const remedy of remedies) expect(stderr).toContain(remedy);
    expect(readdirSync(home, { recursive: true }).toSorted()).toEqual(['full', 'full/note.txt']);
  });
});

describe('on a terminal', () => {
  it('asks for what is not said, again after a wrong answer, and takes Enter as the default', async () => {
    const { code, stdout } = await createOnTerminal([
      [/Folder \(msg-app\): $/, 'My App\r'],
      [/such as my-app[\s\S]*Folder \(msg-app\): $/, 'board\r'],
      [/Template \(chat\): $/, 'game\r'],
      [/does not know[\s\S]*Template \(chat\): $/, 'cursors\r'],
      [/Page \(react\): $/, '\r'],
    ]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('written to board') });
    expect(templateOf('board')).toBe('public:cursors');
    expect(existsSync(join(home, 'board/page/app.tsx'))).toBe(true);
  });

  it('asks nothing that is said', async () => {
    const { code } = await createOnTerminal([], 'my-app', '--template', 'chat', '--page', 'vanilla');
    expect(code).toBe(0);
    expect(existsSync(join(home, 'my-app/page/find.ts'))).toBe(true);
  });

  it('a wrong flag is refused before the first question', async () => {
    const { code, stdout } = await createOnTerminal([], '--template', 'game');
    expect(code).toBe(1);
    expect(stdout).not.toContain('Folder (');
  });

  it('Ctrl-C ends it, and nothing is written', async () => {
    const { code } = await createOnTerminal([[/Folder \(msg-app\): $/, '\u0003']]);
    expect(code).toBe(130);
    expect(readdirSync(home)).toEqual([]);
  });
});
