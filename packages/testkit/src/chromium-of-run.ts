import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { isShared } from './chromium-program.ts';

const PROGRAM = fileURLToPath(new URL('./chromium-server.ts', import.meta.url));
const ENDPOINT = 'MSG_TEST_CHROMIUM';

/** Where the Chromium of this test run is; undefined: each browser is a process of its own. */
export function chromiumOfRun(): string | undefined {
  return process.env[ENDPOINT];
}

/** Starts one Chromium for all files of this test run, where that helps; answers how to stop it. */
export async function startChromiumOfRun(): Promise<() => Promise<void>> {
  if (!isShared() || chromiumOfRun() !== undefined) return async () => undefined;
  const child = spawn(process.execPath, [PROGRAM], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'close');
  const lines = createInterface(child.stdout);
  const [endpoint] = await Promise.race([
    once(lines, 'line'),
    ended.then(([code]) => Promise.reject(new Error(`Chromium ended with ${code} before it could be used`))),
  ]);
  process.env[ENDPOINT] = String(endpoint);
  return async () => {
    delete process.env[ENDPOINT];
    child.stdin.end();
    await ended;
  };
}
