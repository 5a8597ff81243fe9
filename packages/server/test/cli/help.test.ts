import { describe, expect, test } from 'vitest';
import { COMMAND_GROUPS, COMMANDS } from '#src/cli/program.ts';
import { runCli } from '../support/cli-io.ts';
import { errorLine } from '../support/error-lines.ts';

describe('help', () => {
  test.each(COMMANDS.map(command => [command.name, command] as const))('of %s', async (name, command) => {
    for (const flag of ['--help', '-h']) {
      const { code, stdout, stderr } = await runCli([...name.split(' '), flag]);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).toContain(`Usage: msg ${name}`);
      expect(stdout).toContain(command.examples?.[0]?.line);
      for (const { flag: own = '' } of Object.values(command.settings)) expect(stdout).toContain(own);
    }
  });

  test.each(['', ...Object.keys(COMMAND_GROUPS)])('at the level of %j', async group => {
    const { code, stdout } = await runCli([...group.split(' ').filter(Boolean), '--help']);
    expect(code).toBe(0);
    const here = COMMANDS.filter(({ name }) => group === '' || name.startsWith(`${group} `));
    const depth = group.split(' ').filter(Boolean).length;
    for (const { name } of here) expect(stdout).toContain(name.split(' ').at(depth));
  });
});

describe('what no command takes', () => {
  test.each(COMMANDS.map(({ name }) => name))('%s refuses an unknown flag', async name => {
    const { code, stdout, stderr } = await runCli([...name.split(' '), '--no-such-flag']);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(errorLine(stderr)).toMatch(/^error: MSG_INVALID_ARGUMENT: .*--no-such-flag/);
  });

  test.each(COMMANDS.map(command => [command.name, command] as const))(
    '%s refuses an argument too many, and one too few',
    async (name, { args = [] }) => {
      const words = name.split(' ');
      const required = args.filter(({ optional }) => !optional).length;
      const lines: string[][] = [];
      if (args.at(-1)?.repeatable !== true)
        lines.push([...words, ...Array.from({ length: args.length + 1 }, () => 'x')]);
      if (required > 0) lines.push([...words, ...Array.from({ length: required - 1 }, () => 'x')]);
      for (const line of lines) {
        const { code, stdout, stderr } = await runCli(line);
        expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
        expect(errorLine(stderr)).toMatch(/^error: MSG_INVALID_ARGUMENT: /);
      }
    },
  );

  test('a word that is nearly a command gets a suggestion', async () => {
    const { stderr } = await runCli(['chanels', 'list']);
    expect(errorLine(stderr)).toBe(
      'error: MSG_INVALID_ARGUMENT: command "chanels" does not exist; did you mean "channels"?',
    );
  });

  test('--json has no effect on other commands', async () => {
    const home = '/nonexistent';
    const [plain, json] = await Promise.all([
      runCli(['logout'], { home }),
      runCli(['logout', '--json'], { home }),
    ]);
    expect(json.envelope?.payload).toEqual(plain.envelope?.payload);
  });
});
