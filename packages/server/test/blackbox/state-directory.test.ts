import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { SITUATIONS, type SituationName } from '@msg/core/advice';
import { cleanEnv, MSG_BIN } from '@msg/testkit';
import { describe, expect, it } from 'vitest';
import { errorLines } from '../support/error-lines.ts';
import { temporaryFolder } from '../support/folders.ts';

/** A process of root that obeys the rights of files, as those of other users do. */
const WITHOUT_PRIVILEGE =
  process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-dac_override,-dac_read_search'] : [];

/** Runs a program; answers its exit code and standard error. */
function run(words: readonly string[]) {
  const [program = '', ...args] = words;
  const { status, stderr } = spawnSync(program, args, { env: cleanEnv(), encoding: 'utf8', timeout: 60_000 });
  return { status, stderr };
}

const serve = (folder: string): string[] => [
  process.execPath,
  MSG_BIN,
  'serve',
  '--addr',
  '127.0.0.1:0',
  '--state-dir',
  folder,
];

/** A program in a mount namespace of its own, after a script has prepared `$0` there. */
const onMount = (folder: string, script: string, words: readonly string[]): string[] => [
  'unshare',
  '-Urm',
  'sh',
  '-c',
  `mount -t tmpfs -o size=64k tmpfs "$0" && ${script} && exec "$@"`,
  folder,
  ...words,
];

/** Expects a start that ends with the remedy of a situation. */
function expectRefused({ status, stderr }: ReturnType<typeof run>, path: string, name: SituationName): void {
  expect(status, stderr).toBe(1);
  const { error, tries, sees } = errorLines(stderr);
  expect(error).toMatch(/^error: MSG_INVALID_ARGUMENT: /);
  expect(error).toContain(path);
  expect(tries).toBe(SITUATIONS[name].remedy);
  expect(sees).toBe('docs/troubleshooting.md#MSG_INVALID_ARGUMENT');
}

describe('a state directory whose rights forbid', () => {
  const denied = (folder: string) => run([...WITHOUT_PRIVILEGE, ...serve(folder)]);

  it.for([
    ['writing', 0o500],
    ['everything', 0o000],
  ] as const)('%s: the start says whose it must be', async ([, mode], { skip }) => {
    const folder = join(await temporaryFolder(), 'state');
    const works = run([...WITHOUT_PRIVILEGE, process.execPath, MSG_BIN, '--version']);
    if (works.status !== 0) return skip('this machine gives a test no process without privileges');
    mkdirSync(folder, { mode });
    expectRefused(denied(folder), folder, 'stateDirDenied');
    expectRefused(denied(join(folder, 'below')), folder, 'stateDirDenied');
    chmodSync(folder, 0o700);
  });
});

describe('a state directory on a file system', () => {
  it.for([
    ['that is mounted read-only', 'mount -o remount,ro "$0"', 'stateDirReadOnly'],
    ['that is full', '{ head -c 65536 /dev/zero > "$0/filler" 2>/dev/null; true; }', 'stateDirFull'],
  ] as const)('%s: the start says what to do', async ([, script, situation], { skip }) => {
    const folder = await temporaryFolder();
    if (run(onMount(folder, script, ['true'])).status !== 0)
      return skip('this machine allows no file system of its own to a test');
    expectRefused(run(onMount(folder, script, serve(folder))), '', situation);
    expectRefused(run(onMount(folder, script, serve(join(folder, 'a/b')))), '', situation);
  });
});
