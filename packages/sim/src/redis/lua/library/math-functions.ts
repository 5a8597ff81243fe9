import { argumentFailure, FROM_LIBRARY, libraryFailure } from '../failure.ts';
import { power } from '../operators.ts';
import { type LuaFunction, NOTHING, type Value } from '../value.ts';
import { intAt, numberAt } from './arguments.ts';
import { drawFraction, seedNumbers } from './random.ts';

const BITS = new DataView(new ArrayBuffer(8));

function frexp(number: number): readonly [number, number] {
  if (number === 0 || !Number.isFinite(number)) return [number, 0];
  BITS.setFloat64(0, number);
  const exponent = (BITS.getUint16(0) >> 4) & 0x7ff;
  // A number below the normal ones is made normal first.
  if (exponent === 0) {
    const [mantissa, power] = frexp(number * 2 ** 64);
    return [mantissa, power - 64];
  }
  BITS.setUint16(0, (BITS.getUint16(0) & 0x800f) | (1022 << 4));
  return [BITS.getFloat64(0), exponent - 1022];
}

function ldexp(number: number, exponent: number): number {
  let rest = Math.max(-2200, Math.min(exponent, 2200));
  let result = number;
  while (rest > 1000) {
    result *= 2 ** 1000;
    rest -= 1000;
  }
  // Below the normal numbers only the last step may round.
  if (rest < -1000) {
    const [mantissa, power] = frexp(number);
    const total = power + rest;
    if (total < -1100) return mantissa * 0;
    return (
      mantissa *
      2 ** -52 *
      2 ** (total + 52 < -1074 ? -1074 : total + 52) *
      (total + 52 < -1074 ? 2 ** (total + 52 + 1074) : 1)
    );
  }
  return result * 2 ** rest;
}

function modf(number: number): readonly Value[] {
  const whole = Math.trunc(number);
  const fraction = Number.isFinite(number) ? number - whole : Number.isNaN(number) ? number : 0;
  return [whole, fraction === 0 ? Math.sign(number) * 0 : fraction];
}

function extreme(values: readonly Value[], isBetter: (left: number, right: number) => boolean): number {
  let best = numberAt(values, 1);
  for (let position = 2; position <= values.length; position++) {
    const number = numberAt(values, position);
    if (isBetter(number, best)) best = number;
  }
  return best;
}

function random(values: readonly Value[]): number {
  const fraction = drawFraction();
  if (values.length === 0) return fraction;
  if (values.length > 2) throw libraryFailure('wrong number of arguments');
  const low = values.length === 1 ? 1 : intAt(values, 1);
  const high = intAt(values, values.length);
  if (low > high) throw argumentFailure(values.length, 'interval is empty');
  return values.length === 1
    ? Math.floor(fraction * high) + 1
    : Math.floor(fraction * (high - low + 1)) + low;
}

/** A function of two numbers; C looks at the second one first. */
function ofTwo(calculate: (left: number, right: number) => number): LuaFunction {
  return (...values) => {
    const right = numberAt(values, 2);
    return calculate(numberAt(values, 1), right);
  };
}

function of(calculate: (number: number) => number): LuaFunction {
  return (...values) => calculate(numberAt(values, 1));
}

/** The table `math`. */
export const MATH: Readonly<Record<string, LuaFunction | number>> = {
  abs: of(Math.abs),
  acos: of(Math.acos),
  asin: of(Math.asin),
  atan: of(Math.atan),
  atan2: ofTwo(Math.atan2),
  ceil: of(Math.ceil),
  cos: of(Math.cos),
  cosh: of(Math.cosh),
  deg: of(number => number / (Math.PI / 180)),
  exp: of(Math.exp),
  floor: of(Math.floor),
  fmod: ofTwo((left, right) => left % right),
  frexp: (...values) => frexp(numberAt(values, 1)),
  huge: Number.POSITIVE_INFINITY,
  ldexp: (...values) => {
    const exponent = intAt(values, 2);
    return ldexp(numberAt(values, 1), exponent);
  },
  log: of(Math.log),
  log10: of(Math.log10),
  max: (...values) => extreme(values, (left, right) => left > right),
  min: (...values) => extreme(values, (left, right) => left < right),
  mod: ofTwo((left, right) => left % right),
  modf: (...values) => modf(numberAt(values, 1)),
  pi: Math.PI,
  pow: ofTwo((left, right) => power(left, right, FROM_LIBRARY)),
  rad: of(number => number * (Math.PI / 180)),
  random: (...values) => random(values),
  randomseed: (...values) => {
    seedNumbers(intAt(values, 1));
    return NOTHING;
  },
  sin: of(Math.sin),
  sinh: of(Math.sinh),
  sqrt: of(Math.sqrt),
  tan: of(Math.tan),
  tanh: of(Math.tanh),
};
