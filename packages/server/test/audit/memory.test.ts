import { expect, it } from 'vitest';
import { AuditRing } from '#src/audit/memory.ts';
import { auditStoreContract } from '../support/store-contracts.ts';

auditStoreContract('memory', async () => {
  const store = new AuditRing();
  return [store, store];
});

it('a ring drops the oldest record', () => {
  const ring = new AuditRing(2);
  for (const id of ['a', 'b', 'c'])
    ring.append({ id, at: `2026-01-02T03:04:0${id.charCodeAt(0) - 96}Z` } as never);
  expect(ring.list({ filter: {}, limit: 10 })?.records.map(({ id }) => id)).toEqual(['c', 'b']);
});
