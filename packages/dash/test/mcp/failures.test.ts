import { InMemoryTransport } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import { lineDenial } from '#src/mcp/json-rpc.ts';
import { LineFilter, MAX_LINE_BYTES } from '#src/mcp/line-filter.ts';
import { createDashServer } from '#src/mcp/server.ts';
import { loadSkills } from '#src/mcp/skills.ts';
import { openDocumentEngine } from '#src/reads/document-engine.ts';
import { FileStore } from '#src/store/file-store.ts';

/** A store whose disk does what nobody foresaw. */
class BrokenStore extends FileStore {
  override async load(): Promise<never> {
    throw new TypeError('secret of the inside');
  }
}

async function callOf(tool: string, args: object): Promise<unknown> {
  const server = createDashServer({
    store: new BrokenStore({ root: '.' }),
    engine: openDocumentEngine(),
    skills: loadSkills(),
    version: '1',
  });
  const [near, far] = InMemoryTransport.createLinkedPair();
  const answers = new Map<unknown, (message: unknown) => void>();
  near.onmessage = message => {
    if ('id' in message) answers.get(message.id)?.(message);
  };
  await Promise.all([near.start(), server.connect(far)]);
  const ask = async (id: number, method: string, params: Record<string, unknown>) => {
    const { promise, resolve } = Promise.withResolvers<unknown>();
    answers.set(id, resolve);
    await near.send({ jsonrpc: '2.0', id, method, params });
    return promise;
  };
  const clientInfo = { name: 'test', version: '1' };
  await ask(1, 'initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
  const answer = await ask(2, 'tools/call', { name: tool, arguments: args });
  await near.close();
  return answer;
}

describe('an unforeseen failure', () => {
  it.each([
    ['dash_get_outline', 'MCP_INTERNAL'],
    ['dash_validate_patch', 'STORAGE_INTERNAL'],
  ])('of %s is %s and shows nothing of the inside', async (tool, code) => {
    const args = tool === 'dash_validate_patch' ? { id: 'x', ops: [] } : { id: 'x' };
    const text = JSON.stringify(await callOf(tool, args));
    expect(text).toContain(code);
    expect(text).toContain('"isError":true');
    expect(text).not.toMatch(/secret|TypeError|\.ts:/);
  });
});

describe('the line filter', () => {
  async function filtered(chunks: readonly Buffer[]): Promise<{ lines: string; notes: string[] }> {
    const notes: string[] = [];
    const filter = new LineFilter({
      note: note => void notes.push(note),
      refuse: ({ error }) => void notes.push(`refused ${error.code}`),
      settled: async () => undefined,
    });
    const passed: Buffer[] = [];
    filter.on('data', (part: Buffer) => void passed.push(part));
    const ended = new Promise(resolve => filter.on('end', resolve));
    for (const chunk of chunks) filter.write(chunk);
    filter.end();
    await ended;
    return { lines: Buffer.concat(passed).toString(), notes };
  }

  const notification = (method: string) => `${JSON.stringify({ jsonrpc: '2.0', method })}\n`;

  it('joins lines that arrive in pieces, also within a character', async () => {
    const text = notification('ä') + notification('bc');
    const pieces = [...Buffer.from(text)].map(byte => Buffer.from([byte]));
    expect(await filtered(pieces)).toEqual({ lines: text, notes: [] });
  });

  it('passes a line of exactly 8 MiB and drops the next longer one, whatever the pieces', async () => {
    const short = Buffer.from(notification(''));
    const longest = Buffer.from(notification('a'.repeat(MAX_LINE_BYTES + 1 - short.length)));
    const kept = await filtered([longest.subarray(0, -1), longest.subarray(-1)]);
    expect([kept.lines.length, kept.notes]).toEqual([MAX_LINE_BYTES + 1, []]);
    const next = notification('next');
    const dropped = await filtered([longest.subarray(0, -1), Buffer.from(' \n'), Buffer.from(next)]);
    expect(dropped).toEqual({ lines: next, notes: [expect.stringContaining('discarded')] });
    const whole = await filtered([Buffer.concat([longest.subarray(0, -1), Buffer.from(` \n${next}`)])]);
    expect(whole).toEqual(dropped);
  });

  it('drops lines that are not UTF-8, and an unfinished last one', async () => {
    const ok = notification('ok');
    const { lines, notes } = await filtered([Buffer.from([0xc3, 0x0a]), Buffer.from(`${ok}rest`)]);
    expect(lines).toBe(ok);
    expect(notes).toHaveLength(1);
  });

  it('refuses lines that are not messages and ignores blank ones', async () => {
    const { lines, notes } = await filtered([Buffer.from('hello\n{}\r\n\n \r\n[]\n')]);
    expect(lines).toBe('');
    expect(notes).toEqual(['refused -32700', 'refused -32600', 'refused -32600']);
  });
});

describe('a line that is not a message', () => {
  const MESSAGES = [
    '{"jsonrpc":"2.0","id":1,"method":"ping"}',
    '{"jsonrpc":"2.0","id":"a","method":"ping","params":{}}',
    '{"jsonrpc":"2.0","method":"notifications/initialized"}',
    '{"jsonrpc":"2.0","id":1,"result":{}}',
    '{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}}',
  ];
  it.each(MESSAGES)('%s is one', line => expect(lineDenial(line)).toBeUndefined());

  it.each([
    ['hello', -32700, null],
    ['{"jsonrpc":"2.0","id":1,"method":"ping"', -32700, null],
    ['{}', -32600, null],
    ['7', -32600, null],
    ['null', -32600, null],
    ['[{"jsonrpc":"2.0","id":1,"method":"ping"}]', -32600, null],
    ['{"jsonrpc":"1.0","id":1,"method":"ping"}', -32600, 1],
    ['{"jsonrpc":"2.0","id":"a","method":7}', -32600, 'a'],
    ['{"jsonrpc":"2.0","id":2,"method":"ping","params":7}', -32600, 2],
    ['{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600, null],
    ['{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600, null],
  ])('%s is refused with %i and the id %j', (line, code, id) => {
    expect(lineDenial(line)).toMatchObject({ jsonrpc: '2.0', id, error: { code } });
  });
});
