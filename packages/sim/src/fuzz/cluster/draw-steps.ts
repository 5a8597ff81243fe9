import type { Bytes } from '../../redis/reply.ts';
import type { Draw } from '../draw.ts';

/** One thing that happens to a cluster. */
export type ClusterStep =
  /** A client asks a member. */
  | { readonly kind: 'call'; readonly node: number; readonly args: readonly Bytes[] }
  /** A client that only listens asks a member. */
  | { readonly kind: 'listen'; readonly node: number; readonly args: readonly Bytes[] }
  /** An operator begins to move the slot of a key to a member, moves one key, and moves the rest. */
  | { readonly kind: 'begin'; readonly key: Bytes; readonly to: number }
  | { readonly kind: 'move'; readonly key: Bytes }
  | { readonly kind: 'end' };

const MEMBERS = 3;

/** Of every third of the slots one. */
const TAGS = ['{a}', '{b}', '{c}'];
const ODD_KEYS = ['', 'plain', '{}', '{}x', 'x{a}y{b}', '{', '}{', '{a', 'a}b{c}', '\xff\xfe'];
/** Writes and reads its first key, and what its first argument names. */
const SCRIPT = "redis.call('SET', KEYS[1], 'by script') return redis.call('GET', ARGV[1])";

/** Calls of members of a cluster, with a slot that moves in every second sequence. */
export function drawClusterSteps(draw: Draw): readonly ClusterStep[] {
  const tag = draw.pick(TAGS);
  const moves = draw.stream.chance(50);
  const calls = (least: number, most: number): readonly ClusterStep[] =>
    draw.several(least, most, () => steps(draw, moves && draw.stream.chance(70) ? [tag] : TAGS)).flat();
  if (!moves) return calls(10, 40);
  const move = (): ClusterStep => ({ kind: 'move', key: `${tag}${draw.pick(['1', '2'])}` });
  const begin = { kind: 'begin', key: tag, to: draw.stream.below(MEMBERS) } as const;
  const moved = draw.several(0, 2, move).flatMap(step => [step, ...calls(3, 12)]);
  return [...calls(5, 15), begin, ...calls(5, 15), ...moved, { kind: 'end' }, ...calls(5, 10)];
}

/** One step or several of one client that belong together. */
function steps(draw: Draw, tags: readonly Bytes[]): readonly ClusterStep[] {
  const node = draw.stream.below(MEMBERS);
  const call = (...args: readonly Bytes[]): ClusterStep => ({ kind: 'call', node, args });
  const drawn = (): ClusterStep => call(...command(draw, tags));
  const percent = draw.stream.below(100);
  if (percent < 15) return [call('ASKING'), drawn()];
  if (percent < 25)
    return [call('MULTI'), ...draw.several(0, 3, drawn), call(draw.pick(['EXEC', 'EXEC', 'DISCARD']))];
  if (percent < 28) return [call('ASKING'), call('MULTI'), drawn(), drawn(), call('EXEC')];
  if (percent < 42) return [{ kind: 'listen', node, args: subscribe(draw, tags) }];
  return [drawn()];
}

function subscribe(draw: Draw, tags: readonly Bytes[]): readonly Bytes[] {
  const channel = (): Bytes => `${draw.pick(tags)}${draw.pick(['news', 'other'])}`;
  if (draw.stream.chance(25)) return ['SUBSCRIBE', channel()];
  return ['SSUBSCRIBE', channel(), ...draw.maybe(20, channel())];
}

function command(draw: Draw, tags: readonly Bytes[]): readonly Bytes[] {
  const key = (): Bytes =>
    draw.stream.chance(8) ? draw.pick(ODD_KEYS) : `${draw.pick(tags)}${draw.pick(['1', '2'])}`;
  const channel = (): Bytes => `${draw.pick(tags)}${draw.pick(['news', 'other'])}`;
  return draw.pick<() => readonly Bytes[]>([
    () => ['SET', key(), draw.pick(['x', 'y'])],
    () => ['SET', key(), draw.pick(['x', 'y'])],
    () => ['GET', key()],
    () => ['GET', key()],
    () => ['MGET', key(), key()],
    () => ['MGET', key(), key(), key()],
    () => ['DEL', key(), ...draw.maybe(50, key())],
    () => ['EXISTS', key(), key()],
    () => ['HSET', key(), 'field', 'value'],
    () => ['EVAL', SCRIPT, '1', key(), key()],
    () => ['EVAL', SCRIPT, '2', key(), key(), key()],
    () => ['EVAL', "return redis.call('GET', 'plain')", '0'],
    () => ['EVAL', 'return 1', draw.pick(['5', 'x', '-1']), key()],
    () => ['PUBLISH', channel(), 'text'],
    () => ['SPUBLISH', channel(), 'text'],
    () => ['CLUSTER', 'KEYSLOT', key()],
    () => ['CLUSTER', draw.pick(['SLOTS', 'MYID', 'KEYSLOT'])],
    () => ['SELECT', draw.pick(['0', '1', '99', 'x'])],
    () => ['GET'],
    () => ['EXEC'],
    () => [draw.pick(['READONLY', 'PING', 'DISCARD'])],
  ])();
}
