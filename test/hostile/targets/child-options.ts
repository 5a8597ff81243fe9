import { fileURLToPath } from 'node:url';

const COLLECTOR = fileURLToPath(new URL('./collect-on-signal.ts', import.meta.url));

/** Flags of an attacked program: SIGUSR2 makes it collect its garbage, so that its memory can be measured. */
export const MEASURED_FLAGS = ['--expose-gc', `--import=${COLLECTOR}`] as const;
/** The same as its environment. */
export const MEASURED_ENV: Readonly<Record<string, string>> = { NODE_OPTIONS: MEASURED_FLAGS.join(' ') };
