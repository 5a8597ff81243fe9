import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { mustRun } from '../../process.ts';
import { GO_CLIENT, missingGo } from '../../suites/go.ts';
import type { Language, Program } from '../language.ts';
import { ENCODINGS } from '../steps.ts';

const PROGRAM = new URL('../../../programs/go/main.go', import.meta.url).pathname;
const LISTENER = new URL('../../../programs/go/listener/main.go', import.meta.url).pathname;

/** centrifuge-go: the first and the last release of each line that the module proxy serves. */
export const GO: Language = {
  name: 'Go',
  client: 'centrifuge-go',
  releases: ['0.9.0', '0.9.6', '0.10.0', '0.10.4', '0.10.11', '0.12.0', '0.12.1'],
  encodings: ENCODINGS,
  missing: missingGo,
  prepare: async (_releases, folder) => release => goProgram(PROGRAM, join(folder, release), release),
};

/** The listener of another suite, built with a release as the program of the sessions is. */
export function goListener(folder: string, release: string): Promise<Program> {
  return goProgram(LISTENER, join(folder, `listener-${release}`), release);
}

/** A program of one file, built with a release of the client. */
export async function goProgram(source: string, folder: string, release: string): Promise<Program> {
  mkdirSync(folder, { recursive: true });
  cpSync(source, join(folder, 'main.go'));
  writeFileSync(
    join(folder, 'go.mod'),
    `module program\n\ngo 1.21\n\nrequire ${GO_CLIENT.module} v${release}\n`,
  );
  const env = { GOFLAGS: '-mod=mod', GOWORK: 'off', GOTOOLCHAIN: 'local' };
  await mustRun('go', ['build', '-o', 'program', '.'], { cwd: folder, env });
  return { command: join(folder, 'program'), args: [] };
}
