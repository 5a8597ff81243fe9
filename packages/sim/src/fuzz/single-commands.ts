import type { Bytes } from '../redis/reply.ts';
import { client, hello } from './connection-commands.ts';
import { type Draw, mixedCase } from './draw.ts';

type Form = (draw: Draw) => readonly Bytes[];

/** What a script turns into texts: with more digits than it writes, very large, very small. */
const NUMBERS = [
  '1',
  '2',
  '0.1',
  '-2.25',
  '1e3',
  '3.0e-7',
  '1e300',
  '123456789012345678',
  '9007199254740993',
];

/** Arguments of each command that needs one connection and no others. */
const FORMS: Readonly<Record<string, Form>> = {
  GET: draw => [draw.key('string')],
  SET: draw => [draw.key('string'), draw.text(), ...setOptions(draw)],
  GETDEL: draw => [draw.key('string')],
  MGET: draw => draw.several(1, 4, () => draw.anyKey()),
  INCR: draw => [draw.key('string')],
  APPEND: draw => [draw.key('string'), draw.text()],
  STRLEN: draw => [draw.key('string')],
  DEL: draw => draw.several(1, 3, () => draw.anyKey()),
  EXISTS: draw => draw.several(1, 4, () => draw.anyKey()),
  EXPIRE: draw => [draw.anyKey(), draw.stream.chance(50) ? '100' : draw.integer(), ...expireOptions(draw)],
  PEXPIRE: draw => [draw.anyKey(), draw.life(), ...expireOptions(draw)],
  TTL: draw => [draw.anyKey()],
  PTTL: draw => [draw.anyKey()],
  HSET: draw => [draw.key('hash'), ...pairs(draw, () => [draw.field(), draw.text()])],
  HMSET: draw => [draw.key('hash'), ...pairs(draw, () => [draw.field(), draw.text()])],
  HSETNX: draw => [draw.key('hash'), draw.field(), draw.text()],
  HGET: draw => [draw.key('hash'), draw.field()],
  HMGET: draw => [draw.key('hash'), ...draw.several(1, 4, () => draw.field())],
  HGETALL: draw => [draw.key('hash')],
  HKEYS: draw => [draw.key('hash')],
  HLEN: draw => [draw.key('hash')],
  HDEL: draw => [draw.key('hash'), ...draw.several(1, 3, () => draw.field())],
  HINCRBY: draw => [draw.key('hash'), draw.field(), draw.integer()],
  HSCAN: draw => [
    draw.key('hash'),
    draw.isHostile ? draw.pick(['', '+0', '00', ' 0', '0 ', 'x', '-', '\0', '18446744073709551616']) : '0',
    ...scanOptions(draw),
  ],
  RPUSH: draw => [draw.key('list'), ...draw.several(1, 3, () => draw.text())],
  LPOP: draw => [draw.key('list'), ...draw.maybe(50, draw.integer())],
  LLEN: draw => [draw.key('list')],
  SADD: draw => [draw.key('set'), ...draw.several(1, 3, () => draw.text())],
  SREM: draw => [draw.key('set'), ...draw.several(1, 3, () => draw.text())],
  SMEMBERS: draw => [draw.key('set')],
  ZADD: draw => [draw.key('zset'), ...addOptions(draw), ...pairs(draw, () => [draw.score(), draw.field()])],
  ZREM: draw => [draw.key('zset'), ...draw.several(1, 3, () => draw.field())],
  ZSCORE: draw => [draw.key('zset'), draw.field()],
  ZMSCORE: draw => [draw.key('zset'), ...draw.several(1, 3, () => draw.field())],
  ZCARD: draw => [draw.key('zset')],
  ZCOUNT: draw => [draw.key('zset'), draw.bound(), draw.bound()],
  ZRANGE: range,
  ZREVRANGE: draw => [draw.key('zset'), draw.integer(), draw.integer(), ...draw.maybe(40, 'WITHSCORES')],
  ZRANGEBYSCORE: draw => [
    draw.key('zset'),
    draw.bound(),
    draw.bound(),
    ...draw.maybe(40, 'WITHSCORES'),
    ...draw.maybe(40, 'LIMIT', draw.integer(), draw.integer()),
  ],
  ZREMRANGEBYSCORE: draw => [draw.key('zset'), draw.bound(), draw.bound()],
  XADD: draw => [
    draw.key('stream'),
    ...draw.maybe(10, 'NOMKSTREAM'),
    ...trimOptions(draw),
    draw.stream.chance(30) ? draw.pick(['*', '*', `${draw.stream.between(1, 12)}-*`]) : draw.risingId(),
    ...pairs(draw, () => [draw.field(), draw.text()]),
  ],
  XRANGE: streamRange,
  XREVRANGE: streamRange,
  XDEL: draw => [draw.key('stream'), ...draw.several(1, 3, () => draw.id())],
  XLEN: draw => [draw.key('stream')],
  XINFO: draw => [draw.isHostile ? 'GROUPED' : 'STREAM', draw.key('stream'), ...draw.maybe(5, 'x')],
  PUBLISH: draw => [draw.name(), draw.text()],
  SPUBLISH: draw => [draw.name(), draw.text()],
  PING: draw => draw.maybe(50, draw.text()),
  HELLO: hello,
  AUTH: draw => [...draw.maybe(50, draw.pick(['default', 'other'])), draw.text()],
  SELECT: draw => [draw.isHostile ? draw.integer() : '0'],
  CLIENT: client,
  READONLY: () => [],
  ASKING: () => [],
  CLUSTER: draw => [draw.pick(['INFO', 'SLOTS', 'SHARDS', 'MYID'])],
  CONFIG: draw => [
    'GET',
    draw.pick(['maxmemory', 'maxmemory-policy', 'hash-max-listpack-v*', 'datab[a-c]ses', 'none']),
  ],
  SCRIPT: draw => [
    draw.pick(['EXISTS', 'FLUSH']),
    ...draw.maybe(60, draw.pick(['ASYNC', 'SYNC', 'x', 'e0e1f9fabfc9d4800c877a703b823ac0578ff8db'])),
  ],
  EVAL: draw => ["return {tostring(ARGV[1] / 3), ARGV[1] * 1.1 .. ''}", '0', draw.pick(NUMBERS)],
  EVALSHA: draw => [draw.text(), draw.integer(), ...draw.several(0, 2, () => draw.text())],
  FLUSHALL: draw => draw.maybe(40, draw.pick(['SYNC', 'ASYNC', 'x'])),
  NOSUCHCOMMAND: draw => draw.several(0, 5, () => draw.text()),
};

