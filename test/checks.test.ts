import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { faultsBeyond, faultsOf, notesOf, shrink } from '../scripts/allowance.ts';
import { codeLiteralsOf } from '../scripts/code-literals.ts';
import { dialectOf } from '../scripts/dialect.ts';
import { lengthFaults } from '../scripts/file-lengths.ts';
import { reportFaults } from '../scripts/report-faults.ts';
import { roomFaults, unusedEdges } from '../scripts/room-rules.ts';
import { readSources } from '../scripts/source-imports.ts';
import { parseText } from '../scripts/syntax.ts';
import { HOMES, rawTimeOf, unneededHomes } from '../scripts/time-rules.ts';
import { cycleFaults, roomCycleFaults } from '../scripts/type-cycles.ts';
import { readReport } from '../scripts/unused.ts';
import { namesIn, phrasesIn, readWords } from '../scripts/word-rules.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'checks-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}

/** The sources of a repository with one package. */
function sources(files: Readonly<Record<string, string>>) {
  write({ 'packages/engine/package.json': '{"name":"@msg/engine"}', ...files });
  return readSources(root);
}

describe('an allowance', () => {
  const finding = (key: string, text = 'place') => ({ key, text });

  it('refuses what is above it, with the places', () => {
    expect(faultsBeyond({ a: 1 }, [finding('a', 'x.ts:1'), finding('a', 'x.ts:2')])).toEqual([
      'a: 2 found, 1 allowed',
      '  x.ts:1',
      '  x.ts:2',
    ]);
    expect(faultsBeyond({}, [finding('b', 'x.ts:3')])).toEqual(['b: 1 found, 0 allowed', '  x.ts:3']);
  });

  it('that has too much is a note, not a fault', () => {
    expect(faultsBeyond({ a: 2 }, [finding('a')])).toEqual([]);
    expect(notesOf({ a: 2, b: 1 }, [finding('a')])).toEqual([
      'a: 2 allowed, 1 found; lower it with --shrink',
      'b: 1 allowed, 0 found; lower it with --shrink',
    ]);
    expect(notesOf({ a: 1 }, [finding('a'), finding('a')])).toEqual([]);
  });

  it('shrinks and never grows', () => {
    write({ 'scripts/allowances/test.json': '{"a":2,"b":1,"c":1}' });
    const findings = [finding('a'), finding('b'), finding('b'), finding('d')];
    shrink(root, 'test', findings);
    const left = JSON.parse(readFileSync(join(root, 'scripts/allowances/test.json'), 'utf8'));
    expect(left).toEqual({ a: 1, b: 1 });
    expect(faultsOf(root, 'test', findings)).toEqual([
      'b: 2 found, 1 allowed',
      '  place',
      '  place',
      'd: 1 found, 0 allowed',
      '  place',
    ]);
  });
});

describe('the rooms as built', () => {
  const rooms = { engine: { stream: [], timers: [], presence: ['stream'], session: ['stream', 'timers'] } };

  it('refuse an import that no room of the package has, by value, by type and on demand', () => {
    const files = sources({
      'packages/engine/src/stream/a.ts': "import type { B } from '../session/b.ts';",
      'packages/engine/src/timers/a.ts': "import { b } from '../stream/b.ts';",
      'packages/engine/src/presence/a.ts': "await import('../timers/a.ts');",
      'packages/engine/src/session/a.ts': "import { b } from '../stream/b.ts';",
    });
    expect(files.flatMap(file => roomFaults(file, rooms)).sort()).toEqual([
      'packages/engine/src/presence/a.ts: the room presence must not import timers/a.ts',
      'packages/engine/src/stream/a.ts: the room stream must not import session/b.ts',
      'packages/engine/src/timers/a.ts: the room timers must not import stream/b.ts',
    ]);
  });

  it('refuse an edge that no import takes any more', () => {
    const files = sources({
      'packages/engine/src/presence/a.ts': "import type { A } from '../stream/a.ts';",
      'packages/engine/src/session/a.ts': "import { a } from '../stream/a.ts';",
      'packages/engine/src/stream/a.ts': 'export const a = 1;',
    });
    expect(unusedEdges(files, rooms)).toEqual([
      'engine: no file of session imports timers any more: remove it from the table',
    ]);
  });

  it('refuse a room that is not in the table', () => {
    const [file] = sources({ 'packages/engine/src/cellar/a.ts': '' });
    expect(file && roomFaults(file, rooms)).toEqual([
      'packages/engine/src/cellar/a.ts: cellar is not in the room table',
    ]);
  });
});

