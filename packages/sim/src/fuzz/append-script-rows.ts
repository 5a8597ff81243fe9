import type { Bytes } from '../redis/reply.ts';
import type { Draw } from './draw.ts';
import type { ScriptRow } from './script-rows.ts';

const FOLDER = 'engine/src/broker/redis/appends';
const COMMON = `${FOLDER}/open-message.lua`;

/** The keys of one channel: most calls meet on them. */
const appendKeys = (draw: Draw): readonly Bytes[] => [
  draw.isHostile ? draw.anyKey() : 'stream:1',
  draw.isHostile ? draw.anyKey() : 'hash:1',
  draw.isHostile ? draw.anyKey() : 'string:1',
  'done:',
  'input:',
  draw.isHostile ? draw.anyKey() : 'zset:1',
];
const message = (draw: Draw): Bytes => draw.pick(['m1', 'm1', 'm2']);
const producer = (draw: Draw): Bytes => draw.pick(['p1', 'p1', 'p2']);
const operation = (draw: Draw): readonly Bytes[] =>
  draw.pick([
    ['t', draw.text()],
    ['t', 'some text'],
    ['t', 'more'],
    ['i', '{"a":1}'],
    ['o', '{"b":"'],
    ['m', '{"meta":2}'],
    ['s', draw.pick(['completed:', 'failed:"why"'])],
  ]);

export const APPEND_SCRIPTS: readonly ScriptRow[] = [
  {
    name: 'appends/append',
    files: [COMMON, `${FOLDER}/append.lua`],
    keys: appendKeys,
    args: draw => {
      const operations = draw.several(1, 3, () => operation(draw));
      const said = [draw.pick(['text', 'items', '*']), draw.pick(['*', 'run']), draw.pick(['*', 'in1']), '*'];
      return [
        message(draw),
        producer(draw),
        draw.upTo(3),
        String(operations.length),
        draw.pick(['', '', '1']),
        draw.pick(['', said.join('\n')]),
        draw.pick(['1000', '5', draw.life()]),
        draw.pick(['4000', '60']),
        draw.pick(['60000', draw.life()]),
        draw.upTo(5),
        '60000',
        draw.pick(['ep-1', 'ep-2']),
        'news',
        draw.pick(['PUBLISH', 'SPUBLISH']),
        draw.text(),
        ...operations.flat(),
      ];
    },
  },
  {
    name: 'appends/append-text',
    files: [`${FOLDER}/append-text.lua`],
    keys: draw => appendKeys(draw).slice(0, 3),
    args: draw => [
      message(draw),
      producer(draw),
      draw.upTo(4),
      '1',
      draw.text(),
      draw.pick(['4000', '60']),
      '60000',
      '60000',
      'news',
      draw.pick(['PUBLISH', 'SPUBLISH']),
    ],
  },
  {
    name: 'appends/append-state',
    files: [COMMON, `${FOLDER}/append-state.lua`],
    keys: appendKeys,
    args: draw => [draw.pick(['*', message(draw)]), draw.pick(['', '1'])],
  },
  {
    name: 'appends/append-history',
    files: [COMMON, `${FOLDER}/append-history.lua`],
    keys: appendKeys,
    args: draw => [
      'ep-3',
      draw.pick(['', '60000']),
      ...draw.pick([
        ['', '', '', ''],
        ['XRANGE', '-', '+', '-1'],
        ['XREVRANGE', '+', '-', '2'],
      ]),
      draw.pick(['', '1']),
    ],
  },
  {
    name: 'appends/end-append',
    files: [COMMON, `${FOLDER}/end-append.lua`],
    keys: appendKeys,
    args: draw => ['news', 'PUBLISH', 'cancelled', 'orphaned', message(draw)],
  },
  {
    name: 'appends/cancel-append',
    files: [COMMON, `${FOLDER}/cancel-append.lua`],
    keys: appendKeys,
    args: draw => [
      draw.pick(['*', message(draw)]),
      draw.pick(['*', 'in1', 'in2']),
      '"stop"\n{"by":"user"}',
      draw.life(),
      draw.upTo(3),
      'news',
      'PUBLISH',
    ],
  },
  {
    name: 'appends/append-outcome',
    files: [COMMON, `${FOLDER}/append-outcome.lua`],
    keys: appendKeys,
    args: draw => [message(draw), draw.pick(['', '', 'sent']), draw.pick(['60000', draw.life()])],
  },
  {
    name: 'appends/forget-due',
    files: [`${FOLDER}/forget-due.lua`],
    keys: draw => [draw.key('zset')],
    args: draw => [draw.field(), draw.score()],
  },
  {
    name: 'broker/publish-with-appends',
    files: ['engine/src/broker/redis/publish.lua'],
    keys: () => ['stream:1', 'hash:1', 'result:1', 'string:1'],
    args: draw => [
      draw.text(),
      draw.upTo(5),
      '60000',
      'news',
      '60000',
      'ep-1',
      draw.pick(['', '60000']),
      draw.pick(['0', '1']),
      '0',
      '',
      'PUBLISH',
    ],
  },
];
