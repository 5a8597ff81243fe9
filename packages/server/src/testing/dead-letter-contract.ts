import assert from 'node:assert/strict';
import type { ContractCase } from '@msg/engine/testing';
import type { DeadLetter, DeadLetterQueue } from '../notify/dead-letters/contract.ts';
import { type DeadLetterSubject, ids, letter, only, PARKED_AT, promise } from './dead-letter-cases.ts';
import { changing, hiding } from './dead-letter-changes.ts';

const keeping: ContractCase<DeadLetterSubject>[] = [
  promise('an empty queue lists nothing and knows no id', async ({ queue }) => {
    assert.deepEqual(await queue.list(undefined, 0), []);
    assert.deepEqual(await queue.list('hook', 10), []);
    assert.equal((await queue.sizes()).get('hook') ?? 0, 0);
    for (const id of ['', '0-0', 'nothing', '0123456789abcdef']) {
      assert.equal(await queue.discard(id), false);
      assert.equal(await queue.claim(id), undefined);
    }
  }),
  promise('a letter comes back whole, on every node', async ({ queue, otherNode }) => {
    const id = await queue.push(letter());
    assert.notEqual(id, '');
    assert.deepEqual(await queue.list('hook', 0), [{ id, ...letter() }]);
    assert.deepEqual(await otherNode.list('hook', 0), [{ id, ...letter() }]);
  }),
  promise('recipients are any JSON value, and texts any text', async ({ queue }) => {
    const recipients = [null, {}, { address: 'ä@example.com' }, [1, { a: null }], 'text', 7, false];
    for (const [index, recipient] of recipients.entries()) {
      const message = { subject: '', body: '\u0000\u{1f600}"\\', metadata: {} };
      await queue.push(letter({ recipient, message, channel: '', parkedAt: PARKED_AT + index }));
    }
    const listed = await queue.list(undefined, 0);
    assert.deepEqual(listed.map(item => item.recipient).reverse(), recipients);
    for (const item of listed) assert.equal(item.message.body, '\u0000\u{1f600}"\\');
  }),
  promise('what the caller does to a letter later does not change it', async ({ queue }) => {
    const recipient = { url: 'https://example.com/a' };
    await queue.push(letter({ recipient }));
    recipient.url = 'https://example.com/b';
    assert.deepEqual((await only(queue)).recipient, { url: 'https://example.com/a' });
  }),
  promise('letters are listed newest first, up to the limit, of one sink or of all', async ({ queue }) => {
    const first = await queue.push(letter({ parkedAt: PARKED_AT + 10 }));
    const third = await queue.push(letter({ parkedAt: PARKED_AT + 30 }));
    const second = await queue.push(letter({ sink: 'mail', parkedAt: PARKED_AT + 20 }));
    assert.deepEqual(ids(await queue.list(undefined, 0)), [third, second, first]);
    assert.deepEqual(ids(await queue.list('hook', 0)), [third, first]);
    assert.deepEqual(ids(await queue.list(undefined, 2)), [third, second]);
    assert.deepEqual(ids(await queue.list('hook', 1)), [third]);
    assert.deepEqual(ids(await queue.list('other', 0)), []);
  }),
  promise('letters of one moment are listed by id, descending', async ({ queue }) => {
    const pushed: string[] = [];
    for (let i = 0; i < 8; i++) pushed.push(await queue.push(letter()));
    assert.equal(new Set(pushed).size, 8);
    const listed = ids(await queue.list('hook', 0));
    assert.deepEqual([...listed].sort(), [...pushed].sort());
    assert.deepEqual(ids(await queue.list('hook', 0)), listed, 'the order does not change');
  }),
  promise('sizes are by sink', async ({ queue, otherNode }) => {
    await queue.push(letter());
    await queue.push(letter());
    const mail = await otherNode.push(letter({ sink: 'mail' }));
    const sizes = await queue.sizes();
    assert.deepEqual([sizes.get('hook'), sizes.get('mail')], [2, 1]);
    await queue.discard(mail);
    assert.equal((await queue.sizes()).get('mail') ?? 0, 0);
  }),
  promise('concurrent pushes get an id each', async ({ queue, otherNode }) => {
    const pushed = await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        (i % 2 === 0 ? queue : otherNode).push(letter({ sink: `s${i % 3}` })),
      ),
    );
    assert.equal(new Set(pushed).size, 50);
    assert.equal((await queue.list(undefined, 0)).length, 50);
  }),
  promise('a full sink drops its oldest letters, and only its own', async subject => {
    const { queue, capacity, slack } = subject;
    const other = await queue.push(letter({ sink: 'mail', parkedAt: PARKED_AT - 1 }));
    const pushed: string[] = [];
    const total = capacity + slack + 3;
    for (let i = 0; i < total; i++) pushed.push(await queue.push(letter({ parkedAt: PARKED_AT + i })));
    const listed = ids(await queue.list('hook', 0));
    assert.ok(listed.length >= capacity && listed.length <= capacity + slack, `${listed.length} are kept`);
    assert.deepEqual(listed.slice(0, capacity), pushed.slice(-capacity).reverse());
    assert.equal((await queue.sizes()).get('hook'), listed.length);
    assert.equal(await queue.discard(pushed[0] as string), false);
    assert.deepEqual(ids(await queue.list('mail', 0)), [other]);
  }),
];

/** Follows slices to the end. */
async function sliced(queue: DeadLetterQueue, sink: string | undefined, count: number): Promise<string[]> {
  const letterIds: string[] = [];
  let after: DeadLetter | undefined;
  do {
    const slice = await queue.slice?.(sink, after, count);
    assert.ok(slice !== undefined && slice.length <= count);
    letterIds.push(...ids(slice));
    after = slice.length < count ? undefined : slice.at(-1);
  } while (after !== undefined);
  return letterIds;
}

