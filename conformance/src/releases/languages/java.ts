import { delimiter, join } from 'node:path';
import { classPath, compile, missingJava } from '../../maven.ts';
import { JAVA_CLIENT } from '../../suites/java.ts';
import type { Language } from '../language.ts';

const PROGRAM = new URL('../../../programs/java/Program.java', import.meta.url).pathname;

/** centrifuge-java, which speaks Protobuf alone. Maven Central serves one release. */
export const JAVA: Language = {
  name: 'Java',
  client: 'centrifuge-java',
  releases: [JAVA_CLIENT.version],
  encodings: ['protobuf'],
  missing: missingJava,
  prepare: async (_releases, folder) => async release => {
    const releaseFolder = join(folder, release);
    const path = await classPath([`${JAVA_CLIENT.library}:${release}`], releaseFolder);
    const classes = join(releaseFolder, 'classes');
    await compile([PROGRAM], path, classes);
    return { command: 'java', args: ['-cp', [classes, path].join(delimiter), 'Program'] };
  },
};
