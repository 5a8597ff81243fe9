/** Longest piece of an input that an error, a log line or a page repeats. */
const MOST_SHOWN = 200;
/** Longest text of an error: its own words with several pieces of input among them. */
const LONGEST_SENTENCE = 1_000;
/** Longest error as JSON, its suggested operations apart (review details 7.2). */
const MOST_ERROR_BYTES = 8 * 1024;
/** Code and names of an error around its message and its details. */
const ENVELOPE_BYTES = 128;
/**
 * How much of the details an error shows: the first row whose JSON is short enough. A list of an error has at most 50
 * entries (dashboard details 17); `pieces` counts all displayed values, nested lists included.
 */
const AMOUNTS = [
  { list: 50, pieces: 2_500 },
  { list: 20, pieces: 500 },
  { list: 8, pieces: 120 },
  { list: 3, pieces: 40 },
  { list: 1, pieces: 15 },
  { list: 0, pieces: 8 },
] as const;
/** Members of details that a caller uses as they are; their makers bound them. */
const VERBATIM: ReadonlySet<string> = new Set(['suggestedOps', 'stored', 'variable']);
/** Members of details with sentences of this service, whose input is already truncated. */
const SENTENCES: ReadonlySet<string> = new Set(['message', 'reason']);
/** Characters that a terminal or an editor interprets instead of showing: controls, line ends, bidirectional controls. */
const ACTIVE = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/u;
const EVERY_ACTIVE = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu;

/** True for text with a control character, a line end or a bidirectional control, which can hide other text. */
export function hasControls(text: string): boolean {
  return ACTIVE.test(text);
}

/** Controls, line ends and bidirectional controls as `\uXXXX`. */
export function escapeControls(text: string): string {
  return text.replace(
    EVERY_ACTIVE,
    character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** A piece of input for messages: at most 200 characters, controls escaped. */
export function display(text: string): string {
  return truncate(escapeControls(text.slice(0, MOST_SHOWN + 1)), MOST_SHOWN);
}

/** A JSON value for messages: a scalar as its text, a list or object as its kind. */
export function displayValue(value: unknown): string {
  if (typeof value === 'string') return `"${display(value)}"`;
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object' && value !== null) return 'an object';
  return value === undefined ? 'nothing' : String(value);
}

/** The end of a message about an unknown name, with the nearest known one, if any. */
export function didYouMean(nearest: readonly string[]): string {
  return nearest[0] === undefined ? '.' : `; did you mean "${display(nearest[0])}"?`;
}

/** A message, truncated to the maximum length. */
export function displaySentence(text: string): string {
  return truncate(text, LONGEST_SENTENCE);
}

/**
 * Details of an error without members that are undefined, with every text in them truncated to 200 characters and every
 * list to 50 entries, fewer where the error with this message would be longer than 8 kB.
 */
export function displayDetails(
  details: Readonly<Record<string, unknown>>,
  message: string,
): Readonly<Record<string, unknown>> {
  const most = MOST_ERROR_BYTES - ENVELOPE_BYTES - bytesOf(message);
  let shown: Record<string, unknown> = {};
  for (const { list, pieces } of AMOUNTS) {
    shown = members(details, { list, pieces }, VERBATIM);
    if (bytesOf({ ...shown, suggestedOps: undefined }) <= most) return shown;
  }
  return shown;
}

function bytesOf(value: unknown): number {
  return new TextEncoder().encode(JSON.stringify(value)).length;
}

/** What is left to show. */
interface Amount {
  readonly list: number;
  pieces: number;
}

function members(value: object, left: Amount, verbatim?: ReadonlySet<string>): Record<string, unknown> {
  const pieces: [string, unknown][] = [];
  for (const [name, member] of Object.entries(value)) {
    if (left.pieces <= 0) break;
    if (member === undefined) continue;
    const isVerbatim = verbatim?.has(name) === true;
    pieces.push([truncate(name, MOST_SHOWN), isVerbatim ? member : piece(member, left, SENTENCES.has(name))]);
  }
  return Object.fromEntries(pieces);
}

function piece(value: unknown, left: Amount, sentence = false): unknown {
  left.pieces--;
  if (typeof value === 'string') return sentence ? displaySentence(value) : truncate(value, MOST_SHOWN);
  if (typeof value !== 'object' || value === null) return value;
  if (!Array.isArray(value)) return members(value, left);
  return value
    .slice(0, left.list)
    .filter(() => left.pieces > 0)
    .map(item => piece(item, left));
}

/** The start of a text, an ellipsis in place of the rest; never half of a surrogate pair. */
function truncate(text: string, longest: number): string {
  return text.length <= longest ? text : `${text.slice(0, longest - 1).toWellFormed()}…`;
}
