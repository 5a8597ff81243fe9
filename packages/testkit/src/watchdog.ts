import { type ChildProcess, spawn } from 'node:child_process';

/** Ends a process and removes its folder when the process that started it is gone, however it went. */
const WATCHDOG = 'cat > /dev/null; kill "-$2" "$0" 2> /dev/null; sleep 0.2; rm -rf "$1"';

/**
 * Guards a process until the answered function is called.
 * @param signal that ends it, without `SIG`.
 */
export function guard(child: ChildProcess, folder: string, signal: 'KILL' | 'QUIT' = 'KILL'): () => void {
  if (child.pid === undefined) return () => undefined;
  const args = ['-c', WATCHDOG, String(child.pid), folder, signal];
  const watchdog = spawn('/bin/sh', args, { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
  watchdog.stdin?.on('error', () => undefined);
  watchdog.unref();
  return () => {
    if (watchdog.pid === undefined) return;
    try {
      process.kill(-watchdog.pid, 'SIGKILL');
    } catch {
      // it ended by itself
    }
  };
}
