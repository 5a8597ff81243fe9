import { expect, it } from 'vitest';
import { isOfOutbox, OutboxVersions } from '#src/publishing/outbox-versions.ts';

const OWN = { version: 5, versionEpoch: 'outbox:1' };
const FOREIGN = { version: 7, versionEpoch: 'mine' };

it('a version belongs to an outbox by its epoch', () => {
  expect([OWN, FOREIGN, {}, { versionEpoch: 'outbox:1' }].map(isOfOutbox)).toEqual([
    true,
    false,
    false,
    false,
  ]);
});

it('counts versions of others, only in channels that an outbox publishes into', () => {
  const versions = new OutboxVersions();
  versions.note('public:shop.a', FOREIGN);
  versions.note('public:shop.a', OWN);
  versions.note('public:shop.a', {});
  versions.note('public:shop.b', FOREIGN);
  expect(versions.foreign).toBe(0);
  versions.note('public:shop.a', FOREIGN);
  expect(versions.foreign).toBe(1);
});

it('forgets the channels that were quiet for the longest time', () => {
  const versions = new OutboxVersions();
  for (let n = 0; n <= 10_000; n++) versions.note(`public:shop.c${n}`, OWN);
  for (const channel of ['public:shop.c0', 'public:shop.c1']) versions.note(channel, FOREIGN);
  expect(versions.foreign).toBe(1);
});