/** Those that empty everything or are rarely right come up less often. */
const RARE = new Set([
  'FLUSHALL',
  'NOSUCHCOMMAND',
  'AUTH',
  'READONLY',
  'ASKING',
  'CLUSTER',
  'SCRIPT',
  'EVALSHA',
]);
const NAMES = Object.keys(FORMS);
const OF_ANY_KEY = ['DEL', 'EXISTS', 'EXPIRE', 'PEXPIRE', 'TTL', 'PTTL'];
/** Commands that meet on the same values. */
const FAMILIES: readonly (readonly string[])[] = [
  ['GET', 'SET', 'GETDEL', 'MGET', 'INCR', 'APPEND', 'STRLEN', ...OF_ANY_KEY],
  ['SET', 'GET', ...OF_ANY_KEY],
  NAMES.filter(name => name.startsWith('H')),
  ['HSET', 'HINCRBY', 'HGET', 'HGETALL'],
  ['RPUSH', 'LPOP', 'LLEN', 'SADD', 'SREM', 'SMEMBERS'],
  NAMES.filter(name => name.startsWith('Z')),
  NAMES.filter(name => name.startsWith('X')),
  ['XADD', 'XRANGE', 'XREVRANGE', 'XDEL', 'XINFO'],
];
/** Arguments too few or too many, of 100 calls. */
const WRONG_COUNT_PERCENT = 3;

/** Names of commands for one sequence: those of one type of value, or all. */
export function commandNames(draw: Draw): readonly string[] {
  return draw.stream.chance(70) ? draw.pick(FAMILIES) : NAMES;
}

