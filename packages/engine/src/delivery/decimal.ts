/** A text that a scan reads one UTF-16 unit at a time. Tests count the reads. */
export type Characters = Pick<string, 'length' | 'charCodeAt'>;

const PLUS = 0x2b;
const MINUS = 0x2d;
const POINT = 0x2e;
const EXPONENT = 0x65;
/** Sets the bit that tells `E` from `e`. */
const LOWER_CASE = 0x20;

/**
 * True for a decimal numeral: a sign, digits with at most one point among or beside them, an exponent; only one digit is
 * required. A peer chooses the text, so each character is read a constant number of times.
 */
export function isDecimal(text: Characters): boolean {
  const from = afterSign(text, 0);
  let at = afterDigits(text, from);
  let digits = at - from;
  if (text.charCodeAt(at) === POINT) {
    const fraction = at + 1;
    at = afterDigits(text, fraction);
    digits += at - fraction;
  }
  if (digits === 0) return false;
  if ((text.charCodeAt(at) | LOWER_CASE) !== EXPONENT) return at === text.length;
  const exponent = afterSign(text, at + 1);
  return exponent < text.length && afterDigits(text, exponent) === text.length;
}

function afterSign(text: Characters, at: number): number {
  const unit = text.charCodeAt(at);
  return unit === PLUS || unit === MINUS ? at + 1 : at;
}

function afterDigits(text: Characters, from: number): number {
  let at = from;
  while (isDigit(text.charCodeAt(at))) at++;
  return at;
}

/** False for NaN, which `charCodeAt` returns past the end of the text. */
function isDigit(unit: number): boolean {
  return unit >= 0x30 && unit <= 0x39;
}
