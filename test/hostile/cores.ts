import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';

/** Core of the service, which it has alone. */
export const SERVICE_CORE = 0;
/** Core of the peers and of the healthy client: what they cost is not the service's. */
export const PEERS_CORE = 1;

/** True where processes can be kept on cores of their own. */
export const canPin =
  availableParallelism() > 1 && spawnSync('taskset', ['--version'], { stdio: 'ignore' }).status === 0;

/** Keeps a process with all its threads on one core, where that is possible. */
export function pin(pid: number, core: number): void {
  if (canPin) spawnSync('taskset', ['-a', '-c', '-p', String(core), String(pid)], { stdio: 'ignore' });
}
