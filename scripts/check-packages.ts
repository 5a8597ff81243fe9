// npm run check:packages: what each published package says of itself is true of its files (publint).
import { spawnSync } from 'node:child_process';
import { publicPackages } from './packages.ts';

const faulty = publicPackages('.').filter(folder => {
  const { status, stdout, stderr } = spawnSync('publint', [folder, '--strict', '--pack', 'npm'], {
    encoding: 'utf8',
  });
  if (status !== 0) console.error(stdout + stderr);
  return status !== 0;
});
console.log(
  faulty.length === 0 ? 'packages: as they say' : `packages: ${faulty.join(', ')} are not as they say`,
);
process.exitCode = faulty.length === 0 ? 0 : 1;