describe('cycles', () => {
  const circle = {
    'packages/engine/src/a.ts': "import type { B } from './x/b.ts';",
    'packages/engine/src/x/b.ts': "import { c } from '../c.ts';",
    'packages/engine/src/c.ts': "import type { A } from './a.ts';",
    'packages/engine/src/d.ts': "import { a } from './a.ts';\nawait import('./e.ts');",
    'packages/engine/src/e.ts': "import { d } from './d.ts';",
  };

  it('are found through types, not through imports on demand', () => {
    expect(cycleFaults(sources(circle), [])).toEqual([
      'import cycle, types included: packages/engine/src/a.ts, packages/engine/src/c.ts, packages/engine/src/x/b.ts',
    ]);
  });

  it('that are known pass, in whatever folder their files are; one that is gone is a fault', () => {
    const known = { inPackage: 'engine', files: ['a.ts', 'b.ts', 'c.ts'], reason: 'test' };
    const gone = { inPackage: 'engine', files: ['d.ts', 'e.ts'], reason: 'test' };
    expect(cycleFaults(sources(circle), [known])).toEqual([]);
    expect(cycleFaults(sources(circle), [known, gone])).toEqual([
      'no longer a cycle, remove it from KNOWN_CYCLES: engine: d.ts, e.ts',
    ]);
    expect(cycleFaults(sources(circle), [{ ...known, files: ['a.ts', 'b.ts'] }])).toHaveLength(2);
  });
});

describe('circles of rooms', () => {
  it('are refused, also through a single file of a room', () => {
    const engine = { a: ['b/x.ts'], b: ['c'], c: ['a'], d: ['a'], e: [] };
    expect(roomCycleFaults({ engine })).toEqual([
      'engine: a is on a circle of rooms',
      'engine: b is on a circle of rooms',
      'engine: c is on a circle of rooms',
    ]);
  });

  it('do not go through a file of a room that has a row of its own', () => {
    const server = { a: ['b/x.ts'], b: ['a'], 'b/x.ts': [] };
    expect(roomCycleFaults({ server })).toEqual([]);
  });
});

describe('the clock rule', () => {
  const uses = (text: string) =>
    rawTimeOf(parseText('packages/engine/src/a.ts', text)).map(({ key }) => key.slice('engine: '.length));

  it.each([
    ['Date.now();', 'Date.now'],
    ['const at = new Date();', 'new Date()'],
    ['Math.random();', 'Math.random'],
    ['performance.now();', 'performance.now'],
    ['process.hrtime.bigint();', 'process.hrtime'],
    ['fetch(url, { signal: AbortSignal.timeout(1) });', 'AbortSignal.timeout'],
    ['setTimeout(() => {}, 1);', 'setTimeout'],
    ['globalThis.setInterval(f, 1);', 'setInterval'],
    ['const clock = { wait: setImmediate };', 'setImmediate'],
    ["import { setTimeout as sleep } from 'node:timers/promises';", 'node:timers/promises'],
    ["import { randomInt } from 'node:crypto';\nrandomInt(3);", 'randomInt'],
    ["import { randomBytes as bytes } from 'node:crypto';\nbytes(3);", 'randomBytes'],
    ['const id = crypto.randomUUID();', 'crypto.randomUUID'],
    ['const { randomUUID } = crypto;', 'randomUUID'],
    ['clearTimeout(timer);', 'clearTimeout'],
    ['const started = process.hrtime();', 'process.hrtime'],
    ['const kept = new WeakRef(value);', 'WeakRef'],
    ['new FinalizationRegistry(ended).register(value, 1);', 'FinalizationRegistry'],
    [
      "import { PerformanceObserver } from 'node:perf_hooks';\nnew PerformanceObserver(seen);",
      'PerformanceObserver',
    ],
  ])('refuses %s', (text, use) => {
    expect(uses(text)).toEqual([use]);
  });

  it('lets time that is passed in, other members of these names, comments and texts be', () => {
    const text = `
      // Date.now() and setTimeout()
      const shown = 'Math.random()';
      class Clock { setTimeout(ms: number) { return this.clock.setTimeout(ms); } }
      interface Timers { setInterval(): void }
      new Date(0); clock.now(); queueMicrotask(f); socket.setTimeout(1);`;
    expect(uses(text)).toEqual([]);
  });
});

describe('the homes of real time', () => {
  it.each(HOMES)('%s exists: %s', place => {
    expect(existsSync(place)).toBe(true);
  });
});

