import { systemRandom } from '@msg/foundation/clock';
import { describe, expect, test } from 'vitest';
import { DEAD_LETTERS_PER_SINK, MemoryDeadLetterQueue } from '#src/notify/dead-letters/memory.ts';
import { DEAD_LETTER_CONTRACT } from '#src/testing/dead-letter-contract.ts';

const LETTER = {
  sink: 's',
  channel: '',
  recipient: null,
  message: { subject: '', body: '', metadata: {} },
  lastError: '',
  attempts: 1,
  parkedAt: 0,
};

describe('dead-letter queue: memory', () => {
  test.each(DEAD_LETTER_CONTRACT.map(({ name, holds }) => [name, holds] as const))('%s', async (_, holds) => {
    const queue = new MemoryDeadLetterQueue(systemRandom, 60);
    await holds({ queue, otherNode: queue, capacity: 60, slack: 0 });
  });

  test('ids are 16 hex digits', async () => {
    const queue = new MemoryDeadLetterQueue(systemRandom);
    expect(await queue.push(LETTER)).toMatch(/^[0-9a-f]{16}$/);
  });

  test('it remembers the last 20 changes of a letter', async () => {
    const queue = new MemoryDeadLetterQueue(systemRandom);
    const id = await queue.push(LETTER);
    for (let at = 1; at <= 25; at++) await queue.update(id, { message: LETTER.message, by: 'ann', at });
    const { edits = [] } = (await queue.get(id)) ?? {};
    expect([edits.length, edits[0]?.at, edits.at(-1)?.at]).toEqual([20, 6, 25]);
  });

  test('it keeps 10 000 letters per sink', () => {
    expect(DEAD_LETTERS_PER_SINK).toBe(10_000);
  });
});
