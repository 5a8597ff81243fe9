import { systemRandom } from '@msg/foundation/clock';
import { ManualClock } from '@msg/foundation/clock/testing';
import { describe, expect, it } from 'vitest';
import { errorForm, errorGroup } from '#src/notify/dead-letters/group.ts';
import { MemoryDeadLetterQueue } from '#src/notify/dead-letters/memory.ts';
import { type LetterFilter, letterGroups, letterPage } from '#src/notify/dead-letters/pages.ts';

const clock = new ManualClock();
const ALL: LetterFilter = { sink: '', channel: '', group: '', query: '' };

/** A queue with so many letters, of two errors in turn. */
async function queueOf(count: number) {
  const queue = new MemoryDeadLetterQueue(systemRandom);
  for (let index = 0; index < count; index++) {
    await queue.push({
      sink: index % 4 === 3 ? 'mail' : 'hook',
      channel: `public:shop.n${index % 3}`,
      recipient: { url: `https://example.com/${index}` },
      message: { subject: `Order ${index}`, body: 'x'.repeat(10), metadata: {} },
      lastError: index % 2 === 0 ? `webhook returned 503 after ${index} ms` : 'getaddrinfo ENOTFOUND',
      attempts: 1,
      parkedAt: Math.floor(index / 3),
    });
  }
  return queue;
}

async function everyId(
  queue: MemoryDeadLetterQueue,
  filter: LetterFilter,
  limit: number,
  between = async () => {},
) {
  const ids: string[] = [];
  let after: string | undefined;
  do {
    const page = await letterPage(queue, clock, filter, after === undefined ? { limit } : { limit, after });
    ids.push(...(page?.letters ?? []).map(({ id }) => id));
    after = page?.next;
    await between();
  } while (after !== undefined);
  return ids;
}

describe('pages of dead letters', () => {
  it('have each letter once, in the order of the list', async () => {
    const queue = await queueOf(1203);
    expect(await everyId(queue, ALL, 100)).toEqual((await queue.list(undefined, 0)).map(({ id }) => id));
    const hook = await letterPage(queue, clock, { ...ALL, sink: 'hook' }, { limit: 5 });
    expect([hook?.letters.length, hook?.total]).toEqual([5, (await queue.sizes()).get('hook')]);
  });

  it('miss nothing that stays when the last row of a page is gone', async () => {
    const queue = await queueOf(50);
    const all = (await queue.list(undefined, 0)).map(({ id }) => id);
    let seen = 0;
    const ids = await everyId(queue, ALL, 10, async () => {
      seen += 10;
      await queue.discard(all[seen - 1] ?? '');
    });
    expect(ids).toEqual(all);
  });

  it('are narrowed by channel, group and a part of the text, with the number of all matches', async () => {
    const queue = await queueOf(60);
    const of = async (changes: Partial<LetterFilter>) =>
      letterPage(queue, clock, { ...ALL, ...changes }, { limit: 7 });
    expect(await of({ channel: 'public:shop.n1' })).toMatchObject({ total: 20 });
    expect(await of({ query: 'Order 59' })).toMatchObject({
      total: 1,
      letters: [{ message: { subject: 'Order 59' } }],
    });
    const group = errorGroup('webhook returned 503 after 8 ms');
    const page = await of({ group });
    expect([page?.total, page?.letters.length, page?.next === undefined]).toEqual([30, 7, false]);
    expect(await everyId(queue, { ...ALL, group }, 7)).toHaveLength(30);
  });

  it('end before an answer is too long', async () => {
    const queue = new MemoryDeadLetterQueue(systemRandom);
    const message = { subject: '', body: 'x'.repeat(400_000), metadata: {} };
    const letter = { sink: 'hook', channel: '', recipient: null, message, lastError: '', attempts: 1 };
    for (let index = 0; index < 5; index++) await queue.push({ ...letter, parkedAt: index });
    const page = await letterPage(queue, clock, ALL, { limit: 100 });
    expect([page?.letters.length, page?.total]).toEqual([1, 5]);
    expect(await everyId(queue, ALL, 100)).toHaveLength(5);
  });

  it('refuse a position of another listing', async () => {
    expect(await letterPage(await queueOf(1), clock, ALL, { limit: 1, after: 'x' })).toBeUndefined();
  });
});

describe('groups of dead letters', () => {
  it('count letters that failed alike, the largest first', async () => {
    const groups = await letterGroups(await queueOf(7), clock, '');
    expect(groups).toMatchObject([
      { count: 4, group: errorGroup('webhook returned 503 after 1 ms'), oldest: 0, newest: 2 },
      { count: 3, sample: 'getaddrinfo ENOTFOUND' },
    ]);
    expect(groups[0]?.group).toMatch(/^[0-9a-f]{16}$/);
  });

  it.each([
    ['webhook returned 503', 'webhook returned <n>'],
    ['GET https://a.example/x?token=abc failed', 'GET https://a.example/x?… failed'],
    ['request 7f3c2b1a-0d4e-4a6b-9c8d-112233445566 was refused', 'request <id> was refused'],
    ['trace 0af7651916cd43dd8448eb211c80319c', 'trace <hex>'],
  ])('%s has the form %s', (text, form) => {
    expect(errorForm(text)).toBe(form);
  });
});