describe('a home of real time that is not needed', () => {
  it('is a fault', () => {
    const files = [
      parseText('packages/a/src/clock.ts', 'Date.now();'),
      parseText('packages/a/src/still.ts', 'f();'),
    ];
    const homes = [
      ['packages/a/src/clock.ts', 'the clock'],
      ['packages/a/src/still.ts', 'gone'],
    ] as const;
    expect(unneededHomes(files, homes)).toEqual([
      'packages/a/src/still.ts: nothing there uses real time any more; remove it from scripts/time-rules.ts',
    ]);
  });
});

describe('old words', () => {
  const words = readWords('.');
  const names = (text: string, path = 'packages/engine/src/a.ts') =>
    namesIn(parseText(path, text), words).map(({ text: line }) => line.split(' declares ')[1]?.split(':')[0]);
  const phrases = (text: string) =>
    phrasesIn(parseText('packages/engine/src/a.ts', text), words).map(({ key }) => key);

  it.each([
    ['a class', 'export class Inbox {}', 'Inbox'],
    ['a part of a name', 'interface InboxOwner {}', 'InboxOwner'],
    ['the end of a name', 'type PeerInbox = string;', 'PeerInbox'],
    ['a variable', 'const given = 1;', 'given'],
    ['a parameter', 'function f(given: string) {}', 'given'],
    ['a private member', 'class A { #fed = 1; }', 'fed'],
    ['a method', 'class A { overtaken() {} }', 'overtaken'],
    ['a member of a type', 'interface A { wishes: string }', 'wishes'],
    ['a name taken out of an object', 'const { met } = a;', 'met'],
  ])('are refused as %s', (_what, text, name) => {
    expect(names(text)).toEqual([name]);
  });

  it.each([
    ['a variable', 'const known = 1;', 'known'],
    ['a parameter', 'const f = (own: string) => own;', 'own'],
    ['a default', 'function f(one = 1) {}', 'one'],
    ['a name out of a list', 'const [found] = list;', 'found'],
    ['a function', 'function own() {}', 'own'],
  ])('are refused as the participle that names %s', (_what, text, name) => {
    expect(names(text)).toEqual([name]);
  });

  it.each([
    ['a word of one package', 'packages/protocol/src/a.ts', 'const PushTarget = 1;', ['PushTarget']],
    ['a method of it', 'packages/server/src/a.ts', 'class A { #judge() {} }', ['judge']],
    ['the word in another package', 'packages/dash/src/a.ts', 'const PushTarget = 1;', []],
    ['a longer name', 'packages/protocol/src/a.ts', 'const DecodeLimits = 1;', []],
  ])('know what a folder has renamed: %s', (_what, path, text, expected) => {
    expect(names(text, path)).toEqual(expected);
  });

  it('leave participles alone as members, which others may have named', () => {
    expect(
      names(
        'interface A { known: string }\
const { known } = error; class B { own() {} }',
      ),
    ).toEqual([]);
  });

  it('are refused as the name of a file or folder', () => {
    expect(names('export {};', 'packages/engine/src/utils/a.ts')).toEqual(['utils']);
    expect(names('export {};', 'packages/engine/src/helpers.ts')).toEqual(['helpers']);
  });

  it('may be used where they are declared elsewhere, and be parts of other words', () => {
    expect(
      names("import { Inbox } from 'x'; new Inbox().wishes; const threshold = 1; class Holder {}"),
    ).toEqual([]);
    expect(names('class Outbox {}', 'packages/postgres/src/outbox.ts')).toEqual([]);
  });

  it.each([
    ['a comment', '// the key is no key', '"is no"'],
    ['a comment of several lines', '/**\n * Whoever\n * asks */', '"whoever"'],
    ['a phrase over two lines', '// nothing here: it is\n// none of ours', '"is none"'],
    ['a message', "throw new Error('the port is no number');", '"is no"'],
    ['a template', 'const a = `the key is none of these`;', '"is none"'],
  ])('are refused as a phrase in %s', (_what, text, phrase) => {
    expect(phrases(text)).toEqual([`engine: ${phrase}`]);
  });

  it('leave what only looks like a phrase alone', () => {
    expect(phrases("// there is no key; it is no longer there\nconst url = 'http://x'; nobody();")).toEqual(
      [],
    );
  });
});

