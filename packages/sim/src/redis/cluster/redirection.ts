import type { Client } from '../client.ts';
import type { CommandTraits } from '../command-traits.ts';
import { type Bytes, Failure } from '../reply.ts';
import type { RedisState } from '../state.ts';
import { keysOf, slotOf } from './slots.ts';
import type { ClusterView, Member } from './view.ts';

/** A command that is asked for. */
export interface AskedCommand {
  readonly row: CommandTraits;
  readonly args: readonly Bytes[];
}

/**
 * Why a server does not run a command of a client; undefined: it does.
 * @param commands the command, or those of a transaction, in which channels count as keys
 */
export function redirectionOf(
  state: RedisState,
  { isAsking }: Client,
  commands: AskedCommand | readonly AskedCommand[],
): Failure | undefined {
  if (state.cluster === undefined) return undefined;
  return redirection(state.cluster, {
    keys: [commands].flat().flatMap(({ row, args }) => keysOf(row, args)),
    areChannels: 'row' in commands && SHARDED.includes(commands.row.name),
    isAsking,
    has: key => state.database(0)?.has(key) === true,
  });
}

const TORN = 'TRYAGAIN Multiple keys request during rehashing of slot';

/** Commands whose keys are channels. */
const SHARDED: readonly Bytes[] = ['spublish', 'ssubscribe', 'sunsubscribe'];

/** What is asked of a member. */
interface Wanted {
  /** Keys of all commands that run together. */
  readonly keys: readonly Bytes[];
  /** They are channels of sharded PUB/SUB, which are at the member that serves the slot. */
  readonly areChannels: boolean;
  /** The client said ASKING just before. */
  readonly isAsking: boolean;
  readonly has: (key: Bytes) => boolean;
}

/** Why a member does not run a command with these keys itself; undefined: it does. */
function redirection(view: ClusterView, wanted: Wanted): Failure | undefined {
  const [first] = wanted.keys;
  if (first === undefined) return undefined;
  const slot = slotOf(first);
  if (wanted.keys.some(key => slotOf(key) !== slot))
    return new Failure("CROSSSLOT Keys in request don't hash to the same slot");
  if (view.isDown) return new Failure('CLUSTERDOWN The cluster is down');
  const owner = view.ownerOf(slot);
  const isOwn = owner === view.self;
  const target = isOwn ? view.migrating.get(slot) : undefined;
  if (target !== undefined) return elsewhere(slot, target, wanted);
  if (isOwn) return undefined;
  if (!view.importing.has(slot) || !wanted.isAsking) return moved('MOVED', slot, owner);
  const isTorn = wanted.keys.some(key => key !== first) && missing(wanted) > 0;
  return isTorn ? new Failure(TORN) : undefined;
}

/** A slot on its way: what is not here any more is with its next member. */
function elsewhere(slot: number, target: Member, wanted: Wanted): Failure | undefined {
  const count = missing(wanted);
  if (count === 0) return undefined;
  return count < wanted.keys.length ? new Failure(TORN) : moved('ASK', slot, target);
}

function missing({ keys, areChannels, has }: Wanted): number {
  return areChannels ? 0 : keys.filter(key => !has(key)).length;
}

function moved(word: 'ASK' | 'MOVED', slot: number, { place: { host, port } }: Member): Failure {
  return new Failure(`${word} ${slot} ${host}:${port}`);
}
