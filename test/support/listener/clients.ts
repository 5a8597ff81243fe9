import { GO, goListener } from '../../../conformance/src/releases/languages/go.ts';
import { PYTHON } from '../../../conformance/src/releases/languages/python.ts';
import type { ListenerClient } from './client.ts';
import { stockClient, WRAPPER } from './javascript.ts';
import { programClient } from './program.ts';

const PYTHON_LISTENER = new URL('../../../conformance/programs/python/listener.py', import.meta.url).pathname;

/** The columns of the table. */
export const CLIENTS: readonly ListenerClient[] = [
  stockClient('centrifuge-js 5.8.0', 'centrifuge'),
  stockClient('centrifuge-js 5.7.4', 'centrifuge-5.7.4'),
  WRAPPER,
  programClient(PYTHON, async (folder, release) => {
    const programOf = await PYTHON.prepare([release], folder);
    return { ...(await programOf(release)), args: [PYTHON_LISTENER] };
  }),
  programClient(GO, goListener),
];
