import { claiming } from './claiming-batches.ts';

// Each row by its id. Without the step of its own the planner may walk the whole outbox in the order that the answer
// has, and then a claim takes as long as the backlog is.
const ROWS = `unnest(ids) c(id) CROSS JOIN LATERAL (SELECT r.* FROM {schema}.outbox r WHERE r.id = c.id OFFSET 0) o
    ORDER BY o.partition, o.version`;

// Rows are taken from the front of the index, where the entries of those that are gone stay until a vacuum. Whether a
// partition has a row is asked from the back, where a backlog has its newest.
/** Migration 6: a claim reads the rows that it takes, and no others. */
export const CLAIMING_BY_ID = claiming({
  create: 'CREATE OR REPLACE FUNCTION',
  epoch: '(SELECT s.id FROM {schema}.outbox_state s)',
  rows: ROWS,
  looksFrom: 'back',
});
