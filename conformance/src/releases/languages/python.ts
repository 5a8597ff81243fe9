import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { mustRun } from '../../process.ts';
import { missingPython, PYTHON_CLIENT } from '../../suites/python.ts';
import type { Language } from '../language.ts';
import { ENCODINGS } from '../steps.ts';

const PROGRAM = new URL('../../../programs/python/program.py', import.meta.url).pathname;

/** centrifuge-python. */
export const PYTHON: Language = {
  name: 'Python',
  client: PYTHON_CLIENT.package,
  releases: [
    ...['0.3.0', '0.3.1', '0.3.2', '0.4.0', '0.4.1', '0.4.2', '0.4.3', '0.4.4'],
    ...['0.5.0', '0.5.1', '0.5.2', '0.6.0', '0.7.0'],
  ],
  encodings: ENCODINGS,
  missing: missingPython,
  async prepare(_releases, folder) {
    const environment = join(folder, 'venv');
    if (!existsSync(join(environment, 'bin/python'))) await mustRun('python3', ['-m', 'venv', environment]);
    const python = join(environment, 'bin/python');
    return async release => {
      const packages = join(folder, release);
      if (!existsSync(join(packages, 'centrifuge'))) {
        const wanted = `${PYTHON_CLIENT.package}==${release}`;
        await mustRun(python, ['-m', 'pip', 'install', '-q', '--target', packages, wanted]);
      }
      return { command: python, args: [PROGRAM], env: { PYTHONPATH: packages } };
    };
  },
};