const reading: ContractCase<DeadLetterSubject>[] = [
  promise('slices hold every letter once, in the order of arrival, newest first', async subject => {
    const { queue, otherNode } = subject;
    if (queue.slice === undefined) return;
    const pushed: string[] = [];
    for (let i = 0; i < 11; i++) pushed.push(await queue.push(letter({ parkedAt: PARKED_AT + i })));
    const other = await queue.push(letter({ sink: 'mail', parkedAt: PARKED_AT + 20 }));
    assert.deepEqual(await sliced(otherNode, 'hook', 4), pushed.toReversed());
    assert.deepEqual((await sliced(queue, undefined, 5)).toSorted(), [...pushed, other].toSorted());
    const [first, second] = (await queue.slice('hook', undefined, 2)) ?? [];
    await queue.discard(first?.id ?? '');
    assert.deepEqual(ids((await queue.slice('hook', first, 1)) ?? []), [second?.id]);
    assert.equal(await queue.slice('hook', { parkedAt: 1, id: 'no id' }, 1), undefined);
  }),
  promise('one letter is read by its id, with what a replay changed', async ({ queue, otherNode }) => {
    if (queue.get === undefined) return;
    const id = await queue.push(letter());
    assert.deepEqual(await otherNode.get?.(id), { id, ...letter() });
    await (await queue.claim(id))?.fail({ attempts: 9, lastError: 'again' });
    assert.equal((await otherNode.get?.(id))?.attempts, 9);
    assert.equal(await queue.get('0-0'), undefined);
  }),
];

const removing: ContractCase<DeadLetterSubject>[] = [
  promise('a letter is discarded once', async ({ queue, otherNode }) => {
    const id = await queue.push(letter());
    const other = await queue.push(letter());
    assert.deepEqual(await Promise.all([queue.discard(id), otherNode.discard(id)]).then(r => r.sort()), [
      false,
      true,
    ]);
    assert.deepEqual(ids(await queue.list(undefined, 0)), [other]);
    assert.equal(await queue.claim(id), undefined);
  }),
  promise('one claim at a time, over all nodes', async ({ queue, otherNode }) => {
    const id = await queue.push(letter());
    const claims = await Promise.all([
      queue.claim(id),
      otherNode.claim(id),
      queue.claim(id),
      otherNode.claim(id),
    ]);
    const [held, ...others] = claims.filter(claim => claim !== undefined);
    assert.deepEqual(others, []);
    assert.deepEqual(held?.letter, { id, ...letter() });
    assert.equal(await otherNode.claim(id), undefined);
    await held?.release();
    const again = await otherNode.claim(id);
    assert.deepEqual(again?.letter, { id, ...letter() });
    await again?.release();
  }),
  promise('a claimed letter stays listed until its replay is delivered', async ({ queue, otherNode }) => {
    const id = await queue.push(letter());
    const claim = await queue.claim(id);
    assert.equal((await otherNode.sizes()).get('hook'), 1);
    assert.deepEqual(ids(await otherNode.list('hook', 0)), [id]);
    await claim?.remove();
    assert.deepEqual(await otherNode.list('hook', 0), []);
    assert.equal((await queue.sizes()).get('hook') ?? 0, 0);
    assert.equal(await queue.claim(id), undefined);
    assert.equal(await queue.discard(id), false);
  }),
  promise(
    'a failed replay changes attempts and error, and neither id nor place',
    async ({ queue, otherNode }) => {
      const id = await queue.push(letter());
      const newer = await queue.push(letter({ parkedAt: PARKED_AT + 1 }));
      await (await queue.claim(id))?.fail({ attempts: 10, lastError: 'webhook returned 500' });
      const changed = { id, ...letter(), attempts: 10, lastError: 'webhook returned 500' };
      assert.deepEqual((await otherNode.list('hook', 0))[1], changed);
      assert.deepEqual(ids(await queue.list('hook', 0)), [newer, id]);
      const claim = await otherNode.claim(id);
      assert.deepEqual(claim?.letter, changed);
      await claim?.fail({ attempts: 11, lastError: 'again' });
      assert.equal((await queue.list('hook', 0))[1]?.attempts, 11);
    },
  ),
  promise('a letter that is discarded while it is replayed stays gone', async ({ queue, otherNode }) => {
    for (const end of ['fail', 'release', 'remove'] as const) {
      const id = await queue.push(letter());
      const claim = await queue.claim(id);
      assert.equal(await otherNode.discard(id), true);
      if (end === 'fail') await claim?.fail({ attempts: 9, lastError: 'x' });
      else await claim?.[end]();
      assert.deepEqual(await queue.list(undefined, 0), []);
      assert.deepEqual(await otherNode.list(undefined, 0), []);
      assert.equal((await queue.sizes()).get('hook') ?? 0, 0);
      assert.equal(await queue.claim(id), undefined);
    }
  }),
  promise('claims of different letters do not touch each other', async ({ queue }) => {
    const a = await queue.push(letter());
    const b = await queue.push(letter({ sink: 'mail' }));
    const [first, second] = [await queue.claim(a), await queue.claim(b)];
    await first?.remove();
    await second?.fail({ attempts: 6, lastError: 'x' });
    const left = await only(queue);
    assert.deepEqual([left.id, left.attempts], [b, 6]);
  }),
];

/** What every dead-letter queue does; run each case with a fresh subject. Source: messaging details 12.3. */
export const DEAD_LETTER_CONTRACT: readonly ContractCase<DeadLetterSubject>[] = [
  ...keeping,
  ...reading,
  ...removing,
  ...changing,
  ...hiding,
];
