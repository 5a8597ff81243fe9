// No answer is longer than 2 MiB, whatever stands in it; what is left out follows (console 7).
import { terminal } from '@msg/server';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Embedded, embed, stopEmbedded } from '../support/embedded.ts';

const MOST_BYTES = 2 * 1024 * 1024;
const NAME = 'public:shop.news';

let service: Embedded;
let token: string;
/** Of the destination. */
let failure = 'the destination is down';

beforeEach(async () => {
  service = await embed({
    sinks: [
      {
        name: 'orders',
        async send() {
          throw terminal(new Error(failure));
        },
      },
    ],
  });
  ({ token } = service.msg.tokens.issueManagement('ann'));
  await service.msg.channels.openPublic(NAME);
});
afterEach(stopEmbedded);

type Row = Readonly<Record<string, unknown>>;

/** An answer, and its length as it came. */
async function call(method: string, request: object, bearer = token) {
  const answer = await fetch(`${service.url}/twirp/msg.MsgService/${method}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${bearer}` },
    body: JSON.stringify(request),
  });
  const bytes = new Uint8Array(await answer.arrayBuffer());
  expect(answer.status).toBe(200);
  expect(bytes.length).toBeLessThanOrEqual(MOST_BYTES);
  return JSON.parse(new TextDecoder().decode(bytes)) as Row; // the server answers JSON objects
}

/** Texts that take the more bytes in an answer. */
const TEXTS: readonly (readonly [what: string, character: string])[] = [
  ['plain letters', 'a'],
  ['control characters', '\u0001'],
  ['quotes', '"'],
  ['three bytes each', '世'],
];

describe('the history', () => {
  it.each([...TEXTS, ['bytes that are not text', '\u00ff'] as const])(
    'of payloads of %s ends early and goes on, with each publication once',
    async (what, character) => {
      const encoding = what.startsWith('bytes') ? 'latin1' : 'utf8';
      const size = 120_000;
      for (let n = 0; n < 30; n++)
        await service.msg.publish(NAME, new Uint8Array(Buffer.from(character.repeat(size), encoding)));
      const offsets: unknown[] = [];
      for (let from_offset = 1; from_offset <= 30; ) {
        const page = await call('History', {
          name: NAME,
          limit: 200,
          max_payload_bytes: 1_048_576,
          from_offset,
        });
        const rows = page['publications'] as readonly Row[];
        expect(rows.length).toBeGreaterThan(0);
        expect(rows.every(({ truncated }) => truncated === false)).toBe(true);
        offsets.push(...rows.map(({ offset }) => offset));
        from_offset += rows.length;
        expect(page['more']).toBe(from_offset <= 30);
      }
      expect(offsets).toEqual(Array.from({ length: 30 }, (_, n) => n + 1));
    },
  );

  it('of one payload of 1 MiB shows as much of it as fits, and says so', async () => {
    for (const [, character] of TEXTS) {
      const text = character.repeat(1_048_576 / Buffer.byteLength(character));
      await service.msg.publish(NAME, new TextEncoder().encode(`𝄞${text.slice(4)}`));
    }
    const seen: unknown[] = [];
    for (let from_offset = 1; from_offset <= TEXTS.length; from_offset++) {
      const request = { name: NAME, limit: 1, max_payload_bytes: 1_048_576, from_offset };
      const [row = {}] = (await call('History', request))['publications'] as readonly Row[];
      const data = String(row['data']);
      expect(data.isWellFormed()).toBe(true);
      expect(data.startsWith('𝄞')).toBe(true);
      expect(Number(row['size'])).toBeGreaterThan(1_000_000);
      seen.push([row['truncated'], data.length > 150_000]);
    }
    // Quotes and control characters are two and six bytes of an answer each.
    expect(seen).toEqual([
      [false, true],
      [true, true],
      [true, true],
      [false, true],
    ]);
  });
});

describe('the list of dead letters', () => {
  it.each(TEXTS)(
    'with bodies of %s ends early, and its cursors lead to each letter once',
    async (_, character) => {
      const message = {
        subject: character.repeat(1000),
        body: character.repeat(40_000),
        metadata: { note: character.repeat(20_000) },
      };
      for (let n = 0; n < 40; n++)
        await service.msg.publishOrSink(`public:shop.n${n}`, null, 'orders', { to: n }, message);
      const ids = new Set<unknown>();
      let count = 0;
      let cursor: unknown = '';
      do {
        const page = await call('DlqList', { limit: 10_000, cursor });
        const items = page['items'] as readonly Row[];
        for (const { id } of items) ids.add(id);
        count += items.length;
        cursor = page['next_cursor'];
      } while (cursor !== '');
      expect([count, ids.size]).toEqual([40, 40]);
    },
  );
});

