import {
  type Answer,
  DoubleAnswer,
  MapAnswer,
  NullArray,
  type Protocol,
  PushAnswers,
  ScoredAnswer,
  SentAnswer,
  SetAnswer,
  VerbatimText,
} from './answer.ts';
import { printedDouble } from './numbers.ts';
import { type Bytes, Failure, Status } from './reply.ts';

/** An answer as bytes of RESP 2 or 3. */
export function encoded(answer: Answer, protocol: Protocol): Bytes {
  if (typeof answer === 'string') return bulk(answer);
  if (typeof answer === 'number') return `:${Number.isSafeInteger(answer) ? answer : BigInt(answer)}\r\n`;
  if (typeof answer === 'bigint') return `:${answer}\r\n`;
  if (answer === null) return protocol === 3 ? '_\r\n' : '$-1\r\n';
  if (answer instanceof Status) return `+${answer.text}\r\n`;
  if (answer instanceof Failure) return `-${answer.text}\r\n`;
  if (Array.isArray(answer)) return aggregate('*', answer, protocol);
  return ofBothProtocols(answer as Exclude<Answer, readonly Answer[]>, protocol); // not an array
}

function ofBothProtocols(answer: Answer, protocol: Protocol): Bytes {
  if (answer instanceof NullArray) return protocol === 3 ? '_\r\n' : '*-1\r\n';
  if (answer instanceof MapAnswer) {
    if (protocol === 2) return aggregate('*', answer.items, protocol);
    return `%${answer.items.length / 2}\r\n${all(answer.items, protocol)}`;
  }
  if (answer instanceof SetAnswer) return aggregate(protocol === 3 ? '~' : '*', answer.items, protocol);
  if (answer instanceof DoubleAnswer) return double(answer.value, protocol);
  if (answer instanceof ScoredAnswer) return scored(answer, protocol);
  if (answer instanceof VerbatimText)
    return protocol === 3 ? `=${answer.text.length + 4}\r\ntxt:${answer.text}\r\n` : bulk(answer.text);
  if (answer instanceof PushAnswers) return answer.pushes.map(push => encodedPush(push, protocol)).join('');
  if (answer instanceof SentAnswer) return '';
  throw new TypeError(`no form for ${String(answer)}`);
}

/** A message that no command asked for; of RESP 2 an array like any other. */
export function encodedPush(items: readonly Answer[], protocol: Protocol): Bytes {
  return aggregate(protocol === 3 ? '>' : '*', items, protocol);
}

function scored({ items }: ScoredAnswer, protocol: Protocol): Bytes {
  if (protocol === 2)
    return `*${items.length * 2}\r\n${items.map(([m, s]) => bulk(m) + double(s, 2)).join('')}`;
  return `*${items.length}\r\n${items.map(([m, s]) => `*2\r\n${bulk(m)}${double(s, 3)}`).join('')}`;
}

function double(value: number, protocol: Protocol): Bytes {
  const text = printedDouble(value);
  return protocol === 3 ? `,${text}\r\n` : bulk(text);
}

function aggregate(mark: string, items: readonly Answer[], protocol: Protocol): Bytes {
  return `${mark}${items.length}\r\n${all(items, protocol)}`;
}

function all(items: readonly Answer[], protocol: Protocol): Bytes {
  let bytes = '';
  for (const item of items) bytes += encoded(item, protocol);
  return bytes;
}

function bulk(text: Bytes): Bytes {
  return `$${text.length}\r\n${text}\r\n`;
}
