import { printedDouble } from './numbers.ts';
import { type Bytes, Failure, type Reply, Status } from './reply.ts';

/** The null array: of RESP 2 not the null bulk string. */
export class NullArray {}

/** Keys and values in turns: a map of RESP 3, an array of RESP 2. */
export class MapAnswer {
  readonly items: readonly Answer[];

  constructor(items: readonly Answer[]) {
    this.items = items;
  }
}

/** A set of RESP 3, an array of RESP 2. */
export class SetAnswer {
  readonly items: readonly Bytes[];

  constructor(items: readonly Bytes[]) {
    this.items = items;
  }
}

/** A number of RESP 3, a bulk string of RESP 2. */
export class DoubleAnswer {
  readonly value: number;

  constructor(value: number) {
    this.value = value;
  }
}

/** Members with scores: an array of pairs of RESP 3, a flat array of RESP 2. */
export class ScoredAnswer {
  readonly items: readonly (readonly [member: Bytes, score: number])[];

  constructor(items: readonly (readonly [member: Bytes, score: number])[]) {
    this.items = items;
  }
}

/** Text for people: a kind of its own of RESP 3, a bulk string of RESP 2. */
export class VerbatimText {
  readonly text: Bytes;

  constructor(text: Bytes) {
    this.text = text;
  }
}

/** Several answers, one after the other: one for each channel of SUBSCRIBE. */
export class PushAnswers {
  readonly pushes: readonly (readonly Answer[])[];

  constructor(pushes: readonly (readonly Answer[])[]) {
    this.pushes = pushes;
  }
}

/** An answer that was sent while it was made: that of a transaction, whose messages and protocols come in between. */
export class SentAnswer {}

/** What a command answers, before the protocol of the connection is known. */
export type Answer =
  | null
  | number
  | bigint
  | Bytes
  | Status
  | Failure
  | NullArray
  | MapAnswer
  | SetAnswer
  | DoubleAnswer
  | ScoredAnswer
  | VerbatimText
  | PushAnswers
  | SentAnswer
  | readonly Answer[];

export type Protocol = 2 | 3;

export const OK = new Status('OK');

/** What a script sees: the answer as RESP 2 has it. */
export function replyOf(answer: Answer): Reply {
  if (answer === null || typeof answer === 'number' || typeof answer === 'string') return answer;
  if (typeof answer === 'bigint') return Number(answer);
  if (answer instanceof Status || answer instanceof Failure) return answer;
  if (answer instanceof NullArray) return null;
  if (answer instanceof MapAnswer || answer instanceof SetAnswer) return answer.items.map(replyOf);
  if (answer instanceof DoubleAnswer) return printedDouble(answer.value);
  if (answer instanceof ScoredAnswer)
    return answer.items.flatMap(([member, score]) => [member, printedDouble(score)]);
  if (answer instanceof VerbatimText) return answer.text;
  if (answer instanceof PushAnswers) return answer.pushes.map(replyOf);
  if (answer instanceof SentAnswer) throw new TypeError('a script runs no transaction');
  return answer.map(replyOf);
}
