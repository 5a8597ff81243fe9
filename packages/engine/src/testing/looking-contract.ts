import assert from 'node:assert/strict';
import { Payload, type Publication } from '@msg/protocol';
import type { Broker } from '../broker/contract.ts';
import type { ContractCase } from './contract-case.ts';

const META_TTL_MS = 3_600_000;
const STREAM = { size: 10, ttlMs: 60_000, metaTtlMs: META_TTL_MS };

const offsets = (items: readonly Publication[]): number[] => items.map(({ offset }) => offset);

/** What a read that only looks leaves behind: nothing. */
export const LOOKING: readonly ContractCase<{ readonly broker: Broker }>[] = [
  {
    name: 'a look at an absent stream finds nothing and creates nothing',
    async holds({ broker }) {
      const nothing = { publications: [], offset: 0, epoch: '' };
      assert.deepEqual(await broker.history('looked', { limit: 0, peek: true }, META_TTL_MS), nothing);
      assert.deepEqual(await broker.history('looked', { limit: -1, peek: true }, META_TTL_MS), nothing);
      const { epoch } = await broker.history('looked', { limit: 0 }, META_TTL_MS);
      assert.notEqual(epoch, '');
    },
  },
  {
    name: 'a look reads what any other read reads',
    async holds({ broker }) {
      for (const text of ['1', '2', '3'])
        await broker.publish('looked', new Payload(Buffer.from(text)), STREAM, {});
      for (const filter of [{ limit: 0 }, { limit: 2 }, { limit: 2, reverse: true }]) {
        const looked = await broker.history('looked', { ...filter, peek: true }, META_TTL_MS);
        const read = await broker.history('looked', filter, META_TTL_MS);
        assert.deepEqual(offsets(looked.publications), offsets(read.publications));
        assert.deepEqual([looked.offset, looked.epoch], [read.offset, read.epoch]);
      }
    },
  },
];
