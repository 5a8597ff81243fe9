import type { Bytes } from '../redis/reply.ts';
import type { Draw } from './draw.ts';
import type { ScriptRow } from './script-rows.ts';

const LETTERS = 'server/src/notify/dead-letters/redis';
const JOBS = 'server/src/notify/dead-letters/jobs/redis';

const letterKeys = (draw: Draw): readonly Bytes[] => [
  draw.key('stream'),
  draw.key('hash'),
  draw.key('string'),
  draw.key('zset'),
];
const id = (draw: Draw): Bytes => draw.id();
const token = (draw: Draw): Bytes => draw.pick(['t1', 't2']);

/** Scripts of dead letters and their jobs. */
export const LETTER_SCRIPTS: readonly ScriptRow[] = [
  {
    name: 'letters/push',
    files: [`${LETTERS}/push.lua`],
    keys: draw => [draw.key('stream'), draw.key('set')],
    fixed: [2], // of MAXLEN ~
    args: draw => [draw.text(), draw.upTo(9), '1000', draw.pick(['sink-1', 'sink-2'])],
  },
  {
    name: 'letters/claim',
    files: [`${LETTERS}/claim.lua`],
    keys: letterKeys,
    args: draw => [id(draw), token(draw), draw.life()],
  },
  {
    name: 'letters/renew',
    files: [`${LETTERS}/renew.lua`],
    keys: draw => [draw.key('string')],
    args: draw => [token(draw), draw.life()],
  },
  {
    name: 'letters/settle',
    files: [`${LETTERS}/settle.lua`],
    keys: letterKeys,
    args: draw => [id(draw), token(draw), draw.pick(['delivered', 'failed', 'untried']), draw.text()],
  },
  { name: 'letters/discard', files: [`${LETTERS}/discard.lua`], keys: letterKeys, args: draw => [id(draw)] },
  {
    name: 'letters/update',
    files: [`${LETTERS}/update.lua`],
    keys: letterKeys,
    args: draw => [id(draw), draw.pick(['', 'state', draw.text()]), draw.pick(['state', draw.text()])],
  },
  {
    name: 'letters/size',
    files: [`${LETTERS}/size.lua`],
    keys: draw => [draw.key('stream'), draw.key('hash'), draw.key('zset')],
    args: draw => [draw.upTo(3)],
  },
  {
    name: 'letters/hide',
    files: [`${LETTERS}/hide.lua`],
    keys: draw => [draw.key('stream'), draw.key('zset')],
    args: draw => [draw.life(), ...draw.several(1, 3, () => id(draw))],
  },
  {
    name: 'letters/restore',
    files: [`${LETTERS}/restore.lua`],
    keys: draw => [draw.key('zset')],
    args: draw => draw.several(1, 3, () => id(draw)),
  },
  {
    name: 'jobs/begin',
    files: [`${JOBS}/begin.lua`],
    keys: draw => [draw.key('string'), draw.key('list'), draw.key('set')],
    args: draw => [draw.field(), draw.text(), draw.life(), ...draw.several(0, 3, () => id(draw))],
  },
  {
    name: 'jobs/take',
    files: [`${JOBS}/take.lua`],
    keys: draw => [draw.key('list'), draw.key('string')],
    args: () => [],
  },
  {
    name: 'jobs/save',
    files: [`${JOBS}/save.lua`],
    keys: draw => [draw.key('string'), draw.key('string'), draw.key('list')],
    args: draw => [token(draw), token(draw), draw.pick(['0', draw.life()]), draw.life()],
  },
];