describe('API reports', () => {
  const report = (sections: Record<string, string>) =>
    new Map([
      [
        'api/x.txt',
        `# x\n${Object.entries(sections)
          .map(([name, text]) => `\n## ${name}\n\n${text}\n`)
          .join('')}`,
      ],
    ]);

  it('tell names that are new, gone and declared otherwise', () => {
    const before = report({ A: 'class A {}', B: 'const B = 1;', C: 'type C = 1;' });
    const after = report({ A: 'class A { x(): void; }', C: 'type C = 1;', D: 'type D = 1;' });
    expect(reportFaults(before, after)).toEqual([
      'api/x.txt: A is declared otherwise',
      'api/x.txt: B is gone',
      'api/x.txt: D is new',
    ]);
    expect(reportFaults(before, before)).toEqual([]);
  });
});

describe('unused and undeclared', () => {
  it('are counted by package and kind', () => {
    const issues = [
      { file: 'packages/engine/src/a.ts', exports: [{ name: 'one' }, { name: 'two' }], types: [] },
      { file: 'packages/engine/test/a.ts', unlisted: [{ name: 'yaml' }] },
      { file: 'test/b.ts', unlisted: [{ name: 'jose' }] },
    ];
    expect(readReport({ issues })).toEqual([
      { key: 'engine: exports', text: 'packages/engine/src/a.ts: one' },
      { key: 'engine: exports', text: 'packages/engine/src/a.ts: two' },
      { key: 'engine: unlisted', text: 'packages/engine/test/a.ts: yaml' },
      { key: 'test: unlisted', text: 'test/b.ts: jose' },
    ]);
  });
});

describe('the dialect', () => {
  const faults = (text: string, path = 'packages/engine/src/a.ts') => dialectOf(parseText(path, text));

  it.each([
    ['const a = { ...(b === undefined ? {} : { b }) };', 'conditional spreads'],
    ['const a = { c, ...(b && { b }) };', 'conditional spreads'],
    ['class A { private readonly b = 1; }', '`private` members'],
    ['class A { constructor(readonly b: number) {} }', 'parameter properties'],
    ['if (a instanceof Promise) b();', 'promises told from values by hand'],
  ])('refuses %s', (text, name) => {
    expect(faults(text)).toEqual([expect.stringContaining(`packages/engine/src/a.ts:1: ${name}: `)]);
  });

  it('accepts lists, plain spreads, constructors nobody calls, and the home of a rule', () => {
    expect(
      faults(`const a = { ...b, ...defined({ c }) };
        const d = [...(e ? [f] : []), ...(g ?? [])];
        class H { #i = 1; private constructor() {} }`),
    ).toEqual([]);
    const home = 'packages/foundation/src/promises/maybe-promise.ts';
    expect(faults('a instanceof Promise;', home)).toEqual([]);
  });
});

describe('the length of a file', () => {
  const rule = { kind: 'source files', most: 250 };
  const long = [{ path: 'a.ts', reason: 'one table' }];

  it('is refused above its bound, unless an exception names the file', () => {
    const lengths = new Map([
      ['a.ts', 300],
      ['b.ts', 251],
      ['c.ts', 250],
    ]);
    expect(lengthFaults(lengths, rule, long)).toEqual([
      'b.ts: 251 lines; source files have at most 250: split it by purpose',
    ]);
  });

  it('ends an exception once the file is short enough', () => {
    expect(lengthFaults(new Map([['a.ts', 250]]), rule, long)).toEqual([
      'a.ts: short enough now, remove it from LONG_FILES',
    ]);
    expect(lengthFaults(new Map(), rule, long)).toEqual([]);
  });
});

describe('codes as numbers', () => {
  const codes = (text: string) => codeLiteralsOf(parseText('a.ts', text));

  it('are found where a connection or a subscription ends', () => {
    for (const text of [
      "throw new Disconnect(3501, 'bad request')",
      "session.close(3001, 'shutdown')",
      "client.unsubscribe(channel, 2501, 'subscription expired')",
      "const gone = { code: 2000, reason: 'server unsubscribe' }",
      'if (end.code === 3005) retry()',
    ]) {
      expect(codes(`const a = 1;\n${text};`), text).toEqual([
        expect.stringMatching(/^a\.ts:2: the code \d+ must come from the protocol's table/),
      ]);
    }
  });

  it('are not found in what comes from the table, nor in codes of another kind', () => {
    for (const text of [
      'throw disconnect.badRequest()',
      'new Disconnect(code, reason)',
      "socket.close(1001, 'going away')",
      "const zero = { code: 0, reason: '' }",
      'const answer = { code: 404, data }',
      'const waitMs = 3000',
    ]) {
      expect(codes(text), text).toEqual([]);
    }
  });
});
