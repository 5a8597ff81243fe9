import type { Stream } from '../kernel/stream.ts';
import type { Bytes } from '../redis/reply.ts';
import type { ValueType } from '../redis/values.ts';

const TYPES: readonly ValueType[] = ['string', 'hash', 'list', 'set', 'zset', 'stream'];
const NAMES = ['a', 'b', 'c', '', 'two words', 'quote"\'', 'x\0y', '\xff\xfe', 'line\r\nbreak', '{"id":1}'];
const FIELDS = ['f', 'g', 'h', 'e', 's', '', '\0', '1', '2', '10'];
const INTEGERS = ['0', '1', '-1', '2', '3', '5', '10', '64', '100', '-2', '-100', '1000'];
const BORDERS = [
  '9223372036854775807',
  '-9223372036854775808',
  '9223372036854775808',
  '-9223372036854775809',
  '18446744073709551615',
  '18446744073709551616',
  '9007199254740993',
  '4294967296',
  '2147483648',
];
const NO_INTEGERS = ['', ' 1', '1 ', '+1', '01', '-0', '1.0', '1e3', '0x10', 'x', 'nan', '\0', '1\0'];
const SCORES = [
  '1.00000762939453125',
  '0',
  '1',
  '2',
  '3',
  '-1',
  '1.5',
  '0.1',
  '1e3',
  '-2.25',
  '1000000000000000000000',
  '3.0e-7',
];
const HARD_SCORES = [
  'inf',
  '+inf',
  '-inf',
  'Infinity',
  '123456789012345678',
  '0x1p4',
  '0x.8',
  '5e-324',
  '1.7976931348623157e308',
  '.5',
  '5.',
];
const NO_SCORES = ['', ' 1', '1 ', 'nan', 'x', '1e', '1e400', '0x', '--1', '1\0', 'infinit', '1,5'];

/** Draws arguments of commands: mostly such as the service sends, and now and then what a command has to refuse. */
export class Draw {
  readonly stream: Stream;
  readonly #hostilePercent: number;
  #rising = 0;

  constructor(stream: Stream, hostilePercent: number) {
    this.stream = stream;
    this.#hostilePercent = hostilePercent;
  }

  get isHostile(): boolean {
    return this.stream.chance(this.#hostilePercent);
  }

  pick<T>(choices: readonly T[]): T {
    return this.stream.pick(choices);
  }

  /** These words in `percent` of 100 cases. */
  maybe(percent: number, ...words: readonly Bytes[]): readonly Bytes[] {
    return this.stream.chance(percent) ? words : [];
  }

  /** So many drawn things. */
  several<T>(least: number, most: number, make: () => T): readonly T[] {
    return Array.from({ length: this.stream.between(least, most) }, make);
  }

  /** A key of this type, of another one, or one that is missing. */
  key(type: ValueType): Bytes {
    if (this.stream.chance(5)) return this.pick(NAMES);
    const other = this.isHostile ? this.pick(TYPES) : type;
    return `${other}:${this.stream.between(1, 2)}`;
  }

  anyKey(): Bytes {
    return this.key(this.pick(TYPES));
  }

  name(): Bytes {
    return this.pick(NAMES);
  }

  field(): Bytes {
    return this.isHostile ? this.text() : this.pick(FIELDS);
  }

  /** Any bytes: empty, short, long, binary. */
  text(): Bytes {
    if (this.stream.chance(70)) return this.pick([...NAMES, ...INTEGERS, 'text', '1.5']);
    if (this.stream.chance(20)) return this.pick([...BORDERS, ...NO_INTEGERS]);
    const length = this.pick([1, 3, 20, 63, 64, 65, 200]);
    return Buffer.from(this.stream.bytes(length)).toString('latin1');
  }

  integer(): Bytes {
    if (!this.isHostile) return this.pick(INTEGERS);
    return this.pick(this.stream.chance(50) ? BORDERS : NO_INTEGERS);
  }

  /** A positive number up to `most`, as a text. */
  upTo(most: number): Bytes {
    return this.isHostile ? this.integer() : String(this.stream.between(1, most));
  }

  score(): Bytes {
    if (!this.isHostile) return this.pick(SCORES);
    return this.pick(this.stream.chance(60) ? HARD_SCORES : NO_SCORES);
  }

  /** One end of a range of scores. */
  bound(): Bytes {
    const end = this.stream.chance(25) ? this.pick(['-inf', '+inf']) : this.score();
    return this.stream.chance(25) ? `(${end}` : end;
  }

  /** An id of an entry of a stream. */
  id(): Bytes {
    if (this.isHostile)
      return this.pick([
        '',
        '-',
        '5-',
        '-5',
        '1-2-3',
        'x',
        '0-0',
        '0',
        '18446744073709551615-0',
        '1-x',
        '01-1',
        '+',
      ]);
    const milliseconds = this.stream.between(1, 12);
    return this.stream.chance(50) ? String(milliseconds) : `${milliseconds}-${this.stream.between(0, 3)}`;
  }

  /** An id that is mostly above the earlier ones. */
  risingId(): Bytes {
    if (this.isHostile) return this.id();
    if (this.stream.chance(80)) this.#rising++;
    return this.stream.chance(50) ? String(this.#rising) : `${this.#rising}-${this.stream.between(0, 2)}`;
  }

  /** Milliseconds of a life. */
  life(): Bytes {
    return this.isHostile ? this.integer() : this.pick(['1', '2', '3', '50', '1000', '60000', '100000']);
  }
}

/** A text whose capital and small letters are mixed: commands and their words are not told apart by them. */
export function mixedCase(word: Bytes, stream: Stream): Bytes {
  if (stream.chance(90)) return word;
  return [...word].map(sign => (stream.chance(50) ? sign.toLowerCase() : sign.toUpperCase())).join('');
}
