// Runs the fast suites of the built packages under every Node.js version that users may have.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** The oldest version that `engines` admits, and each newer line with long-term support. */
const VERSIONS = ['22.12.0', '24', '26'];

function run(command: string, args: readonly string[], env: NodeJS.ProcessEnv = process.env): void {
  const { status, error } = spawnSync(command, args, { stdio: 'inherit', env });
  if (error !== undefined) throw error;
  if (status !== 0) process.exit(status ?? 1);
}

/** The path of that version's binary, installed from the npm registry below `.tmp` when it is not there yet. */
function nodeBinary(version: string): string {
  const home = resolve('.tmp/node', version);
  const binary = join(home, 'node_modules/node/bin/node');
  if (existsSync(binary)) return binary;
  mkdirSync(home, { recursive: true });
  const manifest = { private: true, dependencies: { node: version }, allowScripts: { node: true } };
  writeFileSync(join(home, 'package.json'), JSON.stringify(manifest));
  run('npm', ['install', '--prefix', home, '--no-package-lock', '--loglevel=error']);
  return binary;
}

run('npm', ['run', '--silent', 'build']);
for (const version of VERSIONS) {
  const node = nodeBinary(version);
  console.log(`\nNode ${version}: ${node}`);
  const report = process.env['MSG_TEST_REPORT'];
  run(node, ['node_modules/vitest/vitest.mjs', 'run'], {
    ...process.env,
    MSG_TEST_BUILT: '1',
    ...(report === undefined ? {} : { MSG_TEST_REPORT: report.replace('*', version) }),
  });
}
