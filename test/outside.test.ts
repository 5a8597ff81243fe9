import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { failureCodes, wireCodes } from '../scripts/outside/codes.ts';
import { configuration } from '../scripts/outside/configuration.ts';
import { differences } from '../scripts/outside/differences.ts';
import { Entries, memberNames, memberPaths } from '../scripts/outside/entries.ts';
import { probe } from '../scripts/outside/probe.ts';
import { programs } from '../scripts/outside/programs.ts';
import { rpcMethods } from '../scripts/outside/rpc.ts';
import { sorted } from '../scripts/outside/sorted.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'outside-test-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(files: Readonly<Record<string, string | object>>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), typeof content === 'string' ? content : JSON.stringify(content));
  }
}

describe('what users hold on to', () => {
  const committed = JSON.parse(readFileSync('api/outside.json', 'utf8')) as Record<string, unknown>;

  it.each([
    ['codes', failureCodes],
    ['wireCodes', wireCodes],
    ['configuration', configuration],
    ['rpc', rpcMethods],
  ])('is committed: %s', (part, read) => {
    expect(differences(committed[part], sorted(read()))).toEqual([]);
  });

  it('a code that is gone, one that is new and one with another status are told apart', () => {
    const { MSG_INTERNAL: _gone, ...rest } = (failureCodes() as { msg: Record<string, object> }).msg;
    const changed = { ...rest, MSG_NEW: {}, MSG_RATE_LIMITED: { ...rest['MSG_RATE_LIMITED'], status: 503 } };
    expect(differences((committed['codes'] as { msg: unknown }).msg, sorted(changed))).toEqual([
      expect.stringContaining('- MSG_INTERNAL: '),
      '! MSG_RATE_LIMITED › status: 429 → 503',
      '+ MSG_NEW: {}',
    ]);
  });

  it('a text that is gone from a list is named', () => {
    expect(differences({ labels: ['a', 'b'] }, { labels: ['b', 'c'] })).toEqual([
      '- labels: "a"',
      '+ labels: "c"',
    ]);
  });
});

describe('the names of package entries', () => {
  beforeEach(() => {
    write({
      'one/package.json': {
        name: '@x/one',
        exports: { '.': { 'msg-source': './src/index.ts' }, './sub': { 'msg-source': './src/sub.ts' } },
      },
      'one/src/index.ts':
        "export * from './a.ts';\nexport { type Held, used as renamed } from '#src/b.ts';\nimport { Held } from './b.ts';\n" +
        'export interface Shape { readonly a?: string; readonly list: readonly { readonly deep: Held }[] }',
      'one/src/a.ts':
        'export class A { #hidden = 1; private old = 2; get x() { return this.#hidden; } static make() {} }',
      'one/src/b.ts': 'export interface Held { readonly n: number }\nconst used = 1;\nexport { used };',
      'one/src/sub.ts': 'export const S = 1;\nexport type S = typeof S;',
      'two/package.json': { name: '@x/two', exports: { '.': { 'msg-source': './src/index.ts' } } },
      'two/src/index.ts': "export { A } from '@x/one';",
    });
  });

  it('are followed through re-exports of files and packages, types too', () => {
    const entries = new Entries(root, ['one', 'two']);
    const kinds = (entry: string) =>
      Object.fromEntries(
        [...entries.of(entry)].map(([name, all]) => [name, all.map(({ kind }) => kind).join()]),
      );
    expect(kinds('@x/one')).toEqual({ A: 'class', Held: 'interface', renamed: 'const', Shape: 'interface' });
    expect(kinds('@x/one/sub')).toEqual({ S: 'const,type' });
    expect(kinds('@x/two')).toEqual({ A: 'class' });
  });

  it('have members: those that users reach, and the paths of nested ones', () => {
    const entries = new Entries(root, ['one']);
    const [a] = entries.of('@x/one').get('A') ?? [];
    const [shape] = entries.of('@x/one').get('Shape') ?? [];
    expect(a && memberNames(a)).toEqual(['static make', 'x']);
    expect(shape && memberPaths(entries, shape)).toEqual([
      ['a?', 'string'],
      ['list[].deep.n', 'number'],
    ]);
  });
});

describe('a program', () => {
  it('is known by its commands, arguments and flags, as its parser has them', async () => {
    write({
      'tool/package.json': { name: 'tool', bin: { tool: './tool.mjs' } },
      'tool/tool.mjs': [
        "import { Command } from 'commander';",
        "const program = new Command('tool').helpOption(false);",
        "const go = program.command('go <where...>').helpOption(false);",
        "go.option('-f, --fast <n>', 'x', '3').requiredOption('--who [name]');",
        'program.parse();',
        "throw new Error('the line was parsed');",
      ].join('\n'),
    });
    symlinkSync(join(process.cwd(), 'node_modules'), join(root, 'node_modules'));
    expect(await programs(root, ['tool'])).toMatchObject({
      tool: {
        arguments: [],
        commands: {
          go: {
            arguments: ['<where...>'],
            flags: { '--fast': '-f <value> default "3"', '--who': '[value] required' },
          },
        },
      },
    });
  });
});

describe('a route', () => {
  let server: Server;
  afterEach(() => server.close());

  it('is known by its statuses per method, and by what changes them', async () => {
    server = createServer(({ method, headers }, response) => {
      if (headers.origin !== undefined && method === 'GET') response.writeHead(403).end();
      else if (method === 'GET' || method === 'HEAD') response.end('x');
      else response.writeHead(405, { allow: 'GET' }).end();
    });
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    expect(await probe(new URL(`http://127.0.0.1:${port}/x`))).toEqual({
      GET: '200; foreign origin: 403',
      HEAD: '200',
      'DELETE OPTIONS PATCH POST PUT': '405, allow GET',
    });
  });
});
