// npm run bench -- peers, small: what can be installed here is measured, and the rest says why it is not.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { PEERS } from '../bench/src/peers/table.ts';

const SIZE = '--rounds 1 --subscribers 20 --connections 100 --slice 300';

test('every peer has a column, or a reason why it was not run', { timeout: 400_000 }, async () => {
  const args = ['run', '--silent', 'bench', '--', 'peers', ...SIZE.split(' ')];
  const { stdout } = await promisify(execFile)('npm', args);
  const [, header = '', , ...rows] = stdout.split('\n');
  expect(header).toContain('| msg serve |');
  for (const { name } of PEERS) {
    const isMeasured = header.includes(`| ${name} |`);
    expect(isMeasured || stdout.includes(`${name}: not run: `), name).toBe(true);
  }
  const columns = header.split('|').length;
  const measured = rows.filter(row => row.startsWith('| '));
  expect(measured).toHaveLength(4);
  for (const row of measured) {
    expect(row.split('|')).toHaveLength(columns);
    expect(row).not.toContain('NaN');
  }
});
