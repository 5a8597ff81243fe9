import assert from 'node:assert/strict';
import type { ContractCase } from '@msg/engine/testing';
import type { DeadLetter, DeadLetterQueue, NewDeadLetter } from '../notify/dead-letters/contract.ts';

/** An empty dead-letter queue. */
export interface DeadLetterSubject {
  readonly queue: DeadLetterQueue;
  /** The same store from another node; the same object for a single node. */
  readonly otherNode: DeadLetterQueue;
  /** Letters kept per sink. */
  readonly capacity: number;
  /** How many more letters a queue with approximate trimming may hold. */
  readonly slack: number;
}

/** When its letters were parked. */
export const PARKED_AT = Date.UTC(2026, 0, 2, 3, 4, 5);

export function letter(changes: Partial<NewDeadLetter> = {}): NewDeadLetter {
  return {
    sink: 'hook',
    channel: 'public:shop.order.7',
    recipient: { url: 'https://example.com/hook' },
    message: { subject: 'Order 7', body: 'paid\r\n{"a":"ü"}', metadata: { order: '7', __proto__x: '' } },
    lastError: 'webhook returned 503 Service Unavailable',
    attempts: 5,
    parkedAt: PARKED_AT,
    ...changes,
  };
}

export const ids = (letters: readonly DeadLetter[]): string[] => letters.map(({ id }) => id);

export async function only(queue: DeadLetterQueue): Promise<DeadLetter> {
  const letters = await queue.list(undefined, 0);
  assert.equal(letters.length, 1);
  return letters[0] as DeadLetter;
}

export function promise(
  name: string,
  holds: ContractCase<DeadLetterSubject>['holds'],
): ContractCase<DeadLetterSubject> {
  return { name, holds };
}
