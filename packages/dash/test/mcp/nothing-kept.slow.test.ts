import { spawnSync } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { Serving } from '../http/serving.ts';
import { git } from '../store/stores.ts';
import { BINARY, RawHost } from './host.ts';

const EXAMPLES = fileURLToPath(new URL('../../examples', import.meta.url));
const PATIENT_MS = 240_000;
const id = 'first-steps';
const ops = [{ op: 'replace', path: '/$manifest/title', value: 'Other' }];
/** More than a link holds, so that it is handed over. */
const many = Array.from({ length: 40 }, (_, at) => ({ ...ops[0], value: `Title ${at}: ${at * 7919}` }));

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'dash-kept-'));
  await cp(EXAMPLES, root, { recursive: true });
  git(root, 'init', '-q');
  git(root, 'add', '.');
  git(root, 'commit', '-q', '-m', 'first');
});
afterAll(() => rm(root, { recursive: true }));

/** Every tool with everything that it can be asked; a call that fails is one, too. */
function calls(revision: string): readonly (readonly [string, Record<string, unknown>])[] {
  const document = { id, at: revision };
  return [
    ['dash_get_manifest', {}],
    ['dash_list_dashboards', {}],
    ['dash_list_skills', {}],
    ['dash_get_skill', { names: ['session-bootstrap', 'blocks'] }],
    ['dash_list_schemas', {}],
    ['dash_get_schema', { types: ['chart', 'table'], brief: true }],
    ['dash_get_outline', { ...document, since: revision, undo: true, history: 5, references: 'x' }],
    ['dash_get_outline', { id, proposals: true }],
    ['dash_get_node', { ...document, nodeId: 'page', resolved: true, overrides: {} }],
    ['dash_get_document', { ...document, resolved: true, overrides: {} }],
    ['dash_validate_patch', { id, ops, preview: 'full', inverse: true, review: true, note: 'a note' }],
    ['dash_validate_patch', { id, ops: many, preview: 'changed', review: true }],
    ['dash_validate_patch', { id, ops: many, preview: 'none', review: 'wait' }],
    ['dash_validate_patch', { id, ops, preview: 'rendered' }],
    ['dash_validate_patch', { id: 'fresh', ops, create: true }],
    ['dash_validate_patch', { id, ops: [{ op: 'remove', path: '/nobody' }] }],
  ];
}

describe('the tool server', () => {
  it(
    'writes no file and changes none, whatever it is asked',
    async () => {
      const serving = await Serving.start(['--store', 'git', '--root', root]);
      const trace = await Trace.start();
      onTestFinished(async () => {
        await serving.stop();
        await trace.remove();
      });
      const client = new Client({ name: 'test', version: '1' });
      const words = ['mcp', '--store', 'git', '--root', root, '--review-url', serving.url];
      const args = [...trace.words, process.execPath, BINARY, ...words];
      await client.connect(new StdioClientTransport({ command: 'strace', args, stderr: 'ignore' }));
      const revision = git(root, 'rev-parse', 'HEAD').trim();
      for (const [name, args] of calls(revision)) {
        await client.callTool({ name, arguments: args }, { timeout: PATIENT_MS });
      }
      await client.readResource({ uri: 'ui://dash/preview' });
      await client.close();
      const lines = await trace.lines();
      expect(lines.some(line => line.includes(`${id}.json`))).toBe(true);
      expect(lines.filter(changesFiles)).toEqual([]);
      expect(git(root, 'status', '--porcelain')).toBe('');
    },
    PATIENT_MS,
  );

  it('would be seen writing', async () => {
    const trace = await Trace.start();
    onTestFinished(() => trace.remove());
    const file = JSON.stringify(join(trace.folder, 'made'));
    const script = `const fs = require('fs'); fs.writeFileSync(${file}, ''); fs.renameSync(${file}, ${file} + 'x')`;
    const env = { ...process.env, NODE_DISABLE_COMPILE_CACHE: '1' };
    spawnSync('strace', [...trace.words, process.execPath, '-e', script], { env });
    const changes = (await trace.lines()).filter(changesFiles);
    expect(changes).toEqual([expect.stringContaining('O_CREAT'), expect.stringMatching(/^rename/)]);
  });

  it(
    'holds nothing between calls: each call may go to another process',
    async () => {
      const serving = await Serving.start(['--store', 'git', '--root', root]);
      const words = ['--store', 'git', '--root', root, '--review-url', serving.url];
      const [one, first, second] = [new RawHost(words), new RawHost(words), new RawHost(words)];
      onTestFinished(async () => {
        await Promise.all([one, first, second].map(host => host.hangUp()));
        await serving.stop();
      });
      await Promise.all([one, first, second].map(host => host.initialize()));
      const revision = git(root, 'rev-parse', 'HEAD').trim();
      const alternating: unknown[] = [];
      const alone: unknown[] = [];
      for (const [at, [name, args]] of calls(revision).entries()) {
        const host = at % 2 === 0 ? first : second;
        alternating.push(toldBy(await host.tool(name, args)));
        alone.push(toldBy(await one.tool(name, args)));
      }
      expect(alternating).toEqual(alone);
    },
    PATIENT_MS,
  );
});

