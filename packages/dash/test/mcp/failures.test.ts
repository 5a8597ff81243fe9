import { InMemoryTransport } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import { loadCatalog } from '#src/catalog/index.ts';
import { nodeTypes } from '#src/catalog/reference.ts';
import { LineFilter, MAX_LINE_BYTES } from '#src/mcp/line-filter.ts';
import { createDashServer } from '#src/mcp/server.ts';
import { loadSkills } from '#src/mcp/skills.ts';
import { FileStore } from '#src/store/file-store.ts';

const catalog = loadCatalog();

/** A store whose disk does what nobody foresaw. */
class BrokenStore extends FileStore {
  override async load(): Promise<never> {
    throw new TypeError('secret of the inside');
  }
}

async function callOf(tool: string, args: object): Promise<unknown> {
  const server = createDashServer({
    shop: { store: new BrokenStore({ root: '.' }), types: nodeTypes(catalog), resolve: document => document },
    catalog,
    resolveOptions: {},
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
    const filter = new LineFilter(
      note => void notes.push(note),
      async () => undefined,
    );
    const passed: Buffer[] = [];
    filter.on('data', (part: Buffer) => void passed.push(part));
    const ended = new Promise(resolve => filter.on('end', resolve));
    for (const chunk of chunks) filter.write(chunk);
    filter.end();
    await ended;
    return { lines: Buffer.concat(passed).toString(), notes };
  }

  it('joins lines that arrive in pieces, also within a character', async () => {
    const bytes = Buffer.from('ä\nbc\n');
    const pieces = [...bytes].map(byte => Buffer.from([byte]));
    expect(await filtered(pieces)).toEqual({ lines: 'ä\nbc\n', notes: [] });
  });

  it('passes a line of exactly 8 MiB and drops the next longer one, whatever the pieces', async () => {
    const longest = Buffer.alloc(MAX_LINE_BYTES, 'a');
    const newline = Buffer.from('\n');
    const kept = await filtered([longest, newline]);
    expect([kept.lines.length, kept.notes]).toEqual([MAX_LINE_BYTES + 1, []]);
    const dropped = await filtered([longest, Buffer.from('a'), newline, Buffer.from('next\n')]);
    expect(dropped).toEqual({ lines: 'next\n', notes: [expect.stringContaining('discarded')] });
    const whole = await filtered([Buffer.concat([longest, Buffer.from('a\nnext\n')])]);
    expect(whole).toEqual(dropped);
  });

  it('drops lines that are not UTF-8, and an unfinished last one', async () => {
    const { lines, notes } = await filtered([Buffer.from([0xc3, 0x0a]), Buffer.from('ok\nrest')]);
    expect(lines).toBe('ok\n');
    expect(notes).toHaveLength(1);
  });
});
