import type { Stream } from '../../../src/kernel/stream.ts';

const NUMBERS = [
  '0',
  '1',
  '-1',
  '2',
  '0.1',
  '0.5',
  '1/3',
  '2.5',
  '-7.25',
  '100',
  '1e14',
  '1e15',
  '123456789012345',
  '2^53',
  '1e-5',
  '1e300',
  '-0.0',
];
const TEXTS = [
  '""',
  '"a"',
  '"abc"',
  '"10"',
  '" 7 "',
  '"0x1f"',
  '"1e3"',
  '"a\\0b"',
  '"\\200\\255"',
  '"key=value; k2=v2"',
  '"[x](y)"',
  '"%d"',
  '"x.y-z"',
];
const OTHERS = [
  'nil',
  'true',
  'false',
  '{}',
  '{1, 2, 3}',
  '{a = 1, b = "x"}',
  '{1, nil, 3}',
  'cjson.null',
  'KEYS',
  'ARGV[1]',
  'missing',
];
const PATTERN_PARTS = [
  'a',
  '.',
  '%a',
  '%d',
  '%s',
  '%w',
  '%p',
  '%x',
  '%W',
  '[abc]',
  '[^a]',
  '[a-z]',
  '[%w_]',
  '%.',
  '%%',
  '=',
  '(',
  ')',
  '()',
  '%1',
  '%b()',
  '%f[%a]',
  '^',
  '$',
  '%',
  '[',
  'x',
];
const REPEATS = ['', '', '', '*', '+', '-', '?'];
const FLAGS = ['', '', '-', '0', '+', ' ', '#'];
const LETTERS = ['d', 'i', 'u', 'x', 'X', 'o', 'c', 'e', 'E', 'f', 'g', 'G', 's', 'q'];
const OPERATORS = ['+', '-', '*', '/', '%', '^', '..', '==', '~=', '<', '<=', '>', '>=', 'and', 'or'];
const JSON_PARTS = [
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '"a"',
  '"b"',
  '1',
  '-2.5',
  'true',
  'false',
  'null',
  'NaN',
  '0x1F',
  '1e5',
  ' ',
  '"\\\\n"',
  '"\\\\u00e9"',
];

/** A script of one kind among several, with hostile values in all places. */
export function drawScript(draw: Stream): string {
  const kinds = [
    expressionScript,
    formatScript,
    patternScript,
    jsonScript,
    tableScript,
    stringScript,
    numberScript,
    errorScript,
  ];
  return pick(draw, kinds)(draw);
}

function pick<T>(draw: Stream, list: readonly T[]): T {
  return list[draw.below(list.length)] as T;
}

function value(draw: Stream): string {
  if (draw.chance(45)) return number(draw);
  return draw.chance(60) ? pick(draw, TEXTS) : pick(draw, OTHERS);
}

/** A number of every size, now and then with all its digits. */
function number(draw: Stream): string {
  if (draw.chance(40)) return pick(draw, NUMBERS);
  const digits = draw.between(1, 18);
  const text = Array.from({ length: digits }, () => draw.below(10)).join('');
  const point = draw.chance(50) ? `.${draw.below(100000)}` : '';
  const exponent = draw.chance(30) ? `e${draw.between(-30, 30)}` : '';
  return `${draw.chance(30) ? '-' : ''}${text}${point}${exponent}`;
}

function expression(draw: Stream, depth: number): string {
  if (depth === 0) return value(draw);
  if (draw.chance(15)) return `${pick(draw, ['-', 'not ', '#'])}(${expression(draw, depth - 1)})`;
  return `(${expression(draw, depth - 1)} ${pick(draw, OPERATORS)} ${expression(draw, depth - 1)})`;
}

/** Every kind of value as a text, so that its digits are compared; a table by its type. */
const SHOWN =
  'local function shown(v) if type(v) == "table" or type(v) == "function" then return type(v) end return tostring(v) end ';

function expressionScript(draw: Stream): string {
  return `${SHOWN}local a, b = ${value(draw)}, ${value(draw)} return {shown(${expression(draw, draw.between(1, 3))}), shown(a), shown(b)}`;
}

function formatScript(draw: Stream): string {
  const width = draw.chance(40) ? String(draw.below(30)) : '';
  const precision = draw.chance(50) ? `.${draw.below(25)}` : '';
  const form = `%${pick(draw, FLAGS)}${width}${precision}${pick(draw, LETTERS)}`;
  return `return string.format("${form}|", ${draw.chance(85) ? number(draw) : value(draw)})`;
}

function pattern(draw: Stream): string {
  return Array.from(
    { length: draw.between(1, 5) },
    () => pick(draw, PATTERN_PARTS) + pick(draw, REPEATS),
  ).join('');
}