describe('one letter', () => {
  const LIMIT = { timeout: 20_000 };
  const park = async (message: object, recipient: unknown = { to: 1 }): Promise<string> => {
    await service.msg.publishOrSink(`public:shop.one`, null, 'orders', recipient, message);
    const [letter = {}] = (await call('DlqList', { sink: 'orders', limit: 1 }))['items'] as readonly Row[];
    return String(letter['id']);
  };
  const read = async (id: string): Promise<Row & { readonly message: Row }> =>
    (await call('DlqGet', { id }))['item'] as Row & { readonly message: Row }; // as the method answers

  it('of 1.5 MB has its whole message, without the copies', LIMIT, async () => {
    const body = 'a'.repeat(1_500_000);
    const item = await read(await park({ subject: 'Order', body, metadata: { shop: '7' } }));
    expect(item).toMatchObject({ truncated: false, size: 1_500_000, subject: '', body: '', metadata: {} });
    expect(item.message).toEqual({ subject: 'Order', body, metadata: { shop: '7' } });
  });

  it.each(TEXTS)('of %s, longer than an answer, is cut and says so', LIMIT, async (_, character) => {
    const text = character.repeat(2_400_000 / Buffer.byteLength(character));
    const many = Object.fromEntries(
      Array.from({ length: 100_000 }, (_value, n) => [`name-${n}`, 'value-of-it']),
    );
    for (const message of [
      { body: `𝄞${text}` },
      { subject: text },
      { metadata: { note: text } },
      { metadata: many },
    ]) {
      const item = await read(await park(message));
      const { subject, body, metadata } = item.message as Record<'subject' | 'body', string> & {
        readonly metadata: Readonly<Record<string, string>>;
      };
      expect(item['truncated']).toBe(true);
      expect([subject, body, ...Object.values(metadata)].every(part => part.isWellFormed())).toBe(true);
      expect(`${subject}${body}${Object.values(metadata).join('')}`.length).toBeGreaterThan(100_000);
      expect(item['size']).toBe(Buffer.byteLength('body' in message ? message.body : ''));
    }
  });

  it(
    'with a recipient longer than an answer has none, and all letters are listed over pages',
    LIMIT,
    async () => {
      const ids = [await park({ body: 'short' }, { to: 'a'.repeat(2_100_000) })];
      expect(await read(ids[0] ?? '')).toMatchObject({
        recipient: null,
        truncated: true,
        message: { body: 'short' },
      });
      for (let n = 0; n < 3; n++) ids.push(await park({ body: 'a'.repeat(900_000) }));
      const all = await call('DlqList', { sink: 'orders' });
      expect(all['total']).toBe(4);
      const listed = [...(all['items'] as readonly Row[])];
      for (let { next_cursor: cursor } = all; cursor !== ''; ) {
        const page = await call('DlqList', { sink: 'orders', cursor });
        listed.push(...(page['items'] as readonly Row[]));
        ({ next_cursor: cursor } = page);
      }
      expect(listed.map(({ id }) => id)).toEqual(ids.toReversed());
      const { samples } = await call('DlqRedrive', { sink: 'orders', all: true, dry_run: true });
      expect(samples).toHaveLength(3);
    },
  );
});

describe('one publication', () => {
  it.each(TEXTS)(
    'with tags of %s longer than an answer shows a part of them, and its payload',
    async (_, character) => {
      const value = character.repeat(2_400_000 / Buffer.byteLength(character));
      const many = Object.fromEntries(
        Array.from({ length: 100_000 }, (_value, n) => [`name-${n}`, `${character}-of-it-all`]),
      );
      for (const tags of [{ note: value }, many]) {
        await service.msg.publish(NAME, { n: 7 }, { tags });
        const page = await call('History', { name: NAME, limit: 1, reverse: true });
        const [row = {}] = page['publications'] as readonly Row[];
        expect(row).toMatchObject({ data: '{"n":7}', truncated: true, size: 7 });
        expect(JSON.stringify(row['tags']).length).toBeGreaterThan(100_000);
      }
    },
  );
});

describe('groups of letters that failed', () => {
  it('which are more than an answer holds end early and say so', { timeout: 60_000 }, async () => {
    for (let n = 0; n < 1500; n++) {
      // Digits would be one form.
      failure = `${String(n).replaceAll(/\d/g, digit => 'ghijklmnop'[Number(digit)] ?? '')} ${'世'.repeat(480)}`;
      await service.msg.publishOrSink(`public:shop.n${n}`, null, 'orders', { to: n }, { body: '' });
    }
    const { groups, more } = await call('DlqGroups', { sink: 'orders' });
    expect([more, (groups as readonly Row[]).length > 1000]).toEqual([true, true]);
    const { job } = await call('DlqRedrive', { sink: 'orders', all: true, per_second: 0.1 });
    expect((job as Row)['groups']).toHaveLength(200); // as the method answers
  });
});

describe('the audit', () => {
  it('of callers with long names ends early, and its cursors lead to each record once', async () => {
    const { token: long } = service.msg.tokens.issueManagement('\u0001'.repeat(1000));
    const CALLS = 450;
    for (let n = 0; n < CALLS; n++) await call('TouchChannel', { name: NAME }, long);
    const ids = new Set<unknown>();
    let [count, pages] = [0, 0];
    let cursor: unknown = '';
    do {
      const page = await call('AuditList', { limit: 500, cursor, method: 'TouchChannel' });
      const records = page['records'] as readonly Row[];
      for (const { id } of records) ids.add(id);
      count += records.length;
      pages += 1;
      cursor = page['next_cursor'];
    } while (cursor !== '');
    expect([count, ids.size]).toEqual([CALLS, CALLS]);
    expect(pages).toBeGreaterThan(1);
  });
});
