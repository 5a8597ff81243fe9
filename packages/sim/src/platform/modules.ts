import childProcess from 'node:child_process';
import crypto from 'node:crypto';
import dns from 'node:dns';
import dnsPromises from 'node:dns/promises';
import fs from 'node:fs';
import fsPromises from 'node:fs/promises';
import perfHooks from 'node:perf_hooks';
import timersModule from 'node:timers';
import tls from 'node:tls';
import workerThreads from 'node:worker_threads';
import zlib from 'node:zlib';
import { refuse, refusedInRun, untilRun, withReplaced } from '../kernel/refuse.ts';
import { simHttps } from '../net/https.ts';
import { lookup } from '../net/names.ts';
import { simNet } from '../net/substitute.ts';
import { connectTls } from '../net/tls.ts';
import { drawnEcdh, drawnSignature } from './curves.ts';
import { cryptoRandom, streamOf } from './globals.ts';
import { timerPromises, timers } from './timers.ts';

/** Functions of `node:crypto` that use the thread pool. Others do so only if they are given a callback. */
const SLOW_CRYPTO = [
  'pbkdf2',
  'scrypt',
  'hkdf',
  'generateKey',
  'generateKeyPair',
  'generatePrime',
  'checkPrime',
];
/** `node:zlib` with a thread: all but the functions that end in `Sync`, and `crc32`. */
const SLOW_ZLIB = /^(?:create[A-Z]|(?:deflate|inflate|gzip|gunzip|unzip|brotli|zstd)\w*$)/;

function drawnBytes(length: number, callback?: unknown): Buffer {
  if (callback !== undefined) refuse('crypto.randomBytes with a callback');
  return Buffer.from(streamOf('crypto').bytes(length));
}

/** An integer as `crypto.randomInt` draws it. */
function drawnInteger(least: number, limit?: unknown, callback?: unknown): number {
  if (callback !== undefined || typeof limit === 'function') refuse('crypto.randomInt with a callback');
  return typeof limit === 'number'
    ? least + streamOf('crypto').below(limit - least)
    : streamOf('crypto').below(least);
}

function filled<T extends NodeJS.ArrayBufferView>(view: T, offset = 0, size = view.byteLength - offset): T {
  streamOf('crypto').fill(new Uint8Array(view.buffer, view.byteOffset + offset, size));
  return view;
}

/** The modules that the service and the packages it uses get in place of those of Node.js. */
export function substitutes(): ReadonlyMap<string, object> {
  const slowZlib = Object.keys(zlib).filter(key => SLOW_ZLIB.test(key) && !key.endsWith('Sync'));
  return new Map<string, object>([
    ['timers', withReplaced(timersModule, { ...timers, promises: timerPromises })],
    ['timers/promises', timerPromises],
    ['perf_hooks', withReplaced(perfHooks, { performance: globalThis.performance })],
    [
      'crypto',
      withReplaced(crypto, {
        ...cryptoRandom,
        ...refusedInRun('crypto', crypto, SLOW_CRYPTO),
        randomBytes: drawnBytes,
        randomInt: drawnInteger,
        randomFillSync: filled,
        createECDH: drawnEcdh,
        sign: drawnSignature,
        randomFill: () => refuse('crypto.randomFill'),
        webcrypto: globalThis.crypto,
      }),
    ],
    ['net', simNet()],
    ['tls', { ...untilRun('tls', tls), connect: connectTls }],
    ['https', simHttps()],
    ['dns', { ...untilRun('dns', dns), lookup }],
    ['dns/promises', untilRun('dns/promises', dnsPromises)],
    ['fs', { ...untilRun('fs', fs), promises: untilRun('fs/promises', fsPromises) }],
    ['fs/promises', untilRun('fs/promises', fsPromises)],
    ['child_process', untilRun('child_process', childProcess)],
    ['worker_threads', untilRun('worker_threads', workerThreads)],
    ['zlib', withReplaced(zlib, refusedInRun('zlib', zlib, slowZlib))],
  ]);
}