/** One call of a command, drawn from these. */
export function singleCommand(draw: Draw, names: readonly string[] = NAMES): readonly Bytes[] {
  let name = draw.pick(names);
  if (RARE.has(name) && draw.stream.chance(80)) name = draw.pick(names);
  const args = FORMS[name]?.(draw) ?? [];
  const called = mixedCase(name, draw.stream);
  if (!draw.stream.chance(WRONG_COUNT_PERCENT)) return [called, ...args.map(word => mixedWord(word, draw))];
  return draw.stream.chance(50) ? [called, ...args.slice(0, -1)] : [called, ...args, draw.text()];
}

/** Words of options are in capitals, texts are not. */
function mixedWord(word: Bytes, { stream }: Draw): Bytes {
  return /^[A-Z]{2,}$/.test(word) ? mixedCase(word, stream) : word;
}

function pairs(draw: Draw, make: () => readonly Bytes[]): readonly Bytes[] {
  const words = draw.several(1, 3, make).flat();
  return draw.stream.chance(3) ? words.slice(1) : words;
}

function setOptions(draw: Draw): readonly Bytes[] {
  const future = String(4_000_000_000 + draw.stream.between(0, 9));
  const expiry = draw.pick([
    ['PX', draw.life()],
    ['EX', draw.integer()],
    ['PXAT', `${future}000`],
    ['EXAT', future],
    ['KEEPTTL'],
    ['PX'],
  ]);
  return [
    ...draw.maybe(40, ...expiry),
    ...draw.maybe(20, draw.pick(['NX', 'XX'])),
    ...draw.maybe(10, 'GET'),
    ...draw.maybe(5, draw.pick(['NX', 'XX', 'PX', 'KEEPTTL', 'y'])),
  ];
}

function expireOptions(draw: Draw): readonly Bytes[] {
  return [
    ...draw.maybe(40, draw.pick(['NX', 'XX', 'GT', 'LT'])),
    ...draw.maybe(5, draw.pick(['NX', 'XX', 'GT', 'LT', 'y\0z'])),
  ];
}

/** Batches are free: only such counts are asked for that one batch has everything, and such that are refused. */
function scanOptions(draw: Draw): readonly Bytes[] {
  return [
    ...['COUNT', draw.pick(['100', '100', '1000', '1000', '0', '-1', 'x'])],
    ...draw.maybe(
      30,
      'MATCH',
      draw.pick(['*', 'f', '[e-g]', '?', '[^f]*', '\\f', '1*0', 'e*', '*\0*', '[', '*f*']),
    ),
    ...draw.maybe(3, 'COUNT'),
  ];
}

function addOptions(draw: Draw): readonly Bytes[] {
  return [
    ...draw.maybe(20, draw.pick(['NX', 'XX'])),
    ...draw.maybe(10, draw.pick(['GT', 'LT', 'NX'])),
    ...draw.maybe(15, 'CH'),
    ...draw.maybe(8, 'INCR'),
  ];
}

function range(draw: Draw): readonly Bytes[] {
  const byScore = draw.stream.chance(25);
  const ends = byScore ? [draw.bound(), draw.bound()] : [draw.integer(), draw.integer()];
  return [
    draw.key('zset'),
    ...ends,
    ...(byScore ? ['BYSCORE'] : []),
    ...draw.maybe(30, 'REV'),
    ...draw.maybe(byScore ? 40 : 3, 'LIMIT', draw.integer(), draw.integer()),
    ...draw.maybe(40, 'WITHSCORES'),
  ];
}

/** What `~` leaves is free: only a length that no stream of a sequence reaches is asked for with it. */
function trimOptions(draw: Draw): readonly Bytes[] {
  return draw.pick([
    [],
    [],
    ['MAXLEN', draw.integer()],
    ['MAXLEN', '=', draw.upTo(5)],
    ['MAXLEN', '~', '1000'],
    ['MAXLEN', '~', '1000', 'LIMIT', '10'],
    ['MINID', draw.id()],
    ['MAXLEN', '3', 'LIMIT', '5'],
    ['MAXLEN', '~', '1000', 'MINID', '3'],
  ]);
}

function streamRange(draw: Draw): readonly Bytes[] {
  const end = (): Bytes => draw.pick(['-', '+', draw.id(), draw.id(), `(${draw.id()}`]);
  return [
    draw.key('stream'),
    end(),
    end(),
    ...draw.maybe(40, 'COUNT', draw.integer()),
    ...draw.maybe(3, 'COUNT'),
  ];
}
