/**
 * Client protocol 11.3: streams keep ten publications for `ttl` seconds; `wait`: seconds between the last publication
 * and the subscribe.
 */
export const RECOVERY_TABLE: readonly {
  row: number;
  mode: 'stream' | 'cache';
  ttl: number;
  published: number;
  offset: number;
  limit: number;
  wait: number;
  recovered: boolean;
  count: number;
}[] = [
  { row: 1, mode: 'stream', ttl: 60, published: 0, offset: 0, limit: 0, wait: 0, recovered: true, count: 0 },
  { row: 2, mode: 'stream', ttl: 60, published: 10, offset: 8, limit: 0, wait: 0, recovered: true, count: 2 },
  {
    row: 3,
    mode: 'stream',
    ttl: 60,
    published: 10,
    offset: 5,
    limit: 2,
    wait: 0,
    recovered: false,
    count: 0,
  },
  {
    row: 4,
    mode: 'stream',
    ttl: 60,
    published: 10,
    offset: 5,
    limit: 1,
    wait: 0,
    recovered: false,
    count: 0,
  },
  {
    row: 5,
    mode: 'stream',
    ttl: 60,
    published: 20,
    offset: 8,
    limit: 0,
    wait: 0,
    recovered: false,
    count: 0,
  },
  {
    row: 6,
    mode: 'stream',
    ttl: 60,
    published: 20,
    offset: 108,
    limit: 0,
    wait: 0,
    recovered: false,
    count: 0,
  },
  { row: 7, mode: 'stream', ttl: 60, published: 7, offset: 7, limit: 0, wait: 0, recovered: true, count: 0 },
  { row: 8, mode: 'stream', ttl: 60, published: 4, offset: 0, limit: 0, wait: 0, recovered: true, count: 4 },
  { row: 9, mode: 'stream', ttl: 1, published: 10, offset: 8, limit: 0, wait: 3, recovered: false, count: 0 },
  { row: 10, mode: 'stream', ttl: 1, published: 1, offset: 1, limit: 0, wait: 3, recovered: true, count: 0 },
  { row: 11, mode: 'cache', ttl: 60, published: 0, offset: 0, limit: 0, wait: 0, recovered: false, count: 0 },
  { row: 12, mode: 'cache', ttl: 60, published: 10, offset: 8, limit: 0, wait: 0, recovered: true, count: 1 },
  { row: 12, mode: 'cache', ttl: 60, published: 10, offset: 5, limit: 2, wait: 0, recovered: true, count: 1 },
  { row: 12, mode: 'cache', ttl: 60, published: 10, offset: 5, limit: 1, wait: 0, recovered: true, count: 1 },
  { row: 13, mode: 'cache', ttl: 60, published: 20, offset: 8, limit: 0, wait: 0, recovered: true, count: 1 },
  {
    row: 14,
    mode: 'cache',
    ttl: 60,
    published: 20,
    offset: 108,
    limit: 0,
    wait: 0,
    recovered: true,
    count: 1,
  },
  { row: 15, mode: 'cache', ttl: 60, published: 7, offset: 7, limit: 0, wait: 0, recovered: true, count: 0 },
  { row: 16, mode: 'cache', ttl: 60, published: 4, offset: 0, limit: 0, wait: 0, recovered: true, count: 1 },
  { row: 17, mode: 'cache', ttl: 1, published: 10, offset: 8, limit: 0, wait: 3, recovered: false, count: 0 },
  { row: 18, mode: 'cache', ttl: 1, published: 1, offset: 1, limit: 0, wait: 3, recovered: true, count: 0 },
];
