import type { Bytes } from '../redis/reply.ts';
import { Session } from '../redis/session.ts';
import { type RedisOptions, RedisState } from '../redis/state.ts';
import { normalised } from './normalise.ts';
import { RealConnection } from './real-connection.ts';
import { type Node, repliesOf, shownNode } from './replies.ts';

/** One call of a sequence. */
export interface Call {
  /** The command or script, in small letters. */
  readonly name: Bytes;
  readonly args: readonly Bytes[];
  /** Let real time pass before it. */
  readonly waitMs?: number;
}

/** Where a real server listens. */
export interface RealServer {
  readonly host: string;
  readonly port: number;
}

/** The first reply that differs. */
interface Difference {
  /** Place of the call. */
  readonly at: number;
  readonly real: string;
  readonly simulated: string;
  /** The clock moved on during a call before: which of both moments it read is not known. */
  readonly isUncertain: boolean;
}

/** What a sequence came to. */
export interface Outcome {
  readonly difference: Difference | undefined;
  /** Error lines that both gave. */
  readonly errors: readonly Bytes[];
}

/** Calls during which the clock may have moved on, of which every combination is tried. */
const MOST_UNCERTAIN = 7;

export type Compile = RedisOptions['compile'];

/**
 * Sends the calls to a real server, which is emptied before, and to a simulated one, over one connection each. TIME before and
 * after every call says by which clock the simulated one runs it; where both differ, each of them may explain what follows.
 */
export async function playSequence(
  calls: readonly Call[],
  real: RealServer,
  compile: Compile,
): Promise<Outcome> {
  const answers = await realAnswers(calls, real);
  const uncertain = answers
    .flatMap(({ beforeMs, afterMs }, at) => (beforeMs === afterMs ? [] : [at]))
    .reverse();
  let first: Outcome | undefined;
  for (let choice = 0; choice < 2 ** Math.min(uncertain.length, MOST_UNCERTAIN); choice++) {
    const late = new Set(uncertain.filter((_, bit) => ((choice >> bit) & 1) === 1));
    const outcome = simulate(calls, answers, { late, compile, isUncertain: uncertain.length > 0 });
    if (outcome.difference === undefined) return outcome;
    first ??= outcome;
  }
  return first as Outcome; // there is a first choice
}

interface Simulation {
  /** Calls that ran by the later clock. */
  readonly late: ReadonlySet<number>;
  readonly compile: Compile;
  readonly isUncertain: boolean;
}

function simulate(calls: readonly Call[], answers: readonly Answered[], simulation: Simulation): Outcome {
  const { late, compile, isUncertain } = simulation;
  let nowMs = 0;
  let bytes: Bytes = '';
  const state = new RedisState({ nowUs: () => nowMs * 1000, random: () => 0.5, compile });
  const send = (sent: Bytes): void => {
    bytes += sent;
  };
  const session = new Session(state, { send, end: () => undefined });
  const errors: Bytes[] = [];
  for (const [at, { name, args }] of calls.entries()) {
    const { reply, beforeMs, afterMs } = answers[at] as Answered; // one for each call
    nowMs = late.has(at) ? afterMs : beforeMs;
    bytes = '';
    session.receive(request(args));
    const expected = shownNode(normalised(reply, name));
    const simulated = repliesOf(bytes)
      .map(node => shownNode(normalised(node, name)))
      .join(' ');
    if (expected !== simulated) return { difference: { at, real: expected, simulated, isUncertain }, errors };
    if (reply.mark === '-' && reply.text !== undefined) errors.push(reply.text);
  }
  return { difference: undefined, errors };
}

interface Answered {
  readonly reply: Node;
  readonly beforeMs: number;
  readonly afterMs: number;
}

const TIME = request(['TIME']);
const EMPTY = request(['FLUSHALL']) + request(['SCRIPT', 'FLUSH']);

async function realAnswers(calls: readonly Call[], { host, port }: RealServer): Promise<Answered[]> {
  const connection = await RealConnection.open(host, port);
  try {
    connection.write(EMPTY);
    await connection.take(2);
    const answers: Answered[] = [];
    for (const batch of batches(calls)) {
      const waitMs = batch[0]?.waitMs ?? 0;
      if (waitMs > 0) await new Promise(resolve => setTimeout(resolve, waitMs));
      connection.write(TIME + batch.map(({ args }) => request(args) + TIME).join(''));
      const nodes = await connection.take(2 * batch.length + 1);
      for (let at = 0; at < batch.length; at++)
        answers.push({
          beforeMs: milliseconds(nodes[2 * at]),
          reply: nodes[2 * at + 1] ?? { mark: 'end' },
          afterMs: milliseconds(nodes[2 * at + 2]),
        });
    }
    return answers;
  } finally {
    connection.close();
  }
}

/** A call that waits begins a batch. */
function batches(calls: readonly Call[]): readonly (readonly Call[])[] {
  const list: Call[][] = [];
  for (const call of calls) {
    const last = list.at(-1);
    if (last === undefined || call.waitMs !== undefined) list.push([call]);
    else last.push(call);
  }
  return list;
}

function milliseconds(time: Node | undefined): number {
  const [seconds, rest] = time?.items ?? [];
  return Number(seconds?.text) * 1000 + Math.floor(Number(rest?.text) / 1000);
}

export function request(args: readonly Bytes[]): Bytes {
  return `*${args.length}\r\n${args.map(text => `$${text.length}\r\n${text}\r\n`).join('')}`;
}
