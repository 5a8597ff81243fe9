import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { eventually, freePort, startMsg } from '@msg/testkit';
import { afterAll, afterEach, describe, expect, test } from 'vitest';

const BIN = fileURLToPath(new URL('../../bin/msg-gen.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'msg-gen-cli-'));
const registry = fileURLToPath(new URL('../golden/registry.json', import.meta.url));
let serial = 0;
const fresh = (): string => join(folder, `out${serial++}`);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs `msg-gen` until it ends; `stop` ends one that goes on. */
function start(...args: string[]) {
  const child = spawn(process.execPath, [BIN, ...args], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  const output = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output.stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output.stderr += text;
  });
  const ended = new Promise<number | null>(resolve => child.on('close', resolve));
  return { output, ended, stop: () => child.kill('SIGINT') };
}

async function run(...args: string[]) {
  const { output, ended } = start(...args);
  return { code: await ended, ...output };
}

const servers: Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise(resolve => server.close(resolve));
  }
});

/** A registry that answers as a test says; answers its origin. */
async function serve(status: number, body: string, seen: string[] = []): Promise<string> {
  const server = createServer((request, response) => {
    seen.push(`${request.url} ${request.headers.accept}`);
    response.writeHead(status).end(body);
  });
  servers.push(server);
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('msg-gen', () => {
  test('writes a file per language, the directory included, and says so on standard error', async () => {
    const out = fresh();
    const result = await run('--registry-file', registry, '--lang', ' ts, go ,ts', '--out', out);
    expect(result).toEqual({
      code: 0,
      stdout: '',
      stderr: `wrote ${out}/index.ts (11 patterns)\nwrote ${out}/parsec_gen.go (11 patterns)\n`,
    });
    expect(readdirSync(out).toSorted()).toEqual(['index.ts', 'parsec_gen.go']);
    const first = readFileSync(join(out, 'parsec_gen.go'));
    await run('--registry-file', registry, '--out', out);
    expect(readFileSync(join(out, 'parsec_gen.go')).equals(first)).toBe(true);
  });

  test('defaults: Go, ./gen, package parsecgen; header and package by flag', async () => {
    expect((await run('--registry-file', registry)).stderr).toBe('wrote gen/parsec_gen.go (11 patterns)\n');
    const out = fresh();
    await run('--registry-file', registry, '--out', out, '--package', 'shop', '--header', '// Ours.');
    expect(readFileSync(join(out, 'parsec_gen.go'), 'utf8')).toMatch(
      /^\/\/ Ours\.\n\/\/ Code .*\n\npackage shop\n/,
    );
  });

  test('fetches a snapshot as JSON; a bare origin gets the path of the service', async () => {
    const seen: string[] = [];
    const origin = await serve(200, '{"patterns":[{"pattern":"a"}]}', seen);
    for (const address of [origin, `${origin}/`, `${origin}/elsewhere?x=1`])
      expect((await run('--registry', address, '--out', fresh())).code).toBe(0);
    expect(seen).toEqual([
      '/msg/schemas application/json',
      '/msg/schemas application/json',
      '/elsewhere?x=1 application/json',
    ]);
  });

  test.each([
    ['no source', [], 'exactly one of --registry and --registry-file is required'],
    [
      'two sources',
      ['--registry', 'http://x', '--registry-file', 'y'],
      'exactly one of --registry and --registry-file is required',
    ],
    [
      'an unknown language',
      ['--registry-file', registry, '--lang', 'go,rust'],
      '--lang must be one or more of go, ts, separated by commas; got "go,rust"',
    ],
    [
      'no language',
      ['--registry-file', registry, '--lang', ''],
      '--lang must be one or more of go, ts, separated by commas; got ""',
    ],
    [
      'a package name that Go does not allow',
      ['--registry-file', registry, '--package', 'a-b'],
      '--package must be a Go package name; got "a-b"',
    ],
    [
      'a keyword as package',
      ['--registry-file', registry, '--package', 'func'],
      '--package must be a Go package name; got "func"',
    ],
    [
      'an address that is not http or https',
      ['--registry', 'ftp://x'],
      '--registry must be an http or https address; got "ftp://x"',
    ],
    ['a missing file', ['--registry-file', '/none.json'], '/none.json cannot be read'],
    ['an unknown flag', ['--frobnicate'], 'flag "--frobnicate" does not exist'],
    ['an argument', ['--registry-file', registry, 'more'], 'command "more" does not exist'],
    [
      'watching a file',
      ['--registry-file', registry, '--watch'],
      '--watch is not allowed with --registry-file',
    ],
  ])('%s: exit 1, nothing written', async (_, args, text) => {
    const out = fresh();
    const { code, stdout, stderr } = await run(...args, '--out', out);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^msg-gen: .*\n$/s);
    expect(stderr).toContain(text);
    expect(readdirSync(folder)).not.toContain(out.slice(folder.length + 1));
  });

  test('quotes status and body of a refusal; a broken snapshot and an address without a server are errors', async () => {
    const refusing = await serve(503, 'not now');
    expect((await run('--registry', refusing, '--out', fresh())).stderr).toBe(
      `msg-gen: ${refusing}/msg/schemas answered 503: not now\n`,
    );
    const broken = await serve(200, '<html>');
    expect((await run('--registry', broken, '--out', fresh())).stderr).toBe(
      `msg-gen: ${broken}/msg/schemas: the snapshot is not JSON\n`,
    );
    const nobody = `http://127.0.0.1:${await freePort()}`;
    expect((await run('--registry', nobody, '--out', fresh())).stderr).toBe(
      `msg-gen: no answer from ${nobody}/msg/schemas\n`,
    );
  });

  test('--check: 0 when up to date, 1 naming what is not, and nothing is written', async () => {
    const out = fresh();
    const args = ['--registry-file', registry, '--lang', 'go,ts', '--out', out];
    const missing = await run(...args, '--check');
    expect(missing).toMatchObject({ code: 1, stderr: expect.stringContaining(`${out}/index.ts is stale`) });
    expect(readdirSync(folder)).not.toContain(out.slice(folder.length + 1));
    await run(...args);
    expect(await run(...args, '--check')).toEqual({ code: 0, stdout: '', stderr: '' });
    writeFileSync(join(out, 'index.ts'), 'changed');
    expect((await run(...args, '--check')).stderr).toBe(`msg-gen: ${out}/index.ts is stale\n`);
    expect(readFileSync(join(out, 'index.ts'), 'utf8')).toBe('changed');
  });

  test('--version and --help', async () => {
    expect((await run('--version')).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    expect((await run('--help')).stdout).toContain('--registry-file');
  });

  test('without arguments: what is missing, then the help', async () => {
    const { code, stdout, stderr } = await run();
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^msg-gen: exactly one of --registry .*\n\nUsage: msg-gen /);
    expect(stderr).toContain('msg-gen --registry-file schemas.json --lang ts --check');
  });

  test('suggests flags, and completes them', async () => {
    expect((await run('--registy', 'x')).stderr).toBe(
      'msg-gen: flag "--registy" does not exist; did you mean "--registry"?\n',
    );
    expect((await run('completion', 'bash')).stdout).toContain('--registry-file');
  });

  test('--watch: writes after each change, survives a restart of the server, ends with Ctrl-C', async () => {
    const out = fresh();
    let server = await startMsg();
    const port = Number(new URL(server.url).port);
    const register = async (pattern: string) => {
      const response = await fetch(`${server.url}/twirp/msg.MsgService/RegisterSchema`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${server.token}` },
        body: JSON.stringify({ schema: { pattern } }),
      });
      expect(response.status).toBe(200);
    };
    const written = (text: string) =>
      eventually(
        `${text} is written`,
        () => readFileSync(join(out, 'index.ts'), 'utf8').includes(text),
        30_000,
      );
    const watching = start('--registry', server.url, '--lang', 'ts', '--out', out, '--watch');
    try {
      await eventually('a first file', () => watching.output.stderr.includes('(0 patterns)'));
      await register('shop.first');
      await written('ShopFirstPattern');
      await server.stop();
      await eventually('it notices', () => watching.output.stderr.includes('trying again'));
      server = await startMsg({ port });
      await register('shop.second');
      await written('ShopSecondPattern');
      watching.stop();
      expect(await watching.ended).toBe(0);
    } finally {
      watching.stop();
      await server.stop();
    }
  });
});
