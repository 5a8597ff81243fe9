import { RealtimeNode } from '@msg/engine';
import { systemClock } from '@msg/foundation/clock';
import { expect, it } from 'vitest';

it('a clock of an embedder that lacks a member is refused when the node is made', () => {
  const clock = { ...systemClock, monotonic: undefined } as unknown as typeof systemClock; // from a caller without types
  const policy = { connect: () => ({ user: '' }) };
  expect(() => new RealtimeNode({ policy, clock })).toThrow(
    new TypeError('clock.monotonic must be a function'),
  );
});
