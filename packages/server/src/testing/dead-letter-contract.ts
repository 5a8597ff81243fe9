import assert from 'node:assert/strict';
import type { ContractCase } from '@msg/engine/testing';
import type { DeadLetter, DeadLetterQueue, NewDeadLetter } from '../notify/dead-letters/contract.ts';

/** An empty dead-letter queue. */
export interface DeadLetterSubject {
  readonly queue: DeadLetterQueue;
  /** The same store from another node; the same object for a single node. */
  readonly peer: DeadLetterQueue;
  /** Letters kept per sink. */
  readonly capacity: number;
  /** How many more letters a queue with approximate trimming may hold. */
  readonly slack: number;
}

const PARKED_AT = Date.UTC(2026, 0, 2, 3, 4, 5);

function letter(changes: Partial<NewDeadLetter> = {}): NewDeadLetter {
  return {
    sink: 'hook',
    channel: 'public:shop.order.7',
    recipient: { url: 'https://example.com/hook' },
    message: { subject: 'Order 7', body: 'paid\r\n{"a":"ü"}', metadata: { order: '7', __proto__x: '' } },
    lastError: 'webhook returned 503 Service Unavailable',
    attempts: 5,
    parkedAt: PARKED_AT,
    ...changes,
  };
}

const ids = (letters: readonly DeadLetter[]): string[] => letters.map(({ id }) => id);

async function only(queue: DeadLetterQueue): Promise<DeadLetter> {
  const letters = await queue.list(undefined, 0);
  assert.equal(letters.length, 1);
  return letters[0] as DeadLetter;
}

function promise(
  name: string,
  holds: ContractCase<DeadLetterSubject>['holds'],
): ContractCase<DeadLetterSubject> {
  return { name, holds };
}

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
  promise('a letter comes back whole, on every node', async ({ queue, peer }) => {
    const id = await queue.push(letter());
    assert.notEqual(id, '');
    assert.deepEqual(await queue.list('hook', 0), [{ id, ...letter() }]);
    assert.deepEqual(await peer.list('hook', 0), [{ id, ...letter() }]);
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
  promise('sizes are by sink', async ({ queue, peer }) => {
    await queue.push(letter());
    await queue.push(letter());
    const mail = await peer.push(letter({ sink: 'mail' }));
    const sizes = await queue.sizes();
    assert.deepEqual([sizes.get('hook'), sizes.get('mail')], [2, 1]);
    await queue.discard(mail);
    assert.equal((await queue.sizes()).get('mail') ?? 0, 0);
  }),
  promise('concurrent pushes get an id each', async ({ queue, peer }) => {
    const pushed = await Promise.all(
      Array.from({ length: 50 }, (_, i) => (i % 2 === 0 ? queue : peer).push(letter({ sink: `s${i % 3}` }))),
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
    const kept = ids(await queue.list('hook', 0));
    assert.ok(kept.length >= capacity && kept.length <= capacity + slack, `${kept.length} are kept`);
    assert.deepEqual(kept.slice(0, capacity), pushed.slice(-capacity).reverse());
    assert.equal((await queue.sizes()).get('hook'), kept.length);
    assert.equal(await queue.discard(pushed[0] as string), false);
    assert.deepEqual(ids(await queue.list('mail', 0)), [other]);
  }),
];

const removing: ContractCase<DeadLetterSubject>[] = [
  promise('a letter is discarded once', async ({ queue, peer }) => {
    const id = await queue.push(letter());
    const kept = await queue.push(letter());
    assert.deepEqual(await Promise.all([queue.discard(id), peer.discard(id)]).then(r => r.sort()), [
      false,
      true,
    ]);
    assert.deepEqual(ids(await queue.list(undefined, 0)), [kept]);
    assert.equal(await queue.claim(id), undefined);
  }),
  promise('one claim at a time, over all nodes', async ({ queue, peer }) => {
    const id = await queue.push(letter());
    const claims = await Promise.all([queue.claim(id), peer.claim(id), queue.claim(id), peer.claim(id)]);
    const [held, ...others] = claims.filter(claim => claim !== undefined);
    assert.deepEqual(others, []);
    assert.deepEqual(held?.letter, { id, ...letter() });
    assert.equal(await peer.claim(id), undefined);
    await held?.release();
    const again = await peer.claim(id);
    assert.deepEqual(again?.letter, { id, ...letter() });
    await again?.release();
  }),
  promise('a claimed letter stays listed until its replay is delivered', async ({ queue, peer }) => {
    const id = await queue.push(letter());
    const claim = await queue.claim(id);
    assert.equal((await peer.sizes()).get('hook'), 1);
    assert.deepEqual(ids(await peer.list('hook', 0)), [id]);
    await claim?.remove();
    assert.deepEqual(await peer.list('hook', 0), []);
    assert.equal((await queue.sizes()).get('hook') ?? 0, 0);
    assert.equal(await queue.claim(id), undefined);
    assert.equal(await queue.discard(id), false);
  }),
  promise('a failed replay changes attempts and error, and neither id nor place', async ({ queue, peer }) => {
    const id = await queue.push(letter());
    const newer = await queue.push(letter({ parkedAt: PARKED_AT + 1 }));
    await (await queue.claim(id))?.fail({ attempts: 10, lastError: 'webhook returned 500' });
    const changed = { id, ...letter(), attempts: 10, lastError: 'webhook returned 500' };
    assert.deepEqual((await peer.list('hook', 0))[1], changed);
    assert.deepEqual(ids(await queue.list('hook', 0)), [newer, id]);
    const claim = await peer.claim(id);
    assert.deepEqual(claim?.letter, changed);
    await claim?.fail({ attempts: 11, lastError: 'again' });
    assert.equal((await queue.list('hook', 0))[1]?.attempts, 11);
  }),
  promise('a letter that is discarded while it is replayed stays gone', async ({ queue, peer }) => {
    for (const end of ['fail', 'release', 'remove'] as const) {
      const id = await queue.push(letter());
      const claim = await queue.claim(id);
      assert.equal(await peer.discard(id), true);
      if (end === 'fail') await claim?.fail({ attempts: 9, lastError: 'x' });
      else await claim?.[end]();
      assert.deepEqual(await queue.list(undefined, 0), []);
      assert.deepEqual(await peer.list(undefined, 0), []);
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
export const DEAD_LETTER_CONTRACT: readonly ContractCase<DeadLetterSubject>[] = [...keeping, ...removing];
