import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';
import { cleanEnv, freePort, MSG_BIN, ShellProcess } from '@msg/testkit';
import { describe, expect, type TestContext, test } from 'vitest';
import { blocksOf, ELSEWHERE, scriptOf } from '../support/runbook.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const DOCS = join(ROOT, 'docs');
const pages = readdirSync(DOCS).filter(name => name.endsWith('.md'));
const read = (name: string): string => readFileSync(join(DOCS, name), 'utf8');

/** Pages whose every command is executed; the others are only read by the shell. */
const EXECUTED = ['quickstart.md', 'embedding.md', 'keys-runbook.md', 'sinks-runbook.md'];

async function follow(
  page: string,
  { onTestFinished }: Pick<TestContext, 'onTestFinished'>,
): Promise<ShellProcess> {
  // Programs of a page find the packages as anything below the repository does.
  mkdirSync(join(ROOT, '.tmp'), { recursive: true });
  const folder = mkdtempSync(join(ROOT, '.tmp/runbook-'));
  const [port, other] = [await freePort(), await freePort()];
  writeFileSync(join(folder, 'msg'), `#!/bin/sh\nexec node ${MSG_BIN} "$@"\n`, { mode: 0o755 });
  writeFileSync(join(folder, 'page.sh'), scriptOf(page, { folder, ports: { 8000: port, 9000: other } }));
  const env = {
    ...cleanEnv(),
    HOME: folder,
    NODE_OPTIONS: '--conditions=msg-source',
    PORT: String(port),
    MSG_SERVER: `http://localhost:${port}`,
    PATH: [folder, dirname(process.execPath), process.env['PATH']].join(delimiter),
  };
  const shell = new ShellProcess('exec bash page.sh', { cwd: folder, env });
  onTestFinished(async () => {
    await shell.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  await shell.succeeded();
  return shell;
}

describe('the pages that operators follow', () => {
  test.concurrent.for(EXECUTED)(
    '%s holds, command by command',
    { timeout: 120_000 },
    async (name, context) => {
      const shell = await follow(read(name), context);
      expect(shell.stdout).toMatch(/the page holds\n$/);
    },
  );

  test('a page that promises something else fails', async context => {
    const page = '```sh\necho one\n```\n\n```output\ntwo\n```\n';
    await expect(follow(page, context)).rejects.toThrow(/expected:\ntwo\ngot:\none/);
    await expect(follow('```sh\nfalse\necho late\n```\n', context)).rejects.toThrow('exit code 1');
  });
});

const shells = pages.flatMap(name =>
  blocksOf(read(name))
    .filter(({ language }) => language === 'sh')
    .map((block, index) => [`${name} ${index + 1}`, block] as const),
);

test.each(shells)('the shell reads block %s', (_, { text, words }) => {
  // What stands for something of the reader's: <id>, <the token>.
  const filled = text.replaceAll(/<[\w .-]+>/g, 'x');
  const read = spawnSync('bash', ['-n'], { input: filled, encoding: 'utf8' });
  expect(read.stderr).toBe('');
  const [word = ''] = words;
  expect(word === '' || ELSEWHERE.has(word) || ['server', 'background'].includes(word)).toBe(true);
});
