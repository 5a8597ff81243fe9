/** Longest piece of an input that an error, a log line or a page repeats. */
const MOST_SHOWN = 200;
/** Longest text of an error: its own words with several pieces of input among them. */
const LONGEST_SENTENCE = 1_000;
/** Longest displayed list of an error (dashboard details 17). */
const LONGEST_LIST = 50;
/** Number of displayed values in the details of an error, nested lists included. */
const MOST_PIECES = 2_500;
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

/** Details of an error without members that are undefined, with every text in them truncated to 200 characters and every list to 50 entries. */
export function displayDetails(
  details: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  return members(details, { pieces: MOST_PIECES });
}

function members(value: object, left: { pieces: number }): Record<string, unknown> {
  const kept: [string, unknown][] = [];
  for (const [name, member] of Object.entries(value)) {
    if (left.pieces <= 0) break;
    if (member === undefined) continue;
    kept.push([truncate(name, MOST_SHOWN), piece(member, left, SENTENCES.has(name))]);
  }
  return Object.fromEntries(kept);
}

function piece(value: unknown, left: { pieces: number }, sentence = false): unknown {
  left.pieces--;
  if (typeof value === 'string') return sentence ? displaySentence(value) : truncate(value, MOST_SHOWN);
  if (typeof value !== 'object' || value === null) return value;
  if (!Array.isArray(value)) return members(value, left);
  return value
    .slice(0, LONGEST_LIST)
    .filter(() => left.pieces > 0)
    .map(item => piece(item, left));
}

/** The start of a text, an ellipsis in place of the rest; never half of a surrogate pair. */
function truncate(text: string, longest: number): string {
  return text.length <= longest ? text : `${text.slice(0, longest - 1).toWellFormed()}…`;
}
