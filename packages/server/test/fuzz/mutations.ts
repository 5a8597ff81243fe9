/** A seeded generator: equal seeds give equal sequences, on every machine. */
export interface Seeded {
  /** A whole number from 0 up to below `n`. */
  below(n: number): number;
  of<T>(values: readonly T[]): T;
}

/** mulberry32. */
export function seeded(seed: number): Seeded {
  let state = seed | 0;
  const fraction = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (n: number): number => Math.floor(fraction() * n);
  return { below, of: values => values[below(values.length)] as (typeof values)[number] };
}

/** Values that no member expects. */
const JUNK: readonly unknown[] = [
  null,
  true,
  -1,
  0,
  1.5,
  2 ** 53,
  '',
  'a b',
  'x'.repeat(300),
  'x'.repeat(9000),
  'half \ud800',
  '"\\\u0000\n👋',
  '__proto__',
  'AAAA',
  'eyJhIjo=',
  [],
  {},
  [[]],
  [{}],
  [null],
  { text: 'x' },
  { toString: 1 },
];
const NAMES = ['text', 'ops', 'item', 'open', 'meta', 'status', 'seq', 'take_over', 'cancel', 'nonsense'];

/** The JSON of a value, as it is or with one to three members or characters of it replaced. */
export function mutated(random: Seeded, value: object): string {
  const copy: unknown = structuredClone(value);
  for (let times = random.below(4); times > 0; times--) mutate(random, copy);
  const text = JSON.stringify(copy);
  if (random.below(10) > 0) return text;
  const at = random.below(text.length);
  return (
    text.slice(0, at) +
    random.of(['', '}', '"', '\\u12', '1e999', '\u0000', '{"a":']) +
    text.slice(at + random.below(3))
  );
}

function mutate(random: Seeded, value: unknown): void {
  const place = random.of(places(value));
  const name = Array.isArray(place)
    ? String(random.below(place.length + 1))
    : random.of([...Object.keys(place), random.of(NAMES)]);
  if (random.below(4) === 0) Reflect.deleteProperty(place, name);
  else Reflect.set(place, name, structuredClone(random.of(JUNK)));
}

/** The value and all objects and lists in it. */
function places(value: unknown): readonly object[] {
  if (typeof value !== 'object' || value === null) return [];
  return [value, ...Object.values(value).flatMap(places)];
}

/** The beginning of a body, for a message. */
export const shown = (body: string): string => (body.length > 300 ? `${body.slice(0, 300)}…` : body);
