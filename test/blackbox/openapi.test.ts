import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { METHODS } from '@msg/core';
import { apiSettings, COMMAND_MESSAGES, EXAMPLES, serviceDocument } from '@msg/server/internal';
import { type MsgServer, startMsg } from '@msg/testkit';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { build } from 'esbuild';
import { generate } from 'openapi-typescript-codegen';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { againstDocument } from '../../packages/server/test/support/openapi.ts';
import { type Exchange, exchangeAll } from '../support/openapi-exchange.ts';

const ROOT = join(import.meta.dirname, '../..');
const DOCUMENT = join(ROOT, 'docs/openapi.json');
const KEY = 'openapi-test-key-of-a-backend';

/** The value with its leaves replaced by their types: what an example and a real answer have in common. */
function formOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 0 ? [] : [formOf(value[0])];
  if (typeof value !== 'object' || value === null) return value === null ? 'null' : typeof value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, formOf(member)]));
}

/** The part of a document that is read here. */
interface Described {
  readonly paths: Readonly<Record<string, { readonly post: { readonly security: readonly object[] } }>>;
  readonly components: { readonly securitySchemes: object };
}

it('the linter has nothing to say about the document', async () => {
  const config = await createConfig({ extends: ['recommended-strict'] });
  const lint = (source: string) => lintFromString({ source, absoluteRef: DOCUMENT, config });
  const source = readFileSync(DOCUMENT, 'utf8');
  expect((await lint(source)).map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([]);
  expect(await lint(source.replaceAll('"summary"', '"summery"'))).not.toEqual([]);
});

describe('the examples of the document', () => {
  let exchanges: readonly Exchange[];
  beforeAll(async () => {
    exchanges = await exchangeAll();
  }, 120_000);

  it('has one for every method and command, which a real service answers with success', () => {
    const names = [
      ...Object.keys(METHODS),
      ...Object.keys(COMMAND_MESSAGES).map(name => `api/${name}`),
      'api/batch',
      'api',
    ];
    expect(exchanges.map(({ name }) => name).toSorted()).toEqual(names.toSorted());
    expect(Object.keys(EXAMPLES).toSorted()).toEqual(names.toSorted());
    expect(exchanges.filter(({ status }) => status !== 200)).toEqual([]);
    const failed = exchanges.filter(({ answer }) => 'error' in (answer as object)).map(({ name }) => name);
    // No program embeds this service.
    expect(failed).toEqual(['api/rpc']);
  });

  it('says of every request and answer what they are', () => {
    expect(exchanges.flatMap(againstDocument)).toEqual([]);
  });

  it('has the form of what a service answers now; `npm run docs:examples` records them anew', () => {
    // Client ids are names of members there.
    for (const { name, request, answer } of exchanges.filter(
      ({ name }) => !['api/presence', 'Manifest'].includes(name),
    )) {
      expect([name, formOf(EXAMPLES[name])]).toEqual([name, formOf({ request, answer })]);
    }
  });

  it('validates what is recorded, too, and would notice another form', () => {
    const recorded = exchanges.map(exchange => ({ ...exchange, ...EXAMPLES[exchange.name] }));
    expect(recorded.flatMap(againstDocument)).toEqual([]);
    const [publish] = recorded.filter(({ name }) => name === 'api/publish');
    expect(againstDocument({ ...(publish as Exchange), answer: { result: { offset: 'one' } } })).not.toEqual(
      [],
    );
    expect(againstDocument({ ...(publish as Exchange), request: { data: 1 } })).not.toEqual([]);
  });

  it('shows no token and no key', () => {
    expect(readFileSync(DOCUMENT, 'utf8')).not.toMatch(/eyJ\w{12}|msgk_\w{8}_\w/);
  });
});

describe('the failures of the HTTP API', () => {
  let server: MsgServer;
  beforeAll(async () => {
    server = await startMsg({ args: ['--no-auth', '--api', '--openapi'] });
  }, 60_000);
  afterAll(() => server.stop());

  it.each([
    ['publish', { channel: 'public:shop.other', data: 1 }, 404],
    ['publish', { channel: 'public:shop.other' }, 400],
    ['history', { channel: 'public:shop.other' }, 404],
    ['disconnect', {}, 400],
  ])('%s of %j is as the document says, in both error modes', async (name, request, status) => {
    for (const mode of ['default', 'transport']) {
      const answer = await fetch(`${server.url}/api/${name}`, {
        method: 'POST',
        headers: { 'X-Centrifugo-Error-Mode': mode },
        body: JSON.stringify(request),
      });
      expect(answer.status).toBe(mode === 'transport' ? status : 200);
      const body = await answer.json();
      expect(againstDocument({ path: `/api/${name}`, request, status: answer.status, answer: body })).toEqual(
        [],
      );
    }
  });
});

describe('a document of a service', () => {
  it('has the paths of the HTTP API where it is, the ways to present a key, and none of them while it is off', () => {
    const document = (api?: Parameters<typeof apiSettings>[0]) =>
      serviceDocument({ version: 'x', prefix: '', api: api && apiSettings(api) }) as unknown as Described;
    const here = document({ path: '/rt/api', allowQueryKey: true });
    expect(Object.keys(here.paths)).toContain('/rt/api/publish');
    expect(here.paths['/rt/api']?.post.security).toEqual([
      { apiKey: [] },
      { apiKeyAuthorization: [] },
      { apiKeyQuery: [] },
    ]);
    expect(Object.keys(document({}).components.securitySchemes)).not.toContain('apiKeyQuery');
    expect(Object.keys(document().paths).filter(path => path.startsWith('/api'))).toEqual([]);
  });
});

describe('a client that a generator makes of the document', () => {
  let server: MsgServer;
  let folder: string;

  beforeAll(async () => {
    mkdirSync(join(ROOT, '.tmp'), { recursive: true });
    folder = mkdtempSync(join(ROOT, '.tmp/openapi-'));
    const config = join(folder, 'msg.yaml');
    writeFileSync(config, `auth: { api_keys: [{ name: shop, key: ${KEY} }] }\napi: { enabled: true }\n`);
    server = await startMsg({ args: ['--openapi', '--config', config] });
  }, 60_000);
  afterAll(async () => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('compiles and publishes by the RPC and by the HTTP API', async () => {
    const served = (await (await fetch(`${server.url}/openapi.json`)).json()) as object; // what the route serves
    expect(served).toEqual(JSON.parse(readFileSync(DOCUMENT, 'utf8')));
    const output = join(folder, 'client');
    await generate({ input: served, output, httpClient: 'fetch' });
    const main = join(folder, 'main.ts');
    writeFileSync(
      main,
      `import { DefaultService, OpenAPI } from './client';

export async function run(base: string, token: string, key: string): Promise<unknown[]> {
  OpenAPI.BASE = base;
  OpenAPI.TOKEN = token;
  await DefaultService.openPublic({ name: 'public:shop.news', ttl_seconds: 60 });
  const { offset } = await DefaultService.publish({ name: 'public:shop.news', data: 'aGVsbG8=' });
  OpenAPI.TOKEN = undefined;
  OpenAPI.HEADERS = { 'X-API-Key': key };
  const answer = await DefaultService.apiPublish({ channel: 'public:shop.news', data: { hello: 'world' } });
  const again = await DefaultService.publish({ name: 'public:shop.news', data: 'aGVsbG8=' });
  const unknown = await DefaultService.apiPublish({ channel: 'public:shop.other', data: 1 });
  return [offset, 'result' in answer && answer.result.offset, again.offset, 'error' in unknown && unknown.error.code];
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
      run(base: string, token: string, key: string): Promise<unknown[]>;
    };
    expect(await run(server.url, server.token, KEY)).toEqual([1, 2, 3, 102]);
  }, 120_000);
});
