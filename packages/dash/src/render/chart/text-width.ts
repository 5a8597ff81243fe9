/** Widths of the characters from space to ~ in DejaVu Sans, in thousandths of the font size; it is wider than most fonts of systems. */
const WIDTHS = [
  318, 401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361, 318, 337, 636, 636, 636, 636, 636,
  636, 636, 636, 636, 636, 337, 337, 838, 838, 838, 531, 1000, 684, 686, 698, 770, 632, 575, 775, 752, 295,
  295, 656, 557, 863, 748, 787, 603, 787, 695, 635, 611, 732, 684, 989, 685, 611, 685, 390, 337, 390, 838,
  500, 500, 613, 635, 550, 635, 615, 352, 635, 634, 278, 278, 579, 278, 974, 634, 612, 635, 635, 411, 521,
  392, 634, 592, 818, 592, 592, 525, 636, 337, 636, 838,
];
const FIRST = 32;
/** Letters beyond ASCII are about as wide as a digit; ideographs and symbols are square. */
const LETTER = 640;
const SQUARE = 1_000;
const SQUARES_FROM = 0x2e80;

/** The width in pixels that a text takes on a page: the server has no fonts to ask. */
export function textWidth(text: string, size: number): number {
  let sum = 0;
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    sum += WIDTHS[code - FIRST] ?? (code < SQUARES_FROM ? LETTER : SQUARE);
  }
  return (sum * size) / 1_000;
}
