// The same rows as in memory, on a service whose append streams are in Redis.
import { RedisServer } from '@msg/testkit/redis';
import { afterAll, beforeAll, describe } from 'vitest';
import { takesCommands } from '../support/appends/control-suite.ts';
import { endsMessages } from '../support/appends/end-suite.ts';
import { checksInOrder } from '../support/appends/gate-suite.ts';
import { refusesRequests } from '../support/appends/refusal-suite.ts';

let redis: RedisServer;

beforeAll(async () => {
  redis = await RedisServer.start();
});
afterAll(() => redis.stop());

/** A store of its own for each suite. */
const on = (keyPrefix: string) => () => ({ redis: { address: redis.address, keyPrefix } });

describe('append streams in Redis', () => {
  refusesRequests(on('refusals'));
  checksInOrder(on('gates'));
  takesCommands(on('commands'));
  endsMessages(on('ends'));
});
