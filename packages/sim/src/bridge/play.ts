import { spawn } from 'node:child_process';
import type { BridgePlan } from './plans.ts';
import type { BridgeRun } from './result.ts';

const MAIN = new URL('./play-main.ts', import.meta.url).pathname;
/** A plan whose process takes longer hangs. */
const LONGEST_MS = 600_000;

/** Plays a plan in a process of its own: whatever it leaves ends with it. */
export function playInRealTime(plan: BridgePlan): Promise<BridgeRun> {
  const args = ['--conditions=msg-source', '--disable-warning=ExperimentalWarning', MAIN];
  const child = spawn(process.execPath, [...args, JSON.stringify(plan)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const limit = setTimeout(() => child.kill('SIGKILL'), LONGEST_MS);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      clearTimeout(limit);
      if (code === 0)
        resolve(JSON.parse(stdout) as BridgeRun); // of play-main.ts
      else reject(new Error(`the process of ${plan.name} ended with ${code ?? signal}: ${stderr}`));
    });
  });
}
