import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

/** Calls back for every line of standard input; returns what ends that. */
export function onEnter(listener: () => void): () => void {
  const lines = createInterface({ input: process.stdin });
  lines.on('line', listener);
  return () => lines.close();
}

/** The program that opens addresses, by the platform. */
const OPENERS: Readonly<Record<string, readonly string[]>> = {
  darwin: ['open'],
  win32: ['cmd', '/c', 'start', ''],
};

/** Opens an address in the browser of this machine; `onFailed` where no program does that. */
export function openInBrowser(address: string, onFailed: () => void): void {
  const [program = '', ...args] = OPENERS[process.platform] ?? ['xdg-open'];
  const child = spawn(program, [...args, address], { stdio: 'ignore', detached: true });
  child.on('error', onFailed);
  child.on('exit', code => {
    if (code !== 0) onFailed();
  });
  child.unref();
}
