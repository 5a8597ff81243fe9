const BITS = new DataView(new ArrayBuffer(8));

/** A number above zero as 0.d1d2d3… × 10^point, without trailing zeros; d1 is not zero. */
interface Decimal {
  readonly digits: string;
  readonly point: number;
}

/** All digits of a finite number above zero: a double is a whole number of powers of two, so they end. */
function exactDecimal(number: number): Decimal {
  BITS.setFloat64(0, number);
  const bits = BITS.getBigUint64(0);
  const exponent = Number((bits >> 52n) & 0x7ffn);
  const fraction = bits & 0xfffffffffffffn;
  const mantissa = exponent === 0 ? fraction : fraction | 0x10000000000000n;
  const power = (exponent === 0 ? 1 : exponent) - 1075;
  const whole = power >= 0 ? mantissa << BigInt(power) : mantissa * 5n ** BigInt(-power);
  const digits = whole.toString();
  return { digits: withoutZeros(digits), point: digits.length + Math.min(power, 0) };
}

/** Keeps so many digits, ties to even, as C does; the result may have fewer. */
function rounded({ digits, point }: Decimal, count: number): Decimal {
  if (count < 0) return { digits: '', point };
  if (digits.length <= count) return { digits, point };
  const rest = digits.slice(count);
  const isOdd = count > 0 && Number(digits[count - 1]) % 2 === 1;
  const isUp = rest > '5' || (rest === '5' && isOdd);
  const head = digits.slice(0, count);
  if (!isUp) return { digits: head, point };
  const raised = (BigInt(`0${head}`) + 1n).toString().padStart(count, '0');
  return { digits: raised, point: raised.length > count ? point + 1 : point };
}

/** The digits before and after the point with so many decimals, as `%f`. */
export function fixed(number: number, decimals: number): string {
  if (number === 0) return decimals > 0 ? `0.${'0'.repeat(decimals)}` : '0';
  const exact = exactDecimal(number);
  const { digits, point } = rounded(exact, exact.point + decimals);
  const whole = point > 0 ? digits.slice(0, point).padEnd(point, '0') : '0';
  const zeros = point < 0 ? '0'.repeat(Math.min(-point, decimals)) : '';
  const fraction = (zeros + digits.slice(Math.max(point, 0))).padEnd(decimals, '0').slice(0, decimals);
  return decimals > 0 ? `${whole}.${fraction}` : whole;
}

/** As `%e`, with so many decimals. */
export function exponential(number: number, decimals: number): string {
  if (number === 0) return `${fixed(0, decimals)}e+00`;
  const { digits, point } = rounded(exactDecimal(number), decimals + 1);
  const text = digits.padEnd(decimals + 1, '0').slice(0, decimals + 1);
  return (decimals > 0 ? `${text[0]}.${text.slice(1)}` : text) + exponentOf(point - 1);
}

/** As `%g` with so many significant digits; `keepZeros` is the flag `#`. */
export function general(number: number, precision: number, keepZeros = false): string {
  const count = precision === 0 ? 1 : precision;
  const { digits, point } = number === 0 ? { digits: '0', point: 1 } : rounded(exactDecimal(number), count);
  const exponent = point - 1;
  const shown = keepZeros ? digits.padEnd(count, '0').slice(0, count) : withoutZeros(digits);
  if (exponent < -4 || exponent >= count) {
    const fraction = shown.slice(1);
    return `${shown[0]}${fraction === '' && !keepZeros ? '' : `.${fraction}`}${exponentOf(exponent)}`;
  }
  if (point <= 0) return `0.${'0'.repeat(-point)}${shown}`;
  const whole = shown.slice(0, point).padEnd(point, '0');
  const fraction = shown.slice(point);
  return fraction === '' && !keepZeros ? whole : `${whole}.${fraction}`;
}

/** Without the zeros at the end; a lone zero stays. */
function withoutZeros(digits: string): string {
  let end = digits.length;
  while (end > 1 && digits[end - 1] === '0') end--;
  return digits.slice(0, end);
}

function exponentOf(exponent: number): string {
  return `e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
}
