import assert from 'node:assert/strict';
import type { ContractCase } from '@msg/engine/testing';
import { defined } from '@msg/foundation/json';
import type { AuditStore } from '../audit/contract.ts';
import type { AuditRecord } from '../audit/record.ts';
import type { SharedSubject } from './shared-subject.ts';

const BEGIN_MS = Date.UTC(2026, 0, 2, 3, 4, 5);

/** A record of a second of its own. */
function record(second: number, members: Partial<AuditRecord> = {}): AuditRecord {
  return {
    id: `call-${String(second).padStart(4, '0')}`,
    at: new Date(BEGIN_MS + second * 1000).toISOString(),
    actor: 'operator',
    role: 'admin',
    via: 'rpc',
    method: 'DeleteChannel',
    target: `channel:public:shop.n${second}`,
    detail: '',
    outcome: 'ok',
    duration_ms: 3,
    request_id: `r-${second}`,
    remote_addr: '127.0.0.1',
    node: 'node-a',
    ...members,
  };
}

async function idsOf(
  store: AuditStore,
  filter: Parameters<AuditStore['list']>[0]['filter'],
): Promise<readonly string[]> {
  const page = await store.list({ filter, limit: 500 });
  return (page?.records ?? []).map(({ id }) => id);
}

function promise(
  name: string,
  holds: ContractCase<SharedSubject<AuditStore>>['holds'],
): ContractCase<SharedSubject<AuditStore>> {
  return { name, holds };
}

/** What every store of audit records does. */
export const AUDIT_STORE_CONTRACT: readonly ContractCase<SharedSubject<AuditStore>>[] = [
  promise('an empty store answers an empty page', async ({ here }) => {
    assert.deepEqual(await here.list({ filter: {}, limit: 10 }), { records: [] });
  }),

  promise(
    'what one appends the other lists, the newest first, with every member',
    async ({ here, there }) => {
      await here.append(record(1));
      await there.append(
        record(2, { actor: 'key:shop', via: 'api', detail: 'reason=left', outcome: 'MSG_INTERNAL' }),
      );
      const page = await here.list({ filter: {}, limit: 10 });
      assert.deepEqual(page, {
        records: [
          record(2, { actor: 'key:shop', via: 'api', detail: 'reason=left', outcome: 'MSG_INTERNAL' }),
          record(1),
        ],
      });
      assert.deepEqual(await there.list({ filter: {}, limit: 10 }), page);
    },
  ),

  promise('the outcome of a call takes the place of its begin', async ({ here, there }) => {
    await here.append(record(1, { outcome: 'started' }));
    assert.deepEqual((await there.list({ filter: {}, limit: 10 }))?.records, [
      record(1, { outcome: 'started' }),
    ]);
    await here.append(record(1));
    assert.deepEqual((await there.list({ filter: {}, limit: 10 }))?.records, [record(1)]);
  }),

  promise('pages follow each other without a gap and without a record twice', async ({ here, there }) => {
    for (let second = 0; second < 7; second++) await here.append(record(second));
    const seen: string[] = [];
    let after: string | undefined;
    for (;;) {
      const query = { filter: {}, limit: 3, ...defined({ after }) };
      const page = await there.list(query);
      assert.ok(page !== undefined);
      seen.push(...page.records.map(({ id }) => id));
      // What happens meanwhile is newer than every page that follows.
      await here.append(record(100 + seen.length));
      if (page.next === undefined) break;
      after = page.next;
    }
    assert.deepEqual(
      seen,
      [6, 5, 4, 3, 2, 1, 0].map(second => record(second).id),
    );
  }),

  promise('a page is full although few records pass the filter', async ({ here }) => {
    for (let second = 0; second < 30; second++)
      await here.append(record(second, { actor: second % 10 === 0 ? 'ann' : 'ben' }));
    const page = await here.list({ filter: { actor: 'ann' }, limit: 2 });
    assert.deepEqual(
      page?.records.map(({ id }) => id),
      [record(20).id, record(10).id],
    );
    assert.ok(page?.next !== undefined);
  }),

  promise('a filter has every member', async ({ here }) => {
    await here.append(record(1));
    await here.append(record(2, { actor: 'ann', method: 'RetireKey', target: 'kid:k-1' }));
    await here.append(record(3, { via: 'cli', outcome: 'MSG_AUTH_DENIED' }));
    const second = (n: number) => BEGIN_MS + n * 1000;
    assert.deepEqual(await idsOf(here, { actor: 'ann' }), [record(2).id]);
    assert.deepEqual(await idsOf(here, { method: 'RetireKey' }), [record(2).id]);
    assert.deepEqual(await idsOf(here, { target: 'kid:k-1' }), [record(2).id]);
    assert.deepEqual(await idsOf(here, { target: 'public:shop.n3' }), [record(3).id]);
    assert.deepEqual(await idsOf(here, { target: 'shop.n3' }), []);
    assert.deepEqual(await idsOf(here, { via: 'cli', outcome: 'MSG_AUTH_DENIED' }), [record(3).id]);
    assert.deepEqual(await idsOf(here, { sinceMs: second(2) }), [record(3).id, record(2).id]);
    assert.deepEqual(await idsOf(here, { untilMs: second(2) }), [record(2).id, record(1).id]);
  }),

  promise('a position of another listing is refused', async ({ here }) => {
    await here.append(record(1));
    assert.equal(await here.list({ filter: {}, limit: 1, after: 'elsewhere' }), undefined);
  }),
];
