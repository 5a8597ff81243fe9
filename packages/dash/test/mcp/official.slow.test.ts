import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { getRequestListener } from '@hono/node-server';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import {
  createMcpHandler,
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
} from '@modelcontextprotocol/server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDashServer } from '#src/mcp/server.ts';
import { loadSkills } from '#src/mcp/skills.ts';
import { openDocumentEngine } from '#src/reads/document-engine.ts';
import { FileStore } from '#src/store/file-store.ts';
import { BINARY } from './host.ts';

const run = promisify(execFile);
const fixtures = fileURLToPath(new URL('../../fixtures', import.meta.url));
const official = (path: string) =>
  fileURLToPath(new URL(`../../../../node_modules/@modelcontextprotocol/${path}`, import.meta.url));
const inspector = official('inspector/clients/launcher/build/index.js');
const conformance = official('conformance/dist/index.js');
const flags = ['--preview', 'changed', '--review-url', 'http://127.0.0.1:9'];
const started = [BINARY, 'mcp', '--root', fixtures, ...flags];

describe.each(['legacy', 'auto'] as const)('the official client, negotiating %s', mode => {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  beforeAll(async () => {
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: started,
      stderr: 'ignore',
    });
    await client.connect(transport);
  }, 60_000);
  afterAll(() => client.close());

  it('lists and calls every tool, answers checked against their output schemas', async () => {
    const { tools } = await client.listTools();
    expect(tools).toHaveLength(10);
    const id = 'team-pulse';
    const args: Record<string, Record<string, unknown>> = {
      dash_get_outline: { id },
      dash_get_node: { id, nodeId: 'scores-block' },
      dash_get_document: { id, resolved: true },
      dash_get_schema: { type: 'chart' },
      dash_get_skill: { name: 'blocks' },
      dash_validate_patch: { id, ops: [{ op: 'replace', path: '/$manifest/title', value: 'Weekly' }] },
    };
    for (const { name } of tools) {
      const answer = await client.callTool({ name, arguments: args[name] ?? {} });
      expect(answer.isError ?? false, name).toBe(false);
      expect(answer.structuredContent, name).toEqual(expect.any(Object));
    }
  });

  it('hands failures through as tool errors', async () => {
    const name = 'dash_validate_patch';
    const failed = await client.callTool({ name, arguments: { id: 'nobody', ops: [] } });
    expect(failed).toMatchObject({
      isError: true,
      structuredContent: { ok: false, code: 'STORAGE_NOT_FOUND', details: { id: 'nobody' } },
    });
    const bare = await client.callTool({ name: 'dash_get_outline', arguments: {} });
    expect(bare.isError).toBe(true);
    expect(bare.structuredContent).toBeUndefined();
  });

  it('reads skills as resources', async () => {
    const { resources } = await client.listResources();
    const { contents } = await client.readResource({ uri: resources[0]?.uri ?? '' });
    expect(contents).toMatchObject([
      { mimeType: 'text/markdown', text: expect.stringContaining('---\nname:') },
    ]);
  });
});

describe("the inspector's command line", () => {
  it('calls a tool', async () => {
    const call = ['--method', 'tools/call', '--tool-name', 'dash_get_outline', '--tool-arg', 'id=team-pulse'];
    const { stdout } = await run(process.execPath, [
      inspector,
      '--cli',
      process.execPath,
      ...started,
      ...call,
    ]);
    expect(JSON.parse(stdout)).toMatchObject({
      structuredContent: { id: 'team-pulse', root: { id: 'page' } },
    });
  }, 60_000);
});

describe.concurrent('the official conformance runner, over HTTP', () => {
  const context = {
    store: new FileStore({ root: fixtures }),
    engine: openDocumentEngine(resolve(fixtures, '../schemas')),
    skills: loadSkills(),
    version: '1.0.0',
  };
  const handler = createMcpHandler(() => createDashServer(context));
  const server = createServer(
    getRequestListener(
      request => hostHeaderValidationResponse(request, localhostAllowedHostnames()) ?? handler.fetch(request),
    ),
  );
  let url = '';
  let results = '';
  beforeAll(async () => {
    results = await mkdtemp(join(tmpdir(), 'dash-conformance-'));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  });
  afterAll(async () => {
    await handler.close();
    server.closeAllConnections();
    server.close();
    await rm(results, { recursive: true });
  });

  // The other scenarios call tools, prompts and resources of the runner's own example server.
  it.each(['server-initialize', 'ping', 'tools-list', 'resources-list', 'dns-rebinding-protection'])(
    'passes %s',
    async scenario => {
      const words = [conformance, 'server', '--url', url, '--scenario', scenario];
      const { stdout } = await run(process.execPath, words, { cwd: results });
      expect(stdout).toMatch(/Passed: [1-9]\d*\/\d+, 0 failed, 0 warnings/);
    },
    60_000,
  );
});
