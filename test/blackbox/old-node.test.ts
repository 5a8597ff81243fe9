import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nodeBinary } from '../../scripts/node-binary.ts';

const ROOT = resolve(import.meta.dirname, '../..');
/** The last one that is too old, and one of years ago. */
const TOO_OLD = ['22.11.0', '12.22.12'];
/** The oldest version that published packages run on. */
const OLDEST = '22.12.0';

/** Each binary with what stands before its errors. */
const BINARIES = [
  ['server', 'msg', 'error: MSG_INVALID_ARGUMENT: '],
  ['codegen', 'msg-gen', 'msg-gen: '],
  ['dash', 'dashdoc', ''],
] as const;

/** What the binaries are in an install: without sources beside them. */
let installed: string;
beforeAll(() => {
  installed = realpathSync(mkdtempSync(join(tmpdir(), 'old-node-')));
  mkdirSync(join(installed, 'node_modules/@msg'), { recursive: true });
  symlinkSync(join(ROOT, 'packages/command-line'), join(installed, 'node_modules/@msg/command-line'));
  for (const [folder] of BINARIES) {
    cpSync(join(ROOT, 'packages', folder, 'bin'), join(installed, folder, 'bin'), { recursive: true });
    cpSync(join(ROOT, 'packages', folder, 'package.json'), join(installed, folder, 'package.json'));
  }
});
afterAll(() => rmSync(installed, { recursive: true, force: true }));

function run(node: string, words: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(node, words, { cwd: ROOT, encoding: 'utf8' });
  return { status, stdout, stderr };
}

describe.each(TOO_OLD)('on Node %s', version => {
  let node: string;
  beforeAll(() => {
    node = nodeBinary(version);
  }, 300_000);

  it.each(BINARIES)('%s: %s says which version it needs and which it runs on', (folder, name, prefix) => {
    const found = `this is v${version} (${node})\n`;
    for (const words of [['--version'], ['--help'], ['--json'], []]) {
      expect(run(node, [join(installed, folder, `bin/${name}.js`), ...words])).toEqual({
        status: 1,
        stdout: '',
        stderr: `${prefix}${name} needs Node 22.12 or newer; ${found}`,
      });
    }
    expect(run(node, [`packages/${folder}/bin/${name}.js`]).stderr).toBe(
      `${prefix}${name} needs Node 22.18 or newer to run from its sources; ${found}`,
    );
  });
});

it.each(BINARIES)('%s: %s needs what its package asks for', folder => {
  const manifest = JSON.parse(readFileSync(join(ROOT, 'packages', folder, 'package.json'), 'utf8'));
  expect(manifest.engines.node).toBe('>=22.12');
});

it.each(BINARIES)(
  '%s: %s says that its sources need a Node that strips types',
  (folder, name, prefix) => {
    const node = nodeBinary(OLDEST);
    expect(run(node, [`packages/${folder}/bin/${name}.js`, '--version'])).toEqual({
      status: 1,
      stdout: '',
      stderr: `${prefix}${name} needs Node 22.18 or newer to run from its sources; this is v${OLDEST} (${node})\n`,
    });
  },
  300_000,
);
