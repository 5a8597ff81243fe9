// npm run bench -- rolling, small: three nodes are restarted and one is killed, with 360 clients.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const SEED = Number(process.env['MSG_SEED'] ?? Date.now() % 2 ** 31) + 1;
const SIZE = '--clients 360 --channels 12 --publish-ms 20 --drain-ms 1500 --rebalance-ms 2000 --kills 1';

test(`replacing every node costs no client a publication, and the nodes share the clients (seed ${SEED})`, {
  timeout: 240_000,
}, async () => {
  const args = ['run', '--silent', 'bench', '--', 'rolling', ...SIZE.split(' '), '--seed', String(SEED)];
  const { stdout } = await promisify(execFile)('npm', args);
  expect(stdout).toContain('every publication reached every client once, over 4 replacements');
  expect(stdout.match(/recovered: false 0, missing 0, doubled 0; came back [1-9]/g)).toHaveLength(4);
});
