import type { Bytes } from '../redis/reply.ts';
import type { Draw } from './draw.ts';

/** Arguments of HELLO. */
export function hello(draw: Draw): readonly Bytes[] {
  const version = draw.isHostile ? draw.integer() : draw.pick(['2', '3']);
  return [
    ...draw.maybe(90, version),
    ...draw.maybe(10, 'SETNAME', draw.name()),
    ...draw.maybe(10, 'AUTH', draw.pick(['default', 'other']), 'x'),
  ];
}

/** Arguments of CLIENT. */
export function client(draw: Draw): readonly Bytes[] {
  return draw.pick([
    ['ID'],
    ['GETNAME'],
    ['SETNAME', draw.pick(['name', 'two words', '', 'é', 'x\n'])],
    ['SETINFO', 'LIB-NAME', 'ioredis'],
    ['KILL', draw.pick(['127.0.0.1:1', 'x'])],
    ['KILL', 'ID', draw.pick(['0', '-1', 'x', '999999999'])],
    ['KILL', draw.pick(['TYPE', 'SKIPME', 'USERS']), draw.pick(['pubsub', 'x', 'master'])],
    ['NOSUCH', draw.text()],
  ]);
}
