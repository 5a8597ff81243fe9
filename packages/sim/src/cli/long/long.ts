import { BadUse } from '../arguments.ts';
import { EXIT, type Print } from '../exit.ts';
import { type LongArguments, readLongArguments } from './arguments.ts';
import { Campaign } from './campaign.ts';
import { countOf, isRecorded, nextSeed, readResult, writePiece } from './result.ts';
import { commitOfSources, isCommitted } from './sources.ts';
import { beginState, Journal, lockState, type PieceState, readState } from './state.ts';

/** Runs one command line of `npm run sim:long`; resolves with the exit code. */
export async function runLong(args: readonly string[], print: Print): Promise<number> {
  try {
    const asked = readLongArguments(args);
    const unlock = lockState(asked.state);
    try {
      return asked.command === 'add' ? add(asked, print) : await play(asked, print);
    } finally {
      unlock();
    }
  } catch (error) {
    if (!(error instanceof BadUse)) throw error;
    print(error.message);
    return EXIT.badUse;
  }
}

async function play(asked: LongArguments, print: Print): Promise<number> {
  const state = stateOf(asked);
  const { commit, from } = state.identity;
  print(`commit ${commit}, seeds from ${from}, ${state.done.size} are finished`);
  if (!isCommitted(commit)) print('the sources differ from their commit: the piece cannot be recorded');
  const journal = new Journal(asked.state);
  const campaign = new Campaign({ ...asked, state, journal, print });
  const stop = (): void => campaign.stop();
  process.once('SIGINT', stop).once('SIGTERM', stop);
  const exit = await campaign.run();
  process.off('SIGINT', stop).off('SIGTERM', stop);
  return exit;
}

/** Goes on with the piece of the folder, or begins one: with the seed that was asked for, or behind all recorded pieces. */
function stateOf(asked: LongArguments): PieceState {
  const commit = commitOfSources();
  const state = readState(asked.state);
  const result = readResult(asked.result);
  const from = asked.from ?? nextSeed(result);
  const identity = { commit, node: process.version, class: asked.class, from };
  if (state === undefined) return beginState(asked.state, identity);
  const { identity: begun } = state;
  const wanted = { ...identity, from: asked.from ?? begun.from };
  const differing = (['commit', 'node', 'class', 'from'] as const).find(name => begun[name] !== wanted[name]);
  if (differing === undefined) return state;
  if (isRecorded(state, result) || state.totals.seeds === 0) return beginState(asked.state, identity);
  throw new BadUse(
    `${asked.state} holds a piece of ${differing} ${begun[differing]}; add it (npm run sim:long -- add), or remove the folder`,
  );
}

/** Adds what is finished of the piece to the recorded ones. */
function add({ state: folder, result }: LongArguments, print: Print): number {
  const state = readState(folder);
  if (state === undefined || state.totals.seeds === 0) throw new BadUse(`${folder} holds no finished seed`);
  const { commit } = state.identity;
  if (!isCommitted(commit))
    throw new BadUse(`the piece is of ${commit || 'no commit'} and cannot be repeated; commit first`);
  const today = new Date().toISOString().slice(0, 'yyyy-mm-dd'.length);
  const piece = writePiece(state, today, result);
  print(`${result}: ${countOf(piece)} seeds of ${commit}, ${piece.deliveries} deliveries`);
  print('docs/proof.md: node --conditions=msg-source scripts/write-reference.ts');
  const open = piece.findings.filter(({ corpus }) => corpus === null);
  for (const { class: name, seed, oracle } of open)
    print(`${oracle} of seed ${seed}, ${name}: adopt its plan and name it as \`corpus\``);
  return open.length === 0 ? EXIT.clean : EXIT.violation;
}