function subject(draw: Stream): string {
  return draw.chance(50) ? '"key=value; (k2)=v2 %x a.b abc abc"' : pick(draw, TEXTS);
}

function patternScript(draw: Stream): string {
  const call = pick(draw, ['find', 'match', 'gsub']);
  const replacement = pick(draw, [
    '"<%0>"',
    '"%1"',
    '{a = "A", abc = "ABC", k = 5}',
    'function(x) return x .. "!" end',
    '"%%"',
  ]);
  const rest = call === 'gsub' ? `, ${replacement}` : draw.chance(30) ? `, ${draw.between(-4, 10)}` : '';
  if (draw.chance(15))
    return `local n = 0 for a in (${subject(draw)}):gmatch("${pattern(draw)}") do n = n + #tostring(a) end return n`;
  return `return {string.${call}(${subject(draw)}, "${pattern(draw)}"${rest})}`;
}

function jsonScript(draw: Stream): string {
  if (draw.chance(50)) {
    const text = Array.from({ length: draw.between(1, 7) }, () => pick(draw, JSON_PARTS)).join('');
    return `local v = cjson.decode('${text}') return type(v) == "table" and cjson.encode(v) or tostring(v)`;
  }
  return `return ${pick(draw, ['cjson.encode', 'cmsgpack.pack'])}(${tableText(draw, 2)})`;
}

function tableText(draw: Stream, depth: number): string {
  const fields = Array.from({ length: draw.below(6) }, (_, index) => {
    const content =
      depth > 0 && draw.chance(30) ? tableText(draw, depth - 1) : value(draw).replace('missing', '1');
    if (draw.chance(60)) return content;
    return draw.chance(60)
      ? `k${draw.below(9)}${index} = ${content}`
      : `[${draw.between(-2, 12)}] = ${content}`;
  });
  return `{${fields.join(', ')}}`;
}

function tableScript(draw: Stream): string {
  const steps = Array.from({ length: draw.between(1, 12) }, () => {
    const at = draw.between(-1, 9);
    return pick(draw, [
      `t[${at}] = ${number(draw)}`,
      `t[${at}] = nil`,
      `t[#t + 1] = ${at}`,
      `t["k${at}"] = ${at}`,
      `table.insert(t, ${at})`,
      `table.insert(t, ${draw.between(1, 4)}, ${at})`,
      'table.remove(t)',
      `table.remove(t, ${at})`,
    ]);
  });
  return `local t = ${tableText(draw, 0)} ${steps.join(' ')} local s = #t .. ":" for k, v in pairs(t) do s = s .. tostring(k) .. "=" .. (type(v) == "table" and "t" or tostring(v)) .. " " end return s`;
}

function stringScript(draw: Stream): string {
  const name = pick(draw, ['sub', 'byte', 'rep', 'upper', 'lower', 'reverse', 'len', 'char']);
  const rest = Array.from(
    { length: draw.below(3) },
    () => `, ${name === 'rep' || draw.chance(85) ? draw.between(-5, 8) : value(draw)}`,
  ).join('');
  return `return {string.${name}(${name === 'char' ? draw.below(300) : value(draw)}${rest})}`;
}

function numberScript(draw: Stream): string {
  const name = pick(draw, ['floor', 'ceil', 'abs', 'sqrt', 'modf', 'frexp', 'fmod', 'max', 'min', 'ldexp']);
  if (draw.chance(50)) return `return tostring(${pick(draw, ['tonumber', '-'])}(${value(draw)}))`;
  const second = ['fmod', 'max', 'min'].includes(name)
    ? `, ${value(draw)}`
    : name === 'ldexp'
      ? `, ${draw.between(-1100, 1100)}`
      : '';
  return `local a, b = math.${name}(${value(draw)}${second}) return {tostring(a), tostring(b)}`;
}

function errorScript(draw: Stream): string {
  const target = pick(draw, [
    'a',
    'a.b',
    'a[1]',
    'a["x y"]',
    'u',
    'u.v',
    'f()',
    '(a or u)',
    'missing',
    'string.x',
    'a.b.c',
  ]);
  const use = pick(draw, [
    `${target}.z`,
    `${target} + 1`,
    `1 .. ${target}`,
    `${target} .. "x"`,
    `#${target}`,
    `-${target}`,
    `${target}()`,
    `${target}:m()`,
    `${target} < 1`,
    `tostring(${target} * 2)`,
  ]);
  return `${SHOWN}local u = ${value(draw)} local function f() return ${value(draw)} end local function g()\nlocal a = ${value(draw)}\nreturn shown(${use}) end return {${pick(draw, ['g()', 'pcall(g)'])}}`;
}
