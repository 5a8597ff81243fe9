import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '#src/document/json.ts';
import { KeySuggestions, RowChecks } from '#src/resolve/row-checks.ts';
import { errorOf, resolveWith, teamPulse } from './team-pulse.ts';

/** A value that counts each look at one of its members, at any depth. */
function counted(value: Json): { value: Json; reads: () => number } {
  let reads = 0;
  const known = new WeakMap<object, object>();
  const wrapped = (inner: unknown): unknown => {
    if (typeof inner !== 'object' || inner === null) return inner;
    const proxy = known.get(inner) ?? new Proxy(inner, handler);
    known.set(inner, proxy);
    return proxy;
  };
  const handler: ProxyHandler<object> = {
    get(target, name, receiver) {
      reads++;
      return wrapped(Reflect.get(target, name, receiver));
    },
    has(target, name) {
      reads++;
      return Reflect.has(target, name);
    },
    getOwnPropertyDescriptor(target, name) {
      reads++;
      return Reflect.getOwnPropertyDescriptor(target, name);
    },
    ownKeys(target) {
      const keys = Reflect.ownKeys(target);
      reads += keys.length;
      return keys;
    },
  };
  return { value: wrapped(value) as Json, reads: () => reads };
}

const numbered = <T>(length: number, make: (index: number) => T): T[] =>
  Array.from({ length }, (_, index) => make(index));

/** The document of dashboard details 1.4 with a connection of these rows and this content in its first block. */
function drawing(rows: Json[], content: JsonObject): JsonObject {
  const document = teamPulse();
  document.connections = [{ id: 'pulse', type: 'static', config: { rows } }];
  document.root.children[1].children[0].config.content = content;
  return document;
}

/** Documents with two lists that an unlucky implementation compares entry by entry. */
const SHAPES: [string, (size: number) => JsonObject][] = [
  [
    'options of a widget and of its variable',
    size => {
      const document = teamPulse();
      const options = numbered(size, n => `option-${n}`);
      document.variables[0] = { name: 'team', type: 'enum', options, default: 'option-0' };
      document.root.children[0].children[0].config.options = options.toReversed().map(value => ({ value }));
      return document;
    },
  ],
];

describe('twice the document takes at most twice the looks at it', () => {
  it.each(SHAPES)('%s', (_name, shape) => {
    const readsOf = (size: number) => {
      const document = counted(shape(size));
      try {
        resolveWith(document.value as JsonObject);
      } catch {
        // A fault takes as long as a tree.
      }
      return document.reads();
    };
    readsOf(10);
    const [once, twice] = [readsOf(400), readsOf(800)];
    expect(once).toBeGreaterThan(400);
    expect(twice / once).toBeLessThan(2.2);
  });
});

it.each(['key', 'other'])('as many %s-names as rows take two looks at each cell', name => {
  const readsOf = (size: number) => {
    const rows = counted(numbered(size, n => ({ [`key-${n}`]: n })));
    const checks = new RowChecks(rows.value as Json[], new KeySuggestions());
    const faults = numbered(size, n => checks.violationsFor('number', `${name}-${n}`)).flat();
    expect(faults).toHaveLength(name === 'key' ? 0 : size);
    return rows.reads();
  };
  readsOf(10);
  expect(readsOf(800) / readsOf(400)).toBeLessThan(2.2);
});

it('a wrong value beside each of many missing secrets is told without comparing all with all', () => {
  const row = { person: { $secret: 'NOT_SET' }, score: [] };
  const fault = errorOf(() =>
    resolveWith(
      drawing(
        numbered(60_000, () => row),
        { id: 'scores', type: 'heading', config: { text: 'x', level: 2 } },
      ),
    ),
  );
  expect(fault.code).toBe('CONNECTION_CONFIG_INVALID');
  expect(fault.details['violations']).toHaveLength(20);
});
