import childProcess from 'node:child_process';
import crypto from 'node:crypto';
import fs from 'node:fs';
import net from 'node:net';
import { hrtime } from 'node:process';
import { Readable } from 'node:stream';
import zlib from 'node:zlib';
import type { World } from './contract.ts';

/** Ways out of the simulation, for the tests that see each of them refused. */
const WAYS_OUT: Readonly<Record<string, () => unknown>> = {
  net: () => net.createServer(),
  fs: () => fs.readFileSync('package.json'),
  fetch: () => fetch('http://127.0.0.1:9/'),
  'thread pool': () => crypto.scrypt('secret', 'salt', 16, () => {}),
  'child process': () => childProcess.spawn('true'),
  zlib: () => zlib.deflate('text', () => {}),
  // As modules of Node.js do inside, past the globals that are replaced.
  'real timer': () => process.getBuiltinModule('node:timers').setTimeout(() => {}, 5),
  caught: () => {
    try {
      net.createServer();
    } catch {
      // as a library that tries again would
    }
  },
  'escaping error': () => Readable.from([]).destroy(new Error('on purpose')),
  'real chance': () => setTimeout(() => {}, 1 + (Number(hrtime.bigint()) % 1000)),
};

/** A world that does one of these things after ten timers. */
export const LEAKS: readonly (readonly [name: string, world: World])[] = Object.entries(WAYS_OUT).map(
  ([name, leave]) => [
    `leak: ${name}`,
    kernel => {
      kernel.at(0, kernel.actor('leak'), 'start', () => {
        let left = 10;
        const tick = setInterval(() => {
          if (--left > 0) return;
          clearInterval(tick);
          leave();
        }, 10);
      });
      return { endMs: 10_000, drawn: {}, counts: () => ({}), violations: () => [] };
    },
  ],
);
