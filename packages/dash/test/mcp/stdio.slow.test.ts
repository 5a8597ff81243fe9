import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canonicalText } from '#src/document/canonical.ts';
import { teamPulse } from '../changeset/team-pulse.ts';
import { RawHost } from './host.ts';

const id = 'team-pulse';
let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'dash-mcp-'));
  await writeFile(join(directory, `${id}.json`), canonicalText(teamPulse()));
});
afterAll(() => rm(directory, { recursive: true }));

const MODERN = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** A line that is complained about on stderr. */
const NOT_UTF_8 = Buffer.from([0x7b, 0xff, 0xfe, 0x7d, 0x0a]);

describe('the tool server on raw stdio', () => {
  let host: RawHost;
  beforeAll(async () => {
    host = new RawHost(['--root', directory]);
    await host.initialize();
  }, 60_000);
  afterAll(() => host.hangUp());

  it('names itself in the banner on stderr, and its capabilities in the handshake', async () => {
    await host.logged(/^dash MCP server running on stdio\nfs store \//);
    const [answer] = host.messages();
    expect(answer?.result).toMatchObject({
      protocolVersion: '2025-06-18',
      serverInfo: { name: 'dash', version: 'dev' },
      capabilities: { tools: {}, resources: {}, extensions: { 'io.modelcontextprotocol/ui': {} } },
      instructions: expect.stringContaining('dash_get_manifest'),
    });
  });

  it('answers requests that arrive together, each under its own id', async () => {
    const ids = Array.from({ length: 40 }, (_, index) => `call-${index}`);
    const line = (at: string) =>
      JSON.stringify({
        jsonrpc: '2.0',
        id: at,
        method: 'tools/call',
        params: { name: 'dash_get_node', arguments: { id, nodeId: at === 'call-7' ? 'ghost' : 'scores' } },
      });
    host.raw(`${ids.map(line).join('\n')}\n`);
    const answers = await Promise.all(ids.map(at => host.answer(at)));
    const failed = answers.filter(({ result }) => result?.['isError'] === true);
    expect(failed.map(answer => answer.id)).toEqual(['call-7']);
  });

  it('drops a line over 8 MiB and goes on', async () => {
    host.raw(`{"jsonrpc":"2.0","id":900,"method":"ping","params":{"x":"${'a'.repeat(8 * 1024 * 1024)}"}}\n`);
    expect((await host.request('ping')).result).toEqual({});
    await host.logged(/over 8388608 bytes/);
    expect(host.messages().some(message => message.id === 900)).toBe(false);
  });

  it('drops a line that is not UTF-8 and goes on', async () => {
    host.raw(NOT_UTF_8);
    expect((await host.request('ping')).result).toEqual({});
    await host.logged(/not UTF-8/);
    // One line of each kind so far, and one complaint about each.
    expect(host.stderr.match(/not UTF-8|over 8388608 bytes/g)).toHaveLength(2);
  });

  it('answers lines that are not messages, and shows none of them on stderr', async () => {
    const before = host.messages().length;
    host.raw('hello SECRET\n{}\n[]\n{"jsonrpc":"2.0","id":{},"method":"SECRET"}\n\n');
    host.raw('{"jsonrpc":"2.0","id":"odd","method":["SECRET"]}\n');
    expect((await host.answer('odd')).error?.code).toBe(-32_600);
    const answered = host.messages().slice(before);
    expect(answered.map(({ id, error }) => [id, error?.code])).toEqual([
      [null, -32_700],
      [null, -32_600],
      [null, -32_600],
      [null, -32_600],
      ['odd', -32_600],
    ]);
    expect((await host.request('ping')).result).toEqual({});
    // What stderr has until the complaint about another line.
    const complaints = host.stderr.match(/not UTF-8/g)?.length ?? 0;
    host.raw(NOT_UTF_8);
    await host.logged(/not UTF-8/, complaints + 1);
    expect(host.stderr + JSON.stringify(answered)).not.toContain('SECRET');
  });

  it('refuses what nests too deep, however deep it is', async () => {
    const deep = `${'['.repeat(300_000)}${']'.repeat(300_000)}`;
    const value = `[{"op":"add","path":"/scores/config/query","value":{"a":${deep}}}]`;
    const params = (ops: string) => `{"name":"dash_validate_patch","arguments":{"id":"${id}","ops":${ops}}}`;
    for (const [at, ops] of [deep, value].entries()) {
      host.raw(`{"jsonrpc":"2.0","id":"deep-${at}","method":"tools/call","params":${params(ops)}}\n`);
      const { result } = await host.answer(`deep-${at}`);
      expect(result).toMatchObject({ isError: true, structuredContent: { code: 'PATCH_INVALID' } });
    }
  });

  it('does not answer a cancelled request', async () => {
    const call = { name: 'dash_get_document', arguments: { id, resolved: true } };
    const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'gone' } };
    const request = { jsonrpc: '2.0', id: 'gone', method: 'tools/call', params: call };
    host.raw(`${JSON.stringify(request)}\n${JSON.stringify(cancel)}\n`);
    await host.tool('dash_get_document', { id, resolved: true });
    expect(host.messages().some(message => message.id === 'gone')).toBe(false);
  });

  it('answers an unknown tool and an unknown method with protocol errors', async () => {
    expect((await host.request('tools/call', { name: 'dash_write' })).error).toMatchObject({
      code: -32602,
      message: expect.stringContaining('dash_validate_patch'),
    });
    expect((await host.request('dash/unknown')).error?.code).toBe(-32601);
  });

  it('hands out skills as resources, and no others', async () => {
    const { result } = await host.request('resources/list');
    const resources = result?.['resources'] as { uri: string; name: string; mimeType: string }[];
    expect(resources).toHaveLength(15);
    expect(resources.at(-1)).toMatchObject({
      uri: 'ui://dash/preview',
      mimeType: 'text/html;profile=mcp-app',
    });
    const preview = (await host.request('resources/read', { uri: 'ui://dash/preview' })).result?.['contents'];
    expect(preview).toMatchObject([
      {
        uri: 'ui://dash/preview',
        mimeType: 'text/html;profile=mcp-app',
        text: expect.stringContaining('<!doctype html>'),
      },
    ]);
    const { uri } = resources[0] ?? { uri: '' };
    const read = (await host.request('resources/read', { uri })).result?.['contents'];
    const skill = await host.tool('dash_get_skill', { name: uri.slice('dash-skill://'.length) });
    expect(read).toEqual([{ uri, mimeType: 'text/markdown', text: skill.structuredContent?.['body'] }]);
    const unknown = await host.request('resources/read', { uri: 'dash-skill://nothing' });
    expect(unknown.error).toMatchObject({ code: -32602, data: { uri: 'dash-skill://nothing' } });
    expect((await host.request('resources/templates/list')).result).toMatchObject({ resourceTemplates: [] });
  });
});

