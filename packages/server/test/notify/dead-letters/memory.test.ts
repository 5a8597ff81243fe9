import { systemRandom } from '@msg/foundation/clock';
import { describe, expect, test } from 'vitest';
import { DEAD_LETTERS_PER_SINK, MemoryDeadLetterQueue } from '#src/notify/dead-letters/memory.ts';
import { DEAD_LETTER_CONTRACT } from '#src/testing/dead-letter-contract.ts';

describe('dead-letter queue: memory', () => {
  test.each(DEAD_LETTER_CONTRACT.map(({ name, holds }) => [name, holds] as const))('%s', async (_, holds) => {
    const queue = new MemoryDeadLetterQueue(systemRandom, 60);
    await holds({ queue, peer: queue, capacity: 60, slack: 0 });
  });

  test('ids are 16 hex digits', async () => {
    const queue = new MemoryDeadLetterQueue(systemRandom);
    const message = { subject: '', body: '', metadata: {} };
    const letter = {
      sink: 's',
      channel: '',
      recipient: null,
      message,
      lastError: '',
      attempts: 1,
      parkedAt: 0,
    };
    expect(await queue.push(letter)).toMatch(/^[0-9a-f]{16}$/);
  });

  test('it keeps 10 000 letters per sink', () => {
    expect(DEAD_LETTERS_PER_SINK).toBe(10_000);
  });
});
