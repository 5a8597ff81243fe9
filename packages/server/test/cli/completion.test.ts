import { execFileSync, spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { runCli } from '../support/cli-io.ts';
import { errorLine } from '../support/error-lines.ts';

/** What bash offers at the end of a line. */
function offered(script: string, line: readonly string[]): string[] {
  const words = ['msg', ...line].map(word => `'${word}'`).join(' ');
  const probe = `${script}\nCOMP_WORDS=(${words}); COMP_CWORD=${line.length}; _msg; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return execFileSync('bash', ['-c', probe], { encoding: 'utf8' }).split('\n').filter(Boolean);
}

const isInstalled = (shell: string): boolean => spawnSync(shell, ['-c', 'true']).status === 0;

describe('completion', () => {
  test.each<[string[], string[]]>([
    [['ch'], ['channels']],
    [
      ['channels', ''],
      [
        ...['open', 'create', 'list', 'get', 'touch', 'close', 'delete', 'presence', 'position'],
        ...['history', 'clear-history', 'presence-list', 'tail', '-h', '--help'],
      ],
    ],
    [
      ['channels', 'open', '--t'],
      ['--ttl', '--token'],
    ],
    [['channels', 'open', '--ttl', '1h', 'public:a.b', '--s'], ['--server']],
    [['publish', '--file', ''], []],
    [['authz', 'explain', 'public:a.b', 'p'], ['publish']],
    [
      ['completion', ''],
      ['bash', 'zsh', 'fish', '-h', '--help'],
    ],
    [
      ['serve', '--publish-'],
      ['--publish-rate', '--publish-burst'],
    ],
  ])('bash completes %j with %j', async (line, words) => {
    const { code, stdout } = await runCli(['completion', 'bash']);
    expect(code).toBe(0);
    expect(offered(stdout, line)).toEqual(words);
  });

  test.each(['bash', 'zsh', 'fish'])('the script of %s names every command and parses', async shell => {
    const { code, stderr, stdout } = await runCli(['completion', shell]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    for (const word of ['channels', 'revoke-user', 'explain', '--help'])
      expect(stdout).toContain(shell === 'fish' ? word.replace('--', '') : word);
    if (isInstalled(shell)) expect(spawnSync(shell, ['-n'], { input: stdout }).status).toBe(0);
  });

  test.each([[[]], [['tcsh']], [['bash', 'extra']]])('%j is refused', async args => {
    const { code, stderr, stdout } = await runCli(['completion', ...args]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(errorLine(stderr)).toMatch(/^error: MSG_INVALID_ARGUMENT: /);
  });
});
