const CONTROLS = /[\p{Cc}\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

function shownControl(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return `⟨U+${code.toString(16).toUpperCase().padStart(4, '0')}⟩`;
}

/** A text of so many characters stays on one line, whatever room its column has. */
const SHORT = 20;

/** The class of a name: a short one is not broken, a long one anywhere. */
export function breakOf(text: string): string {
  return text.length <= SHORT ? 'nowrap' : 'wrap';
}

/** A text whose control and bidirectional characters are seen. */
export function visible(text: string): string {
  return text.replace(CONTROLS, shownControl);
}

/** The same for a text of several lines. */
export function visibleLines(text: string): string {
  return text.replace(CONTROLS, character =>
    character === '\n' || character === '\t' ? character : shownControl(character),
  );
}

const WHOLE = new Intl.NumberFormat('en');

/** 48,211 */
export function whole(number: number): string {
  return WHOLE.format(number);
}

/** 14.2 kB, in powers of 1000. */
export function bytes(number: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'] as const;
  let value = number;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${unit === 0 ? whole(value) : value.toFixed(1)} ${units[unit]}`;
}

/** One letter, 3 letters. */
export function counted(number: number, noun: string, plural = `${noun}s`): string {
  return `${whole(number)} ${number === 1 ? noun : plural}`;
}

/** 29 min 51 s */
export function span(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return seconds % 60 === 0 ? `${minutes} min` : `${minutes} min ${seconds % 60} s`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

/** 2 min ago */
export function ago(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 2) return 'just now';
  if (seconds < 60) return `${seconds} s ago`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ago`;
  const hours = Math.floor(minutes / 60);
  return `${hours} h ago`;
}

/** With a capital letter. */
export function sentence(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

/** An argument as a shell reads it. */
function quoted(argument: string): string {
  return /^[\w@%+=:,./-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", `'\\''`)}'`;
}

/** The command line of arguments: `msg channels get public:shop.news`. An argument that begins with a dash is a value. */
export function commandLine(...words: readonly string[]): string {
  return ['msg', ...words.map(quoted)].join(' ');
}
