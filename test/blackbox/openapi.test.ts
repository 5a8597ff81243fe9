import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type MsgServer, startMsg } from '@msg/testkit';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { build } from 'esbuild';
import { generate } from 'openapi-typescript-codegen';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const DOCUMENT = join(ROOT, 'docs/openapi.json');

it('the linter has nothing to say about the document', async () => {
  const config = await createConfig({ extends: ['recommended-strict'] });
  const lint = (source: string) => lintFromString({ source, absoluteRef: DOCUMENT, config });
  const source = readFileSync(DOCUMENT, 'utf8');
  expect((await lint(source)).map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([]);
  expect(await lint(source.replaceAll('"summary"', '"summery"'))).not.toEqual([]);
});

describe('a client that a generator makes of the document', () => {
  let server: MsgServer;
  let folder: string;

  beforeAll(async () => {
    server = await startMsg({ args: ['--openapi'] });
    mkdirSync(join(ROOT, '.tmp'), { recursive: true });
    folder = mkdtempSync(join(ROOT, '.tmp/openapi-'));
  }, 60_000);
  afterAll(async () => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('compiles and publishes', async () => {
    const served = (await (await fetch(`${server.url}/openapi.json`)).json()) as object; // what the route serves
    expect(served).toEqual(JSON.parse(readFileSync(DOCUMENT, 'utf8')));
    const output = join(folder, 'client');
    await generate({ input: served, output, httpClient: 'fetch' });
    const main = join(folder, 'main.ts');
    writeFileSync(
      main,
      `import { DefaultService, OpenAPI } from './client';

export async function run(base: string, token: string): Promise<number> {
  OpenAPI.BASE = base;
  OpenAPI.TOKEN = token;
  await DefaultService.openPublic({ name: 'public:shop.news', ttl_seconds: 60 });
  const { offset } = await DefaultService.publish({ name: 'public:shop.news', data: 'aGVsbG8=' });
  return offset;
}
`,
    );
    const flags =
      '--ignoreConfig --noEmit --strict --target es2022 --module esnext --moduleResolution bundler --lib es2022,dom --types node';
    const compiled = spawnSync(join(ROOT, 'node_modules/.bin/tsc'), [...flags.split(' '), main], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    expect(compiled.stdout).toBe('');
    expect(compiled.status).toBe(0);
    const outfile = join(folder, 'main.mjs');
    await build({ entryPoints: [main], bundle: true, format: 'esm', platform: 'node', outfile });
    expect(existsSync(outfile)).toBe(true);
    const { run } = (await import(pathToFileURL(outfile).href)) as {
      run(base: string, token: string): Promise<number>;
    };
    expect(await run(server.url, server.token)).toBe(1);
  }, 120_000);
});