describe.concurrent('the end of the tool server', () => {
  it('answers what was asked before the end of input, then exits with 0', async () => {
    const host = new RawHost(['--root', directory]);
    const client = {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'x', version: '1' },
    };
    host.send({ id: 1, method: 'initialize', params: client });
    host.send({ method: 'notifications/initialized' });
    const call = { name: 'dash_get_document', arguments: { id, resolved: true } };
    for (const at of [2, 3, 4]) host.send({ id: at, method: 'tools/call', params: call });
    expect(await host.hangUp()).toEqual({ status: 0, signal: null });
    // Calls run side by side: JSON-RPC binds an answer to its call by the id, not by the order.
    const answered = host.messages().map(message => message.id);
    expect(answered.sort()).toEqual([1, 2, 3, 4]);
  });

  it.each(['SIGINT', 'SIGTERM'] as const)('exits with 0 on %s, stdout clean', async signal => {
    const host = new RawHost(['--root', directory]);
    await host.initialize();
    expect(await host.kill(signal)).toEqual({ status: 0, signal: null });
    expect(host.messages()).toHaveLength(1);
  });

  it('exits with 0 when the input ends before anything was said', async () => {
    const host = new RawHost(['--root', directory]);
    expect(await host.hangUp()).toEqual({ status: 0, signal: null });
    expect(host.stdout).toBe('');
  });
});

describe.concurrent('the start of the tool server', () => {
  it.each([
    ['a root that does not exist', ['--root', '/none/such'], 1, 'STORAGE_IO'],
    ['a schema directory that does not exist', ['--schemas', '/none/such'], 1, 'SCHEMA_IO'],
    ['an unknown flag', ['--colour'], 2, 'CLI_INVALID'],
  ])('is refused with %s', async (_name, words, status, code) => {
    const host = new RawHost(['--json', ...words]);
    expect(await host.hangUp()).toEqual({ status, signal: null });
    expect(host.stdout).toBe('');
    expect(JSON.parse(host.stderr)).toMatchObject({ code, details: expect.any(Object) });
  });

  it('answers discovery and calls of the stateless protocol without a handshake', async () => {
    const host = new RawHost(['--root', directory]);
    const found = await host.request('server/discover', { _meta: MODERN });
    expect(found.result).toMatchObject({ supportedVersions: expect.arrayContaining(['2026-07-28']) });
    const call = { name: 'dash_list_dashboards', arguments: {}, _meta: MODERN };
    const listed = await host.request('tools/call', call);
    expect(listed.result?.['structuredContent']).toEqual({ dashboards: [{ id, title: 'Team pulse' }] });
    expect((await host.hangUp()).status).toBe(0);
    host.messages();
  });

  it('falls back to the handshake after a discovery', async () => {
    const host = new RawHost(['--root', directory], tmpdir());
    await host.request('server/discover', { _meta: MODERN });
    expect((await host.initialize('2025-11-25')).result).toMatchObject({ protocolVersion: '2025-11-25' });
    expect((await host.tool('dash_list_dashboards')).structuredContent).toEqual({
      dashboards: [{ id, title: 'Team pulse' }],
    });
    expect((await host.hangUp()).status).toBe(0);
  });
});
