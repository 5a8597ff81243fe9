// npm run check:packages: what each published package says of itself is true of its tarball (publint), and its types are
// found as its code is (are the types wrong?). Expects what is built.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { checkPackage, createPackageFromTarballData, type Problem } from '@arethetypeswrong/core';
import { packAll } from './pack.ts';

/**
 * What stays: the resolution of Node 10 knows no `exports`, and a `require` of an ECMAScript module, which Node 22.12
 * and newer do, is written down in docs/embedding.md.
 */
function isAccepted(problem: Problem): boolean {
  if (problem.kind === 'CJSResolvesToESM') return true;
  return 'resolutionKind' in problem && problem.resolutionKind === 'node10';
}

async function typeFaults(tarball: string): Promise<string[]> {
  const analysis = await checkPackage(createPackageFromTarballData(new Uint8Array(readFileSync(tarball))));
  if (analysis.types === false) return ['has no types'];
  return analysis.problems.filter(problem => !isAccepted(problem)).map(problem => JSON.stringify(problem));
}

function publintFaults(tarball: string): string[] {
  const { status, stdout, stderr } = spawnSync('publint', [tarball, '--strict'], { encoding: 'utf8' });
  return status === 0 ? [] : [stdout + stderr];
}

const folder = mkdtempSync(join(tmpdir(), 'msg-packages-'));
try {
  const tarballs = packAll(resolve(import.meta.dirname, '..'), folder);
  for (const [name, tarball] of tarballs) {
    const faults = [...publintFaults(tarball), ...(await typeFaults(tarball))];
    for (const fault of faults) console.error(`${name}: ${fault}`);
    if (faults.length > 0) process.exitCode = 1;
  }
  console.log(process.exitCode === 1 ? 'packages: not as they say' : 'packages: as they say');
} finally {
  rmSync(folder, { recursive: true, force: true });
}
