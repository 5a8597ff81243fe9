import type { Oracle } from './observations.ts';

/** How long the database keeps rows for a worker that is silent. */
const LEASE_US = 10_000_000;

export const outboxLease: Oracle = {
  id: 'O44',
  promise: 'a worker that was given rows calls the service before its lease has run out, or not at all',
  judge({ outbox }) {
    if (outbox === undefined) return [];
    const leaseStarts = new Map<string, number>();
    const acts = [
      ...outbox.leases.map(act => ({ ...act, isLease: true })),
      ...outbox.requests.map(act => ({ ...act, isLease: false })),
    ].toSorted((a, b) => a.atUs - b.atUs);
    return acts.flatMap(({ worker, atUs, isLease }) => {
      if (isLease) {
        leaseStarts.set(worker, atUs);
        return [];
      }
      const sinceUs = leaseStarts.get(worker);
      // Later calls of a batch have a lease that was prolonged.
      leaseStarts.delete(worker);
      if (sinceUs === undefined || atUs - sinceUs < LEASE_US) return [];
      const text = `${worker} publishes ${(atUs - sinceUs) / 1000} ms after it was given rows`;
      return [{ oracle: 'O44', atUs, text }];
    });
  },
};
