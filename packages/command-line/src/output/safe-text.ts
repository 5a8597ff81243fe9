/** Characters that a terminal acts on instead of showing them, and those that turn the direction of a text. */
const CONTROL = /[\p{Cc}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

/** A text of the outside as one line of a terminal: control characters are shown as escapes. */
export function safeText(text: string): string {
  return text.replace(CONTROL, character => {
    const json = JSON.stringify(character).slice(1, -1);
    return json === character ? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}` : json;
  });
}

/** Characters that take two columns: most of East Asian scripts, and emoji. */
const WIDE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\u3000-\u303f\uff01-\uff60]/u;
/** Characters that stand on the one before them. */
const MARK = /\p{Mn}|\p{Me}|\u200d|\ufe0f/u;

function columnsOf(character: string): number {
  return MARK.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
}

/** How many columns of a terminal a text takes. */
export function textWidth(text: string): number {
  let columns = 0;
  for (const character of text) columns += columnsOf(character);
  return columns;
}

/** A text in at most so many columns; what is missing is an ellipsis. */
export function cutText(text: string, width: number): string {
  if (textWidth(text) <= width) return text;
  let truncated = '';
  let columns = 1; // of the ellipsis
  for (const character of text) {
    columns += columnsOf(character);
    if (columns > width) break;
    truncated += character;
  }
  return `${truncated}…`;
}

/** A text as lines of at most so many columns, broken at spaces; a longer word stays whole. */
export function wrapText(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (line === '' || textWidth(longer) <= width) line = longer;
    else {
      lines.push(line);
      line = word;
    }
  }
  return [...lines, line];
}

/** A text filled with spaces up to a number of columns. */
export function padText(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - textWidth(text)));
}
