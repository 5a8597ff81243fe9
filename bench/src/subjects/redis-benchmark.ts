import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { RealtimeNode } from '@msg/engine';
import type { LuaScript, RedisArgument, RedisStore } from '@msg/redis';
import type { RedisServer } from '@msg/testkit/redis';
import { PAYLOAD } from './redis.ts';

const run$ = promisify(execFile);

/** What a node asks of its store for a publish. */
export interface Call {
  readonly script: LuaScript;
  readonly keys: readonly string[];
  readonly args: readonly RedisArgument[];
}

/** The call of a node's publish. */
export async function callOf(node: RealtimeNode, store: RedisStore): Promise<Call> {
  const { run } = store;
  let call: Call | undefined;
  store.run = (script, keys, args) => {
    call = { script, keys, args };
    return run.call(store, script, keys, args);
  };
  await node.publish('bench.baseline', PAYLOAD);
  store.run = run;
  if (call === undefined) throw new Error('a publish runs no script');
  return call;
}

/** What a store did by itself. */
export interface StoreRate {
  readonly perSecond: number;
  /** CPU of the store for one. */
  readonly cpuUs: number;
}

/**
 * The same script with what the node passes to it, into one channel: the program draws a key for each place anew. The
 * program sends only text, so the payload stands for the record.
 */
export async function benchmark(
  redis: RedisServer,
  { script, keys, args: [_record, ...rest] }: Call,
  publications: number,
): Promise<StoreRate> {
  await redis.command('SCRIPT', 'LOAD', script.source);
  const [host = '', port = ''] = redis.address.split(':');
  const load = ['-h', host, '-p', port, '-c', '8', '-P', '64', '-n', publications, '--csv'];
  const command = ['evalsha', script.sha1, keys.length, ...keys, PAYLOAD, ...rest];
  const before = await cpuUs(redis);
  const { stdout } = await run$('redis-benchmark', [...load, ...command].map(String));
  const [line = ''] = stdout.trim().split('\n').slice(-1);
  const rate = /"([\d.]+)"/.exec(line.replace(/^"[^"]*",/, ''))?.[1];
  if (rate === undefined) throw new Error(`redis-benchmark said:\n${stdout}`);
  return { perSecond: Number(rate), cpuUs: ((await cpuUs(redis)) - before) / publications };
}

/** CPU that a store has used, microseconds. */
export async function cpuUs(redis: RedisServer): Promise<number> {
  const text = String(await redis.command('INFO', 'cpu'));
  const used = Array.from(text.matchAll(/^used_cpu_(?:sys|user):([\d.]+)/gm), ([, seconds]) =>
    Number(seconds),
  );
  return used.reduce((sum, seconds) => sum + seconds, 0) * 1e6;
}
