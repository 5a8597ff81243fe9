import { type AST, RegExpParser } from '@eslint-community/regexpp';

/** A bounded repetition of more than this is taken for an endless one: its bound is no comfort. */
const MOST_COPIES = 8;

/**
 * One step of a pattern. A `letter` reads a character; the others read nothing: `fork` goes on at any of its targets,
 * the first first; `check` may refuse (an anchor, a word boundary, a lookaround, which is taken to hold); `end` matches.
 */
export interface Step {
  readonly kind: 'letter' | 'fork' | 'check' | 'end';
  next: Step[];
  /** Of a letter: whether it reads this character. */
  reads?: (character: string) => boolean;
  /** Of a check. */
  holds?: (text: readonly string[], at: number) => boolean;
  /** Of a check that holds at the start of the text alone. */
  readonly atStart?: boolean;
  /** Of a fork that repeats: an iteration that reads nothing ends it. */
  repeats?: true;
}

/** A pattern as steps, with one character for each kind of characters that it tells apart. */
export interface Program {
  readonly start: Step;
  readonly letters: readonly Step[];
  readonly alphabet: readonly string[];
  /** Matches begin where the text begins, or where the last one ended: no later place is tried. */
  readonly anchored: boolean;
  readonly global: boolean;
}

/** @throws Error for what this reading of patterns does not know: back references, and loops in lookarounds. */
export function readPattern(source: string, flags: string): Program {
  const pattern = new RegExpParser().parsePattern(source, undefined, undefined, {
    unicode: flags.includes('u'),
    unicodeSets: flags.includes('v'),
  });
  const builder = new Builder(flags);
  const end: Step = { kind: 'end', next: [] };
  const start = builder.alternatives(pattern.alternatives, end);
  const anchored =
    flags.includes('y') || (!flags.includes('m') && pattern.alternatives.every(startsAnchored));
  return {
    start,
    letters: builder.letters,
    alphabet: alphabetOf(builder.letters, source),
    anchored,
    global: flags.includes('g'),
  };
}

function startsAnchored({ elements: [first] }: AST.Alternative): boolean {
  return first?.type === 'Assertion' && first.kind === 'start';
}

class Builder {
  readonly letters: Step[] = [];
  readonly #flags: string;

  constructor(flags: string) {
    this.#flags = flags.replace(/[gydv]/g, '') + (flags.includes('v') ? 'v' : '');
  }

  alternatives(alternatives: readonly AST.Alternative[], after: Step): Step {
    const next = alternatives.map(({ elements }) => this.#sequence(elements, after));
    return next.length === 1 ? (next[0] as Step) : { kind: 'fork', next };
  }

  #sequence(elements: readonly AST.Element[], after: Step): Step {
    return elements.reduceRight((next, element) => this.#element(element, next), after);
  }

  #element(element: AST.Element, after: Step): Step {
    switch (element.type) {
      case 'Character':
      case 'CharacterSet':
      case 'CharacterClass':
      case 'ExpressionCharacterClass':
        return this.#letter(element.raw, after);
      case 'Group':
      case 'CapturingGroup':
        return this.alternatives(element.alternatives, after);
      case 'Quantifier':
        return this.#repetition(element, after);
      case 'Assertion':
        return this.#check(element, after);
      case 'Backreference':
        throw new Error(`back reference ${element.raw}`);
    }
  }

  #letter(raw: string, after: Step): Step {
    const one = new RegExp(`^(?:${raw})$`, `${this.#flags}${/[uv]/.test(this.#flags) ? '' : 'u'}`);
    const plain = /[uv]/.test(this.#flags) ? one : new RegExp(`^(?:${raw})$`, this.#flags);
    const step: Step = { kind: 'letter', next: [after], reads: character => plain.test(character) };
    this.letters.push(step);
    return step;
  }

  #repetition({ element, min, max }: AST.Quantifier, after: Step): Step {
    let next = after;
    if (max > MOST_COPIES) {
      const loop: Step = { kind: 'fork', next: [], repeats: true };
      loop.next = [this.#element(element as AST.Element, loop), after];
      next = loop;
    } else {
      for (let copy = min; copy < max; copy++) {
        next = { kind: 'fork', next: [this.#element(element as AST.Element, next), after] };
      }
    }
    for (let copy = 0; copy < Math.min(min, MOST_COPIES); copy++)
      next = this.#element(element as AST.Element, next);
    return next;
  }

  #check(assertion: AST.Assertion, after: Step): Step {
    if (assertion.kind === 'lookahead' || assertion.kind === 'lookbehind') {
      if (/[*+]|\{\d+,\}/.test(assertion.raw)) throw new Error(`a loop in ${assertion.raw}`);
      return { kind: 'check', next: [after], holds: () => true };
    }
    const isWord = (character: string | undefined) => character !== undefined && /\w/.test(character);
    const holds = {
      start: (_text: readonly string[], at: number) => at === 0,
      end: (text: readonly string[], at: number) => at === text.length,
      word: (text: readonly string[], at: number) => isWord(text[at - 1]) !== isWord(text[at]),
    }[assertion.kind];
    const atStart = assertion.kind === 'start' && !this.#flags.includes('m');
    return { kind: 'check', next: [after], holds, atStart };
  }
}

/** Characters of every kind that patterns of sources tell apart. */
const SAMPLES = [
  ...Array.from({ length: 0x80 }, (_, code) => String.fromCharCode(code)),
  ...[
    '\u0085',
    '\u00a0',
    '¹',
    'µ',
    'é',
    'μ',
    'ſ',
    '\u200f',
    '\u2028',
    '\u202e',
    '\u212a',
    '中',
    '\ufeff',
    '\ufffd',
  ],
  ...['😀', '\ud800'],
];

/** One character for each set of letters that read the same characters. */
function alphabetOf(letters: readonly Step[], source: string): string[] {
  const kinds = new Map<string, string>();
  for (const character of [...'a0', ...SAMPLES, ...source]) {
    const kind = letters.map(({ reads }) => (reads?.(character) === true ? 1 : 0)).join('');
    if (!kinds.has(kind)) kinds.set(kind, character);
  }
  return [...kinds.values()];
}
