import type { Bytes } from '../redis/reply.ts';
import type { Draw } from './draw.ts';

/** A script of the repository with what it is called with. */
export interface ScriptRow {
  /** Folder and file. */
  readonly name: string;
  /** From `packages`; joined in this order. */
  readonly files: readonly string[];
  readonly keys: (draw: Draw) => readonly Bytes[];
  readonly args: (draw: Draw) => readonly Bytes[];
  /** Places of arguments that stay as they are: with others a server is free in what it answers (6.3). */
  readonly fixed?: readonly number[];
}

const PUBLISHING = ['PUBLISH', 'PUBLISH', 'SPUBLISH'];
const channel = (draw: Draw): Bytes => draw.pick(['news', 'other']);
const epoch = (draw: Draw): Bytes => draw.pick(['ep-1', 'ep-2']);
const streamKeys = (draw: Draw): readonly Bytes[] => [
  draw.key('stream'),
  draw.key('hash'),
  draw.pick(['result:1', 'result:2']),
];
const version = (draw: Draw): readonly Bytes[] =>
  draw.stream.chance(70) ? ['0', ''] : [draw.upTo(4), draw.pick(['', 'v-1', 'v-2'])];
const name = (draw: Draw): Bytes => draw.pick(['alpha', 'beta', 'gamma', '']);
const apiKey = (draw: Draw): Bytes => draw.pick(['key-1', 'key-2']);
const record = (draw: Draw): Bytes => draw.text();
const moment = (draw: Draw): Bytes => String(1_800_000_000_000 + draw.stream.between(0, 3) * 700);
const nanoseconds = (draw: Draw): Bytes => `${moment(draw)}123456`;
const history = (draw: Draw): readonly Bytes[] => [
  epoch(draw),
  ...draw.pick([[''], [draw.life()]]),
  ...draw.pick([
    ['', '', '', ''],
    ['XRANGE', draw.id(), '+', draw.pick(['-1', '0', '2'])],
    ['XREVRANGE', '+', '-', draw.pick(['-1', '1', '3'])],
  ]),
];
const published = (draw: Draw): readonly Bytes[] => [
  record(draw),
  draw.upTo(5),
  draw.pick(['60000', draw.life()]),
  channel(draw),
  draw.pick(['60000', draw.life()]),
  epoch(draw),
  draw.pick(['', '', '60000', draw.life()]),
  draw.pick(['0', '1']),
  ...version(draw),
  draw.pick(PUBLISHING),
];

/** Scripts of the engine but those of append streams. */
const ENGINE: readonly ScriptRow[] = [
  {
    name: 'broker/renew',
    files: ['engine/src/broker/redis/renew.lua'],
    keys: draw => [draw.key('hash')],
    args: draw => [epoch(draw), epoch(draw)],
  },
  {
    name: 'broker/publish',
    files: ['engine/src/broker/redis/publish.lua'],
    keys: draw => [...streamKeys(draw), ...draw.maybe(30, draw.key('string'))],
    args: published,
  },
  {
    name: 'broker/publish-once',
    files: ['engine/src/broker/redis/publish-once.lua'],
    keys: draw => [draw.pick(['result:1', 'result:2']), draw.key('hash')],
    args: draw => [
      record(draw),
      channel(draw),
      draw.pick(['', '60000', draw.life()]),
      draw.pick(PUBLISHING),
      ...version(draw),
      draw.life(),
    ],
  },
  {
    name: 'broker/history',
    files: ['engine/src/broker/redis/history.lua'],
    keys: draw => [draw.key('stream'), draw.key('hash')],
    args: history,
  },
  {
    name: 'redis/publish',
    files: ['redis/src/publish.lua'],
    keys: draw => [channel(draw)],
    args: draw => [draw.text()],
  },
  {
    name: 'presence/add',
    files: ['engine/src/presence/redis/add.lua'],
    keys: draw => [draw.key('hash'), draw.key('zset')],
    args: draw => [draw.field(), draw.text(), draw.pick(['60', '1', draw.integer()])],
  },
  {
    name: 'presence/remove',
    files: ['engine/src/presence/redis/remove.lua'],
    keys: draw => [draw.key('hash'), draw.key('zset')],
    args: draw => [draw.field()],
  },
  {
    name: 'presence/get',
    files: ['engine/src/presence/redis/get.lua'],
    keys: draw => [draw.key('hash'), draw.key('zset')],
    args: () => [],
  },
];

