const MAX = 2n ** 64n;

/** A text as a number of a base, as `strtoul` reads it with blanks on both sides; undefined when it is not a number. */
export function wholeStart(text: string, base: number): number | undefined {
  const match = /^[ \t\n\v\f\r]*([+-]?)/.exec(text);
  let body = text.slice(match?.[0].length);
  if (base === 16 && /^0x[\da-f]/i.test(body)) body = body.slice(2);
  let length = 0;
  let number = 0n;
  while (length < body.length) {
    const digit = digitOf(body.charCodeAt(length));
    if (digit >= base) break;
    number = number * BigInt(base) + BigInt(digit);
    length++;
  }
  if (length === 0 || !/^[ \t\n\v\f\r]*$/.test(body.slice(length))) return undefined;
  if (number >= MAX) return Number(MAX - 1n);
  return Number(match?.[1] === '-' ? BigInt.asUintN(64, -number) : number);
}

function digitOf(byte: number): number {
  if (byte >= 48 && byte <= 57) return byte - 48;
  const lower = byte | 32;
  return lower >= 97 && lower <= 122 ? lower - 87 : 99;
}