/** Calls of the system, a file for each thread, so that none is torn by another. */
class Trace {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async start(): Promise<Trace> {
    return new Trace(await mkdtemp(join(tmpdir(), 'dash-trace-')));
  }

  /** Options of strace. */
  get words(): readonly string[] {
    return ['-ff', '-qq', '-e', 'trace=%file,ftruncate,fallocate', '-o', join(this.folder, 'trace')];
  }

  async lines(): Promise<string[]> {
    const files = (await readdir(this.folder)).filter(name => name.startsWith('trace'));
    const texts = await Promise.all(files.map(name => readFile(join(this.folder, name), 'utf8')));
    return texts.flatMap(text => text.split('\n'));
  }

  remove(): Promise<void> {
    return rm(this.folder, { recursive: true });
  }
}

/** The answer without the times of proposals. */
function toldBy({ content }: Awaited<ReturnType<RawHost['tool']>>): unknown {
  return JSON.parse((content[0]?.text ?? '').replaceAll(/"(\w+At)":"[^"]*"/g, '"$1":"then"'));
}

/** A call of the system that makes, opens for writing, moves or removes a file, and that did not fail. */
function changesFiles(line: string): boolean {
  const [, call = '', result = ''] = /^(\w+\(.*) = (-?\w+)/.exec(line) ?? [];
  if (call === '' || result.startsWith('-') || /"\/(?:dev|proc)\//.test(call)) return false;
  return (
    /\bO_(?:WRONLY|RDWR|CREAT|TRUNC|APPEND)\b/.test(call) ||
    /^(?:creat|unlink|rename|mkdir|rmdir|link|symlink|mknod|chmod|fchmodat|chown|truncate|ftruncate|fallocate|utime)/.test(
      call,
    )
  );
}

describe('an unfit Node.js', () => {
  const SENTENCE =
    /^dashdoc needs Node 22\.\d+ or newer(?: to run from its sources)?; this is v\d+\.\d+\.\d+ \(\/.*\)\n$/;
  /** Says of itself that it is older. */
  const OLD = `data:text/javascript,for (const [name, value] of [['versions', { node: '20.20.2' }], ['version', 'v20.20.2']]) Object.defineProperty(process, name, { value })`;

  /** The Node.js of the system, too, where that is an old one. */
  const system = spawnSync('/usr/bin/node', ['--version'], { encoding: 'utf8' }).stdout ?? '';
  const programs = [
    [process.execPath, '--import', OLD],
    ...(/^v(?:1\d|2[01])\./.test(system) ? [['/usr/bin/node']] : []),
  ];

  it('ends the start by a host in the sentence of the launcher, without a stack', async () => {
    for (const [command = '', ...words] of programs) {
      const args = [...words, BINARY, 'mcp', '--root', root];
      const transport = new StdioClientTransport({ command, args, stderr: 'pipe' });
      let told = '';
      transport.stderr?.on('data', (text: Buffer) => {
        told += text.toString();
      });
      await expect(new Client({ name: 'test', version: '1' }).connect(transport)).rejects.toThrow();
      expect(told).toMatch(SENTENCE);
      expect(told).toContain(command === process.execPath ? 'this is v20.20.2' : '(/usr/bin/node)');
    }
  });
});
