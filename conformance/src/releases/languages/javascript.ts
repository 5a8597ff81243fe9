import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { mustRun } from '../../process.ts';
import type { Language } from '../language.ts';
import { ENCODINGS } from '../steps.ts';

const PROGRAM = new URL('../../../programs/javascript/program.ts', import.meta.url).pathname;

const packageOf = (release: string): string => `centrifuge-${release}`;

/** centrifuge-js, in Node with `ws`: the first and the last release of each line. */
export const JAVASCRIPT: Language = {
  name: 'JavaScript',
  client: 'centrifuge',
  releases: [
    ...['3.1.0', '3.1.2', '4.0.1', '4.1.0', '5.0.1', '5.1.1', '5.2.2', '5.3.5', '5.4.0', '5.5.3', '5.6.0'],
    ...['5.7.4', '5.8.0'],
  ],
  encodings: ENCODINGS,
  missing: () => undefined,
  async prepare(releases, folder) {
    mkdirSync(folder, { recursive: true });
    const dependencies = Object.fromEntries(
      releases.map(release => [packageOf(release), `npm:centrifuge@${release}`]),
    );
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies }));
    await mustRun('npm', ['install', '--no-package-lock', '--ignore-scripts', '--loglevel=error'], {
      cwd: folder,
    });
    return async release => ({ command: process.execPath, args: [PROGRAM, folder, packageOf(release)] });
  },
};
