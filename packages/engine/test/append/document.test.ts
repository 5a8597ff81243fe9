import { type AppendFormat, type AppendOp, AppendRefused } from '@msg/engine';
import { describe, expect, it } from 'vitest';
import { prepareAppend } from '#src/append/prepare.ts';
import { grow, json, start, text } from './documents.ts';
import { checkRandomPatches } from './random-patches.ts';

const SEED = Number(process.env['MODEL_SEED'] ?? Date.now() % 2 ** 31);

function refusal(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof AppendRefused) return `${error.kind}: ${error.message}`;
    throw error;
  }
  return 'no refusal';
}

describe('the document', () => {
  it('has its members in the order of the specification and escapes text as JSON.stringify does', () => {
    const document = start('text', { run: 'r1', input: 'i1' });
    const said = 'a"b\\c\n\u0000\u001f\u007f\u2028 é 👋';
    grow(document, { meta: Buffer.from('{"n": 1.50,\r\n "k":2}') });
    const state = grow(document, { text: said }, { status: 'failed', reason: 'too "loud"' });
    expect(text(state)).toBe(
      `{"id":"m1","status":"failed","reason":"too \\"loud\\"","run":"r1","input":"i1","meta":{"n": 1.50, "k":2},"text":${JSON.stringify(said)}}`,
    );
    expect(state.size).toBe(state.toBytes().length);
  });

  it('grows a list of items whose last string may be open', () => {
    const document = start('items');
    const seen = [
      grow(document, { item: json({ type: 'start' }) }),
      grow(document, { item: json({ type: 'text' }), open: 'delta' }),
      grow(document, { text: 'Hel' }, { text: 'lo' }),
      grow(document, { item: json({}), open: 'input' }, { text: 'x' }, { item: json(7) }),
      grow(document, { status: 'complete' }),
    ].map(state => JSON.parse(text(state)));
    expect(seen.map(({ items }) => items)).toEqual([
      [{ type: 'start' }],
      [{ type: 'start' }, { type: 'text', delta: '' }],
      [{ type: 'start' }, { type: 'text', delta: 'Hello' }],
      [{ type: 'start' }, { type: 'text', delta: 'Hello' }, { input: 'x' }, 7],
      [{ type: 'start' }, { type: 'text', delta: 'Hello' }, { input: 'x' }, 7],
    ]);
    expect(seen.at(-1).status).toBe('complete');
  });

  it.each<[string, AppendFormat, AppendOp]>([
    ['ops[0].text has half of a surrogate pair', 'text', { text: 'half \ud83d' }],
    ['ops[0].text has half of a surrogate pair', 'text', { text: `${'long '.repeat(20)}\udc00` }],
    ['ops[0]: items need a message of format items', 'text', { item: json(1) }],
    ['ops[0]: no string is open for text; add an item with open', 'items', { text: 'x' }],
    ['ops[0].item is not one JSON value', 'items', { item: Buffer.from('1],[2') }],
    ['ops[0].item is not one JSON value', 'items', { item: Buffer.alloc(0) }],
    ['ops[0].item is not a JSON object', 'items', { item: json([1]), open: 'delta' }],
    ['ops[0].item has the member "delta" already', 'items', { item: json({ delta: 1 }), open: 'delta' }],
    ['ops[0].open must be a name of at most 64 bytes', 'items', { item: json({}), open: 'x'.repeat(65) }],
    ['ops[0].meta is not a JSON object', 'text', { meta: json('x') }],
    ['ops[0].meta is longer than 4096 bytes', 'text', { meta: json({ x: 'y'.repeat(4096) }) }],
    ['ops[0].reason is longer than 256 bytes', 'text', { status: 'failed', reason: 'é'.repeat(129) }],
    ['ops[0].reason is not well-formed Unicode', 'text', { status: 'failed', reason: '\ud800' }],
    [
      'ops[0]: one of text, item, meta, or status complete, cancelled or failed',
      'text',
      { status: 'streaming' } as never,
    ],
  ])('refuses: %s', (message, format, op) => {
    expect(refusal(() => grow(start(format), op))).toBe(`invalid: ${message}`);
  });

  it.each<[string, object]>([
    ['message must be 1 to 64 of A-Z a-z 0-9 . _ ~ -', { message: 'a b' }],
    ['message must be 1 to 64 of A-Z a-z 0-9 . _ ~ -', { message: 'x'.repeat(65) }],
    ['producer must be 1 to 64 of A-Z a-z 0-9 . _ ~ -', { producer: '' }],
    ['run must be 1 to 64 of A-Z a-z 0-9 . _ ~ -', { run: '"' }],
    ['input must be 1 to 64 of A-Z a-z 0-9 . _ ~ -', { input: 'é' }],
    ['format must be text or items', { format: 'json' }],
    ['the orphan time must be 5 seconds to 1 hour', { orphanMs: 4999 }],
    ['the orphan time must be 5 seconds to 1 hour', { orphanMs: Number.NaN }],
    ['seq must be the number of the first operation, from 1', { seq: 0 }],
    ['seq must be the number of the first operation, from 1', { seq: 1.5 }],
    ['seq is too large', { seq: Number.MAX_SAFE_INTEGER }],
    ['more than 1024 operations; send several requests', { ops: new Array(1025).fill({ text: 'x' }) }],
    ['ops[0]: status must be the last operation', { ops: [{ status: 'complete' }, { text: 'x' }] }],
  ])('refuses a request: %s', (message, request) => {
    const command = { message: 'm1', producer: 'p', seq: 1, ops: [{ text: 'x' }], ...request };
    expect(refusal(() => prepareAppend(command))).toBe(`invalid: ${message}`);
  });

  it('refuses more bytes than any document may have, before it builds them', () => {
    const ops = new Array(9).fill({ text: 'x'.repeat(1_000_000) });
    const request = { message: 'm1', producer: 'p', seq: 1, ops };
    expect(refusal(() => prepareAppend(request))).toMatch(/^too_large: /);
  });
});

it(`patches between random states give the document in fossil-delta and in the stock clients; seed ${SEED}`, () => {
  expect(checkRandomPatches(SEED, 5_000)).toBeGreaterThan(2_500);
});
