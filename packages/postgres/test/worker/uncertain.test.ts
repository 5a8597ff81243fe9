import { describe, expect, it } from 'vitest';
import type { ClaimedRow } from '../../src/store/contract.ts';
import { BatchResult } from '../../src/worker/batch-result.ts';

const WAIT_MS = 60_000;
const ROW: ClaimedRow = {
  id: '1',
  partition: 3,
  key: '0193d3e2-0000-7000-8000-000000000001',
  channel: 'public:shop.order.1',
  kind: 'publish',
  data: new Uint8Array(),
  tags: {},
  options: {},
  version: 1,
  attempts: 2,
  heldMs: WAIT_MS,
  uncertainMs: 0,
};

function failureOf(row: ClaimedRow, code: string) {
  const result = new BatchResult({ waitForChannelMs: WAIT_MS, random: { fraction: () => 0.5 } });
  result.refused(row, { code, message: 'refused' });
  return result.end().settlement.failures[0];
}

describe('a row that is given up', () => {
  it.each([['MSG_CHANNEL_NOT_FOUND'], ['MSG_INVALID_ARGUMENT']])(
    'has the code that refused it, %s, when no answer was lost',
    code => {
      expect(failureOf(ROW, code)).toMatchObject({ act: 'dead', code, error: `${code}: refused` });
    },
  );

  it.each([['MSG_CHANNEL_NOT_FOUND'], ['MSG_INVALID_ARGUMENT']])(
    'says that it may have been published when an answer was lost before %s',
    code => {
      const row = { ...ROW, uncertainMs: 1 };
      expect(failureOf(row, code)).toMatchObject({
        act: 'dead',
        code: 'uncertain',
        error: `${code}: refused`,
      });
    },
  );

  it('is not given up before its channel was waited for', () => {
    const row = { ...ROW, heldMs: 1, uncertainMs: 1 };
    expect(failureOf(row, 'MSG_CHANNEL_NOT_FOUND')).toMatchObject({
      act: 'hold',
      code: 'MSG_CHANNEL_NOT_FOUND',
    });
  });
});
