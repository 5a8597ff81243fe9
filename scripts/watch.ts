// npm run watch: types, and the unit tests that a change affects, again at each save. Ctrl-C ends both.
import { type ChildProcess, spawn } from 'node:child_process';

const start = (command: string, ...args: string[]): ChildProcess =>
  spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit'] });

const children = [
  start('tsc', '-b', '--watch', '--preserveWatchOutput'),
  start('vitest', 'watch', '--project', 'unit', '--changed', '--no-clearScreen', '--passWithNoTests'),
];

function stop(): void {
  for (const child of children) child.kill('SIGTERM');
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stop);
for (const child of children) {
  child.once('exit', (code, signal) => {
    if (signal === null && code !== 0) process.exitCode = 1;
    stop();
  });
}
