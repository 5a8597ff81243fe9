import type { Policy } from '@msg/engine';

/** Main and all threads have the same policy: what it remembers would be remembered once per thread. */
export const policy: Policy = {
  connect: ({ name }) => ({ user: name }),
  subscribe: () => ({ recovery: 'stream', emitPresence: true, emitJoinLeave: true, pushJoinLeave: true }),
  publish: (_client, event, forward) => forward(event, {}),
  presence: () => {},
  presenceStats: () => {},
  streamOptions: () => ({ size: 100, ttlMs: 3_600_000 }),
  // For trying what happens then; leave it out of a program of yours.
  rpc(_client, { method }) {
    if (method === 'crash') setImmediate(() => process.exit(7));
    return new Uint8Array(0);
  },
};
