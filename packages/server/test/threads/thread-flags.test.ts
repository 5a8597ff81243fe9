import { expect, it } from 'vitest';
import { threadFlags } from '#src/threads/thread-flags.ts';

it.each<[string, boolean, string[], string, string[] | undefined]>([
  ['built: those of the process', false, ['--max-old-space-size=100'], '--title=x', undefined],
  [
    'built, profiles of NODE_OPTIONS',
    false,
    ['--max-old-space-size=100', '--import=a'],
    '--cpu-prof --require ./secret.js --cpu-prof-dir=/tmp/p --title=--cpu-prof-name',
    ['--import=a', '--cpu-prof', '--cpu-prof-dir=/tmp/p'],
  ],
  [
    'values that are words of their own',
    false,
    ['--import', 'a', '--cpu-prof-dir', '/tmp/q'],
    '--cpu-prof --cpu-prof-interval 200 --title 200',
    ['--import=a', '--cpu-prof-dir=/tmp/q', '--cpu-prof', '--cpu-prof-interval=200'],
  ],
  [
    'a source',
    true,
    ['--cpu-prof', '--heap-prof-interval=5', '--cpu-profile', '--experimental-strip-types', '--stack-size=9'],
    '',
    ['--cpu-prof', '--heap-prof-interval=5', '--experimental-strip-types', '--conditions=msg-source'],
  ],
])('%s', (_, isSource, execArgv, nodeOptions, expected) => {
  expect(threadFlags(isSource, execArgv, nodeOptions)).toEqual(expected);
});
