import { resolve } from 'node:path';
import { ShellProcess } from '@msg/testkit';
import { expect, test } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');

test.each(['packages/server/bin/msg.js', 'packages/codegen/bin/msg-gen.js', 'packages/dash/bin/dashdoc.js'])(
  '%s: the reader of the output can close the pipe early',
  async binary => {
    const command = `{ "${process.execPath}" "${binary}" --help; echo "code $?" >&2; } | true`;
    const shell = new ShellProcess(command, { cwd: ROOT });
    await shell.succeeded();
    expect(shell.stderr).toBe('code 0\n');
  },
);
