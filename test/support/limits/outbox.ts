import type { Source } from '../constant-source.ts';
import type { Evidence } from '../evidence.ts';
import type { LimitRow } from './row.ts';

const source = (file: string, name: string, value?: number): Source => {
  const path = `packages/postgres/src/${file}.ts`;
  return value === undefined ? [path, name] : [path, name, value];
};
const outbox = (file: string, title: string): Evidence => [`packages/postgres/test/${file}.test.ts`, title];

const REFUSED = outbox('blackbox/publishing', '%s is refused in the statement');
const BOUNDS = outbox('worker/bounds', 'with %s %d is refused with its bounds');

/** Rows of the PostgreSQL outbox. */
export const OUTBOX_LIMITS: Readonly<Record<string, LimitRow>> = {
  'one payload of `msg.publish`; one channel name': {
    constants: [
      source('schema/publishing', 'dataBytes', 1_048_576),
      source('schema/publishing', 'nameBytes', 255),
    ],
    tests: [REFUSED],
  },
  'channels of one `msg.broadcast`': {
    constants: [source('schema/publishing', 'channels', 1000)],
    tests: [REFUSED],
  },
  'rows that wait in an [outbox](postgres.md)': {
    constants: [['packages/postgres/src/worker/worker.ts', 'maxRows', 0]],
    tests: [outbox('blackbox/publishing', 'raises 53400 above the bound on rows'), BOUNDS],
  },
  'one batch of an outbox': {
    constants: [
      source('worker/worker', 'batch', 500),
      source('worker/worker', 'batch', 1000),
      source('store/database-store', 'BATCH_BYTES'),
      source('store/database-store', 'BATCH_PARTITIONS'),
    ],
    tests: [
      BOUNDS,
      outbox(
        'blackbox/batches',
        'takes several partitions, up to each of its bounds, and tells whether one ended it',
      ),
    ],
  },
  'the wait of an outbox worker between two batches of a steady stream': {
    constants: [source('worker/pace', 'LINGER_MS')],
    tests: [
      outbox(
        'worker/pace',
        'a worker between commits that follow each other looks again before it asks to be woken',
      ),
    ],
  },
  'the same in a busy stream': {
    constants: [source('worker/pace', 'BUSY_LINGER_MS'), source('worker/pace', 'BUSY_ROWS')],
    tests: [outbox('worker/pace', 'a worker in a busy stream waits longer, until the stream is calm again')],
  },
  'a worker of an outbox that is silent': {
    constants: [source('store/database-store', 'LEASE_MS')],
    tests: [
      outbox(
        'blackbox/processes',
        'a worker that is stopped past its lease repeats nothing and reorders nothing',
      ),
    ],
  },
  'a row whose channel is not open': {
    constants: [source('worker/worker', 'waitForChannelMs', 60_000)],
    tests: [
      outbox('blackbox/worker', 'is waited for, then its rows are dead, all that waited as long at once'),
    ],
  },
  'a row without a version whose first attempt has no known outcome': {
    constants: [source('worker/attempt', 'UNCERTAIN_MS')],
    tests: [
      outbox(
        'blackbox/worker',
        'a row whose first attempt is too long ago is parked, and the channel goes on',
      ),
    ],
  },
  'an attempt of an outbox after a failure': {
    constants: [source('worker/backoff', 'FIRST_MS'), source('worker/backoff', 'LONGEST_MS')],
    tests: [outbox('worker/bounds', 'double from 100 ms to 10 s, up to half of each left to chance')],
  },
};
