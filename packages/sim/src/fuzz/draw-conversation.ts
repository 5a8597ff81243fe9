import type { Bytes } from '../redis/reply.ts';
import type { Step } from './conversation.ts';
import type { Draw } from './draw.ts';

const CHANNELS = ['news', 'x\0y', '', 'other'];
const CONNECTIONS = 3;
const GARBAGE = [
  'PING inline\r\n',
  'PING "two\\nlines" \r\n',
  "PING 'it\\'s'\r\n",
  'PING "open\r\n',
  'PING "a"b\r\n',
  '\r\n*0\r\n*-1\r\nPING\r\n',
  '*1\r\n!4\r\nPING\r\n',
  '*x\r\n',
  '*1\r\n$-1\r\n',
  '*1\r\n$x\r\n',
  '*1\r\n\r\n',
  '*99999999999\r\n',
  'GET\r\nGET \x01\r\n',
];

/** Steps over three connections: protocols, subscriptions, transactions, pipelines with errors, ends. */
export function drawConversation(draw: Draw): readonly Step[] {
  return draw.several(4, 14, () => {
    const connection = draw.stream.below(CONNECTIONS);
    const percent = draw.stream.below(100);
    const commands =
      percent < 20
        ? transaction(draw, connection)
        : percent < 28
          ? killAfterMessage(draw)
          : draw.several(1, 4, () => command(draw));
    const garbage = draw.stream.chance(6) ? { garbage: draw.pick(GARBAGE) } : {};
    return { connection, commands, ...garbage };
  });
}

const OF_SUBSCRIBERS: readonly Bytes[] = ['SUBSCRIBE', 'SSUBSCRIBE', 'HELLO'];
const OF_PUBLISHERS: readonly Bytes[] = ['PUBLISH', 'SPUBLISH', 'CLIENT', 'QUIT'];

type Command = readonly Bytes[];

/** A subscriber is gone before its message was sent. */
function killAfterMessage(draw: Draw): readonly Command[] {
  return [
    ['PUBLISH', draw.pick(CHANNELS), draw.text()],
    ['CLIENT', 'KILL', 'TYPE', 'pubsub'],
  ];
}

function command(draw: Draw): Command {
  const channel = (): Bytes => draw.pick(CHANNELS);
  return draw.pick<() => Command>([
    () => ['PUBLISH', channel(), draw.text()],
    () => ['PUBLISH', channel(), draw.text()],
    () => ['SPUBLISH', channel(), draw.text()],
    () => ['SUBSCRIBE', ...draw.several(1, 3, channel)],
    () => ['SUBSCRIBE', 'news', 'other'],
    () => ['SSUBSCRIBE', ...draw.several(1, 2, channel)],
    () => ['UNSUBSCRIBE', ...draw.several(1, 2, channel)],
    () => ['UNSUBSCRIBE', ...draw.maybe(30, channel(), channel())].slice(0, draw.stream.between(1, 2)),
    () => ['SUNSUBSCRIBE', ...draw.several(1, 2, channel)],
    () => ['HELLO', draw.pick(['2', '3', '3', '4'])],
    () => ['PING', ...draw.maybe(50, draw.text())],
    () => ['PING', 'too', 'many'],
    () => ['GET', draw.key('string')],
    () => ['SET', draw.key('string'), draw.text()],
    () => ['HSET', draw.key('hash'), 'field', draw.text()],
    () => ['HGETALL', draw.key('hash')],
    () => ['ZADD', draw.key('zset'), draw.score(), 'member'],
    () => ['ZRANGE', draw.key('zset'), '0', '-1', 'WITHSCORES'],
    () => ['ZSCORE', draw.key('zset'), 'member'],
    () => ['LPOP', draw.key('list'), '2'],
    () => ['XRANGE', draw.key('stream'), '-', '+', 'COUNT', '0'],
    () => ['NOSUCH', draw.text()],
    () => ['GET'],
    () => ['EXEC'],
    () => ['DISCARD'],
    () => ['SELECT', draw.pick(['0', '1', '99'])],
    () => ['CLIENT', 'KILL', 'TYPE', draw.pick(['pubsub', 'pubsub', 'normal'])],
    () => ['CLIENT', 'KILL', 'TYPE', 'pubsub', 'SKIPME', 'NO'],
    () => (draw.stream.chance(30) ? ['QUIT', ...draw.maybe(30, 'now')] : ['CLIENT', 'GETNAME']),
  ])();
}

/** The first connection publishes in transactions; a subscriber that does gets its own message within the answer. */
function transaction(draw: Draw, connection: number): readonly Command[] {
  const forbidden = connection === 0 ? OF_SUBSCRIBERS : OF_PUBLISHERS;
  const inside = draw
    .several(0, 5, () => command(draw))
    .filter(([name = '', ...args]) => {
      const leavesAll = name === 'UNSUBSCRIBE' && args.length === 0; // in any order
      return !leavesAll && !forbidden.includes(name);
    });
  const end = draw.pick<readonly Command[]>([[['EXEC']], [['EXEC']], [['EXEC']], [['DISCARD']], []]);
  return [['MULTI'], ...draw.maybe(5, 'MULTI').map(name => [name]), ...inside, ...end];
}
