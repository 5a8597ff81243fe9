import type { Bytes } from '../redis/reply.ts';
import type { Draw } from './draw.ts';
import type { Call } from './sequence.ts';

/** Calls on keys that live for a few milliseconds, with waits in between. */
export function drawExpiry(draw: Draw): readonly Call[] {
  return draw.several(10, 30, () => {
    const args = command(draw);
    const waits = draw.stream.chance(20) ? { waitMs: draw.stream.between(1, 4) } : {};
    return { name: (args[0] ?? '').toLowerCase(), args, ...waits };
  });
}

function command(draw: Draw): readonly Bytes[] {
  const key = draw.anyKey();
  const life = draw.pick(['1', '2', '3', '5']);
  return draw.pick<readonly Bytes[]>([
    ['SET', draw.key('string'), draw.text(), 'PX', life],
    ['SET', draw.key('string'), draw.text(), 'PX', life, draw.pick(['NX', 'XX'])],
    ['SET', draw.key('string'), draw.text(), 'KEEPTTL'],
    ['PEXPIRE', key, life],
    ['PEXPIRE', key, life, draw.pick(['NX', 'XX', 'GT', 'LT'])],
    ['PTTL', key],
    ['TTL', key],
    ['EXISTS', key],
    ['DEL', key],
    ['HSET', draw.key('hash'), draw.field(), draw.text()],
    ['HGETALL', draw.key('hash')],
    ['HSETNX', draw.key('hash'), draw.field(), draw.text()],
    ['APPEND', draw.key('string'), draw.text()],
    ['INCR', draw.key('string')],
    ['RPUSH', draw.key('list'), draw.text()],
    ['LLEN', draw.key('list')],
    ['SADD', draw.key('set'), draw.text()],
    ['ZADD', draw.key('zset'), draw.score(), draw.field()],
    ['ZCARD', draw.key('zset')],
    ['XADD', draw.key('stream'), '*', 'f', draw.text()],
    ['XLEN', draw.key('stream')],
    ['MGET', draw.key('string'), draw.key('string')],
    ['GETDEL', draw.key('string')],
  ]);
}
