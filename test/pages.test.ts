import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { resolveAll } from '@msg/command-line/internal';
import { readConfigFile, SERVE_SETTINGS } from '@msg/server/internal';
import { transformSync } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import {
  type Block,
  blocksOf,
  isFollowed,
  isRepositoryStep,
  PAGES,
  ROOT,
  readPage,
  TESTED_BY,
  TESTED_IN_A_COPY,
  useOf,
} from './support/pages.ts';

interface Placed {
  readonly path: string;
  readonly block: Block;
}

const all = PAGES.flatMap(path => blocksOf(readPage(path)).map(block => ({ path, block })));
const titled = (blocks: readonly Placed[]) =>
  blocks.map(({ path, block }) => [`${path}:${block.line}`, block, path] as const);
const used = (use: string): Placed[] => all.filter(({ path, block }) => useOf(path, block) === use);

test.each(PAGES)('something would notice if a block of %s were wrong', path => {
  const blocks = blocksOf(readPage(path));
  const unused = blocks.filter(block => useOf(path, block) === undefined);
  expect(unused.map(({ line, language, words }) => [line, language, ...words].join(' '))).toEqual([]);
  const fences = readPage(path).match(/^\s*(?:```|~~~)/gm) ?? [];
  expect(fences, 'blocks that were seen').toHaveLength(2 * blocks.length);
  const executed = blocks.some(block => useOf(path, block) === 'executed');
  expect(executed, 'somebody executes the page').toBe(isFollowed(path) || path in TESTED_BY);
});

test.each([
  ['no language', '```\nmsg channels list\n```'],
  ['a command as prose', '```text\nmsg channels list\n```'],
  ['a mark without a reason', '```sh elsewhere\nmsg channels list\n```'],
  ['a mark that is unknown', '```sh later\nmsg channels list\n```'],
  ['a format that nobody reads', '```json\n{}\n```'],
])('a block cannot escape with %s', (_, page) => {
  expect(blocksOf(page).map(block => useOf('docs/new.md', block))).toEqual([undefined]);
});

test.each(Object.entries(TESTED_BY))('%s is read by %s, or what it starts is started there', (path, file) => {
  const started = readPage(path).match(/examples\/[\w/-]+\.ts/g) ?? [basename(path)];
  const source = readFileSync(join(ROOT, file), 'utf8');
  for (const name of started) expect(source).toContain(name);
});

test('every page that changes files of this repository is followed in a copy', () => {
  const changing = PAGES.filter(path => blocksOf(readPage(path)).some(isRepositoryStep));
  expect(changing).toEqual(Object.keys(TESTED_IN_A_COPY));
  for (const [path, file] of Object.entries(TESTED_IN_A_COPY))
    expect(readFileSync(join(ROOT, file), 'utf8')).toContain(basename(path));
});

/** Parsers of languages that only SDKs are written in: a machine without one leaves their blocks to another. */
const FOREIGN: Readonly<Record<string, readonly [program: string, ...args: string[]]>> = {
  python: ['python3', '-c', 'import ast, sys; ast.parse(sys.stdin.read())'],
  php: ['php', '-l'],
  ruby: ['ruby', '-c'],
  go: ['gofmt', '-e'],
};

function readForeign(language: string, text: string): void {
  const [program = '', ...args] = FOREIGN[language] ?? [];
  const { error, status, stderr } = spawnSync(program, args, { input: text, encoding: 'utf8' });
  if (error === undefined) expect(status, stderr).toBe(0);
}

/** Whether the parser of the language takes the block; throws when not. */
const READERS: Readonly<Record<string, (text: string) => void>> = {
  sh(text) {
    // What stands for something of the reader's: <id>, <the token>.
    const filled = text.replaceAll(/<[\w .-]+>/g, 'x');
    expect(spawnSync('bash', ['-n'], { input: filled, encoding: 'utf8' }).stderr).toBe('');
  },
  json: text => JSON.parse(text),
  yaml: text => parse(text),
  ...Object.fromEntries(
    Object.keys(FOREIGN).map(language => [language, (text: string) => readForeign(language, text)]),
  ),
  js: text => transformSync(text, { loader: 'js', format: 'esm' }),
  toml(text) {
    for (const line of text.trimEnd().split('\n'))
      if (!/^\[[\w.]+\]$/.test(line)) JSON.parse(/^\w+ = (.+)$/.exec(line)?.[1] ?? '');
  },
};

const shells = all.filter(({ path, block }) => block.language === 'sh' && useOf(path, block) !== 'marked');
test.each(titled([...shells, ...used('marked')]))('%s can be read', (_, { language, text }) => {
  const read = READERS[language];
  expect(read, `a parser of ${language}`).toBeDefined();
  read?.(text);
});

test.each(titled(used('loaded')))('msg takes %s as its configuration', (_, { text }) => {
  const env = Object.fromEntries(
    [...text.matchAll(/\$\{(\w+)\}/g)].map(([, name = '']) => [name, 'https://x.example']),
  );
  const file = readConfigFile({ source: text, path: 'msg.yaml', env }, SERVE_SETTINGS);
  resolveAll(SERVE_SETTINGS, { flag: () => undefined, env: {}, file });
});

describe('the programs in the pages', () => {
  let folder: string;
  let report: string;
  const programs = used('checked').filter(({ block }) => block.words[0] !== 'given');

  /** What the block before says that its reader has. */
  function givenTo({ path, block }: Placed): string {
    const blocks = blocksOf(readPage(path));
    const before = blocks[blocks.findIndex(({ line }) => line === block.line) - 1];
    return before?.words[0] === 'given' ? before.text : '';
  }

  beforeAll(() => {
    mkdirSync(join(ROOT, '.tmp'), { recursive: true });
    folder = mkdtempSync(join(ROOT, '.tmp/programs-'));
    for (const [index, placed] of programs.entries())
      writeFileSync(join(folder, `${index}.ts`), `${givenTo(placed)}${placed.block.text}export {};\n`);
    const compilerOptions = {
      composite: false,
      noEmit: true,
      isolatedModules: false,
      lib: ['es2024', 'dom'],
      types: ['node'],
    };
    const config = { extends: '../../tsconfig.base.json', compilerOptions, include: ['*.ts'] };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
    report = spawnSync(join(ROOT, 'node_modules/.bin/tsc'), ['-p', '.', '--pretty', 'false'], {
      cwd: folder,
      encoding: 'utf8',
    }).stdout;
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test.each(titled(programs))('%s has the right types', (_, block) => {
    const index = programs.findIndex(program => program.block === block);
    expect(report.split('\n').filter(line => line.startsWith(`${index}.ts(`))).toEqual([]);
  });

  test('the compiler looked at nothing else', () => {
    expect(report.split('\n').filter(line => /error TS/.test(line) && !/^\d+\.ts\(/.test(line))).toEqual([]);
  });
});
