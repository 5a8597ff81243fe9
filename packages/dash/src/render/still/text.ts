import { textWidth } from '../chart/text-width.ts';

/** Characters that XML cannot hold or that act instead of being shown. */
const ACTIVE = /[^\P{Cc}]|[\p{Bidi_Control}\u2028\u2029\ufffe\uffff]/gu;
const MARKUP: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Text that no parser takes for markup. */
export function escapeXml(text: string): string {
  return text
    .toWellFormed()
    .replace(ACTIVE, '\ufffd')
    .replace(/[&<>"]/g, character => MARKUP[character] ?? '');
}

/** The lines of a text within a width; a word that is wider is cut. At most `most`, the last one with an ellipsis. */
export function linesOf(text: string, width: number, size: number, most = 200): string[] {
  const lines: string[] = [];
  for (const paragraph of text.split('\n')) {
    let line = '';
    for (const word of paragraph.split(' ')) {
      const longer = line === '' ? word : `${line} ${word}`;
      if (line === '' || textWidth(longer, size) <= width) line = longer;
      else {
        lines.push(fitted(line, width, size));
        line = word;
      }
      if (lines.length > most) break;
    }
    lines.push(fitted(line, width, size));
    if (lines.length > most) break;
  }
  if (lines.length <= most) return lines;
  return [...lines.slice(0, most - 1), fitted(`${lines[most - 1] ?? ''} …`, width, size)];
}

/** A text that is cut where it is wider, with an ellipsis. */
export function fitted(text: string, width: number, size: number): string {
  if (textWidth(text, size) <= width) return text;
  const characters = [...text.slice(0, Math.ceil(width))];
  let sum = textWidth('…', size);
  let end = 0;
  for (const character of characters) {
    sum += textWidth(character, size);
    if (sum > width) break;
    end += 1;
  }
  return `${characters.slice(0, end).join('')}…`;
}
