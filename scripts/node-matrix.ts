// Runs the fast suites of the built packages under every Node.js version that users may have.
import { spawnSync } from 'node:child_process';
import { nodeBinary } from './node-binary.ts';

/** The oldest version that `engines` admits, and each newer line with long-term support. */
const VERSIONS = ['22.12.0', '24', '26'];

function run(command: string, args: readonly string[], env: NodeJS.ProcessEnv = process.env): void {
  const { status, error } = spawnSync(command, args, { stdio: 'inherit', env });
  if (error !== undefined) throw error;
  if (status !== 0) process.exit(status ?? 1);
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
