import { tmpdir } from 'node:os';
import { expect, it } from 'vitest';
import { dashdoc } from '../cli/console.ts';

const store = ['--root', tmpdir()];

it.each([
  [[], 'SERVE_INVALID'],
  [[...store, '--port', '65536'], 'SERVE_INVALID'],
  [[...store, '--port', 'http'], 'SERVE_INVALID'],
  [[...store, '--port', '-1'], 'SERVE_INVALID'],
  [[...store, '--host', ''], 'SERVE_INVALID'],
  [[...store, '--host', '192.0.2.1', '--port', '0'], 'SERVE_INVALID'],
  [[...store, '--allow-host', 'http://x'], 'SERVE_INVALID'],
  [[...store, '--allow-host', 'x:80'], 'SERVE_INVALID'],
  [['../x', ...store], 'STORAGE_ID_INVALID'],
  [['--store', 'cloud'], 'STORAGE_BACKEND_UNKNOWN'],
  [['--root', '/nothing-here'], 'STORAGE_IO'],
  [['./nothing-here.json'], 'RESOLVE_IO'],
  [[...store, '--schemas', '/nothing-here'], 'SCHEMA_IO'],
])('dashdoc serve %j ends with %s', async (words, code) => {
  const ended = await dashdoc(['serve', ...words, '--json']);
  expect(ended).toMatchObject({ status: 1, stdout: '' });
  expect(JSON.parse(ended.stderr)).toMatchObject({ code, details: expect.any(Object) });
});

it('dashdoc serve takes one target', async () => {
  expect(await dashdoc(['serve', 'a', 'b', ...store])).toMatchObject({
    status: 2,
    stderr: expect.stringMatching(/^error: CLI_INVALID: /),
  });
});
