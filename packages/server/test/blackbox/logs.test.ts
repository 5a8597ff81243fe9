import { cleanEnv, MSG_BIN, ShellProcess } from '@msg/testkit';
import { expect, onTestFinished, test } from 'vitest';

const COMMAND = `${process.execPath} ${MSG_BIN} serve --addr 127.0.0.1:0`;

function run(command: string): ShellProcess {
  const { HOME: _home, ...env } = cleanEnv();
  const shell = new ShellProcess(command, { cwd: '/', env: env as Record<string, string> });
  onTestFinished(() => shell.stop());
  return shell;
}

test('on a terminal a record is a line for people', async () => {
  // `script` gives the program a terminal.
  const shell = run(`script -qefc '${COMMAND}' /dev/null`);
  const [line] = await shell.printed('stdout', /^.*listening.*$/m);
  expect(line).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z INFO {2}listening addr=127\.0\.0\.1:\d+ state_dir="" /);
});

test('elsewhere it is JSON', async () => {
  const shell = run(`exec ${COMMAND}`);
  const [line] = await shell.printed('stderr', /^\{.*"listening".*$/m);
  expect(JSON.parse(line)).toMatchObject({ level: 'info', msg: 'listening', state_dir: '' });
});
