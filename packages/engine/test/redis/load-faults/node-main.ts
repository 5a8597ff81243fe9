import { redisBackends } from '@msg/engine/redis';
import { systemClock } from '@msg/foundation/clock';
import { openRedis } from '@msg/redis';
import { Harness, OPEN_POLICY } from '../../harness.ts';

// A node in a process of its own, for faults that hit processes. Arguments: the address of the store and the
// partitions of sharded PUB/SUB. Writes its URL.
const store = await openRedis({ address: process.argv[2] ?? '' });
const policy = { ...OPEN_POLICY, streamOptions: () => ({ size: 10_000, ttlMs: 300_000 }) };
const backends = redisBackends([store], { partitions: Number(process.argv[3] ?? 0) });
const { url } = await Harness.start({ ...backends, policy, clock: systemClock });
process.stdout.write(`${url}\n`);
process.stdin.resume().on('end', () => process.exit(0));
