// node scripts/node-matrix.ts [--all]: runs the unit lane of the built packages under the Node.js versions that users may
// have and no other lane runs; with --all their fast suites, under every version.
import { spawnSync } from 'node:child_process';
import { nodeBinary } from './node-binary.ts';

/** The oldest version that `engines` admits, and each newer line with long-term support but the one of development. */
const OTHERS = ['22.12.0', '24'];
const isAll = process.argv.includes('--all');
const VERSIONS = isAll ? [...OTHERS, '26'] : OTHERS;

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
    MSG_TEST_BUILT: isAll ? 'fast' : 'unit',
    ...(report === undefined ? {} : { MSG_TEST_REPORT: report.replace('*', version) }),
  });
}