/** Records of channels, written by one script and read by others. */
const REGISTRY: readonly ScriptRow[] = [
  {
    name: 'registry/open-public',
    files: ['server/src/channels/registry/redis/open-public.lua'],
    keys: draw => [draw.key('hash')],
    args: draw => [name(draw), draw.upTo(60), nanoseconds(draw), draw.integer(), channel(draw), 'event'],
  },
  {
    name: 'registry/close',
    files: ['server/src/channels/registry/redis/close.lua'],
    keys: draw => [draw.key('hash')],
    args: draw => [name(draw), channel(draw), 'event'],
  },
  {
    name: 'registry/delete',
    files: ['server/src/channels/registry/redis/delete.lua'],
    keys: draw => [draw.key('hash')],
    args: draw => [name(draw), channel(draw), 'event'],
  },
  {
    name: 'registry/touch',
    files: ['server/src/channels/registry/redis/touch.lua'],
    keys: draw => [draw.key('hash')],
    args: draw => [name(draw), nanoseconds(draw), draw.integer(), draw.pick(['', draw.integer()])],
  },
  {
    name: 'registry/note-activity',
    files: ['server/src/channels/registry/redis/note-activity.lua'],
    keys: draw => [draw.key('hash')],
    args: draw => [draw.integer(), ...draw.several(1, 3, () => [name(draw), nanoseconds(draw)]).flat()],
  },
  {
    name: 'registry/sweep',
    files: ['server/src/channels/registry/redis/sweep.lua'],
    keys: draw => [draw.key('hash')],
    fixed: [2, 3], // cursor and batch of HSCAN
    args: draw => [
      nanoseconds(draw),
      moment(draw),
      '0',
      '100',
      channel(draw),
      draw.pick(['node-1', 'a"b\\c/d']),
    ],
  },
];

/** Tokens, keys, rate limits and what else the service stores. */
const SERVICE: readonly ScriptRow[] = [
  {
    name: 'rate-limits/take',
    files: ['server/src/rate-limits/redis/take.lua'],
    keys: draw => [draw.key('zset'), draw.key('string')],
    args: draw => [
      moment(draw),
      draw.pick(['e1', 'e2', 'e3']),
      draw.pick(['0', '5000', draw.integer()]),
      draw.upTo(4),
      ...draw.several(1, 2, () => [draw.upTo(5), draw.pick(['1000', '2000.5', draw.integer()])]).flat(),
    ],
  },
  {
    name: 'revocation/revoke-user',
    files: ['server/src/auth/tokens/revocation/redis/revoke-user.lua'],
    keys: draw => [draw.key('string')],
    args: draw => [
      draw.pick(['9', '10', '100', '99', draw.text()]),
      draw.pick(['60000', '1000', draw.integer()]),
    ],
  },
  {
    name: 'refresh/revoke-family',
    files: ['server/src/auth/tokens/refresh/redis/revoke-family.lua'],
    keys: draw => [draw.key('string')],
    args: draw => [draw.life()],
  },
  {
    name: 'keys/save',
    files: ['server/src/auth/keys/store/redis/save.lua'],
    keys: draw => [draw.key('string'), draw.pick(['version:1', draw.key('string')])],
    args: draw => [draw.text(), draw.pick(['', '', draw.text()]), channel(draw)],
  },
  {
    name: 'api-keys/replace',
    files: ['server/src/auth/api-keys/store/redis/replace.lua'],
    keys: draw => [draw.key('hash')],
    args: draw => [
      apiKey(draw),
      draw.pick(['', 'r1', 'r2', '?']),
      draw.pick(['', '{"revision":"r1","a":1}', '{"revision":"r2"}', draw.text()]),
    ],
  },
  {
    name: 'usage/raise',
    files: ['server/src/auth/usage/redis/raise.lua'],
    keys: draw => [draw.key('hash')],
    args: draw => draw.several(1, 3, () => [draw.field(), draw.score()]).flat(),
  },
  {
    name: 'schemas/step',
    files: ['server/src/schemas/store/redis/step.lua'],
    keys: draw => [draw.key('hash')],
    args: draw => [
      draw.pick(['0', '1:t', '2:t']),
      't',
      channel(draw),
      name(draw),
      draw.pick(['', draw.text()]),
    ],
  },
  {
    name: 'schemas/replace',
    files: ['server/src/schemas/store/redis/replace.lua'],
    keys: draw => [draw.key('hash')],
    args: draw => [
      draw.pick(['', '0', '1:t']),
      't',
      channel(draw),
      ...draw.several(0, 2, () => [name(draw), draw.text()]).flat(),
    ],
  },
  { name: 'stores/time', files: ['server/src/stores/redis/time.lua'], keys: () => [], args: () => [] },
  {
    name: 'stores/audit-append',
    files: ['server/src/stores/redis/audit-append.lua'],
    keys: draw => [draw.key('stream'), draw.key('hash')],
    fixed: [2], // of MAXLEN ~
    args: draw => [draw.field(), draw.text(), '1000', draw.pick(['0', '1'])],
  },
  ...['create', 'change'].map(change => ({
    name: `stores/console-session-${change}`,
    files: [`server/src/stores/redis/console-session-${change}.lua`],
    keys: (draw: Draw) => [draw.key('hash')],
    args: (draw: Draw) => [draw.life(), ...draw.several(1, 2, () => [draw.field(), draw.text()]).flat()],
  })),
];

export const SERVICE_SCRIPTS: readonly ScriptRow[] = [...ENGINE, ...REGISTRY, ...SERVICE];
