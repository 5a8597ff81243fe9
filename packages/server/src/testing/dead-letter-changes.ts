import assert from 'node:assert/strict';
import type { ContractCase } from '@msg/engine/testing';
import { systemClock } from '@msg/foundation/clock';
import type { DeadLetterQueue } from '../notify/dead-letters/contract.ts';
import { type DeadLetterSubject, letter, only, promise } from './dead-letter-cases.ts';

const AT = Date.UTC(2026, 0, 2, 4, 0, 0);
const LONG_MS = 60_000;
const SHORT_MS = 30;

async function count(queue: DeadLetterQueue): Promise<number> {
  return (await queue.sizes()).get('hook') ?? 0;
}

/** Changes of letters, of a queue that has them. */
export const changing: readonly ContractCase<DeadLetterSubject>[] = [
  promise('a change keeps id, place and attempts, and says who made it', async ({ queue, otherNode }) => {
    if (queue.update === undefined) return;
    const id = await queue.push(letter());
    const newer = await queue.push(letter({ parkedAt: letter().parkedAt + 1 }));
    const recipient = { url: 'https://example.com/other' };
    await queue.update(id, { recipient, by: 'ann', at: AT });
    const message = { subject: 'S', body: 'ü\u0000', metadata: { a: 'b' } };
    const changed = await otherNode.update?.(id, { message, by: 'bea', at: AT + 1 });
    const edits = [
      { by: 'ann', at: AT },
      { by: 'bea', at: AT + 1 },
    ];
    assert.deepEqual(changed, { id, ...letter(), recipient, message, edits });
    assert.deepEqual(await queue.list('hook', 0), [
      { id: newer, ...letter({ parkedAt: letter().parkedAt + 1 }) },
      changed,
    ]);
    assert.deepEqual(await queue.get?.(id), changed);
    const claim = await otherNode.claim(id);
    assert.deepEqual(claim?.letter, changed);
    await claim?.fail({ attempts: 9, lastError: 'again' });
    assert.deepEqual((await queue.list('hook', 0))[1], { ...changed, attempts: 9, lastError: 'again' });
    await queue.update(id, { message, by: 'ann', at: AT + 2 });
    assert.equal((await queue.list('hook', 0))[1]?.attempts, 9);
  }),
  promise('a letter that is claimed, or gone, is not changed', async ({ queue, otherNode }) => {
    if (queue.update === undefined) return;
    const change = { recipient: null, by: 'ann', at: AT };
    assert.equal(await queue.update('nothing', change), undefined);
    const id = await queue.push(letter());
    const claim = await otherNode.claim(id);
    assert.equal(await queue.update(id, change), undefined);
    await claim?.release();
    assert.deepEqual(await only(queue), { id, ...letter() });
    await queue.discard(id);
    assert.equal(await queue.update(id, change), undefined);
  }),
  promise('changes at the same moment all happen', async ({ queue, otherNode }) => {
    if (queue.update === undefined) return;
    const id = await queue.push(letter());
    const changes = Array.from({ length: 10 }, (_, index) =>
      (index % 2 === 0 ? queue : otherNode).update?.(id, { recipient: index, by: `n${index}`, at: AT }),
    );
    await Promise.all(changes);
    const { edits = [] } = await only(queue);
    assert.deepEqual(
      edits.map(({ by }) => by).sort(),
      Array.from({ length: 10 }, (_, index) => `n${index}`),
    );
  }),
];

/** Discards that can be taken back, of a queue that has them. */
export const hiding: readonly ContractCase<DeadLetterSubject>[] = [
  promise('a hidden letter is nowhere, and comes back unchanged', async ({ queue, otherNode }) => {
    if (queue.hide === undefined) return;
    const id = await queue.push(letter());
    const newer = await queue.push(letter({ parkedAt: letter().parkedAt + 1 }));
    assert.deepEqual(await queue.hide([id, 'nothing'], LONG_MS), [id]);
    assert.deepEqual(await otherNode.hide?.([id], LONG_MS), []);
    for (const node of [queue, otherNode]) {
      assert.deepEqual(
        (await node.list('hook', 0)).map(item => item.id),
        [newer],
      );
      assert.equal(await count(node), 1);
      assert.equal(await node.claim(id), undefined);
      assert.equal(await node.discard(id), false);
      assert.equal(await node.get?.(id), undefined);
      assert.equal(await node.update?.(id, { recipient: null, by: 'ann', at: AT }), undefined);
    }
    assert.equal(await otherNode.restore?.([id, newer, 'nothing']), 1);
    assert.deepEqual((await queue.list('hook', 0))[1], { id, ...letter() });
    assert.equal(await count(queue), 2);
  }),
  promise('after its time a hidden letter is gone for good', async ({ queue, otherNode }) => {
    if (queue.hide === undefined) return;
    const id = await queue.push(letter());
    await queue.hide([id], SHORT_MS);
    await new Promise<void>(resolve => void systemClock.setTimeout(resolve, 3 * SHORT_MS)); // the store has its own time
    assert.equal(await otherNode.restore?.([id]), 0);
    assert.equal(await count(otherNode), 0);
    assert.deepEqual(await queue.list(undefined, 0), []);
    assert.equal(await queue.restore?.([id]), 0);
  }),
  promise('pages have no gaps where letters are hidden', async ({ queue }) => {
    if (queue.hide === undefined || queue.slice === undefined) return;
    const ids: string[] = [];
    for (let index = 0; index < 9; index++)
      ids.push(await queue.push(letter({ parkedAt: letter().parkedAt + index })));
    await queue.hide(ids.slice(2, 8), LONG_MS);
    const page = await queue.slice('hook', undefined, 3);
    assert.deepEqual(
      page?.map(item => item.id),
      [ids[8], ids[1], ids[0]],
    );
  }),
  promise('a replay that began before the discard ends as it would', async ({ queue, otherNode }) => {
    if (queue.hide === undefined) return;
    const [sent, failed] = [await queue.push(letter()), await queue.push(letter())];
    const claims = [await queue.claim(sent), await queue.claim(failed)];
    await otherNode.hide?.([sent, failed], LONG_MS);
    await claims[0]?.remove();
    await claims[1]?.fail({ attempts: 9, lastError: 'again' });
    assert.equal(await queue.restore?.([sent, failed]), 1);
    assert.deepEqual(await only(otherNode), { id: failed, ...letter(), attempts: 9, lastError: 'again' });
    assert.equal(await count(queue), 1);
  }),
  promise('a letter that comes back during its replay is still claimed', async ({ queue, otherNode }) => {
    if (queue.hide === undefined) return;
    const id = await queue.push(letter());
    const claim = await queue.claim(id);
    await otherNode.hide?.([id], LONG_MS);
    assert.equal(await otherNode.restore?.([id]), 1);
    assert.equal(await otherNode.claim(id), undefined);
    await claim?.remove();
    assert.deepEqual(await otherNode.list(undefined, 0), []);
  }),
];
