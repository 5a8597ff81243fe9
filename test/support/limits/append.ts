import { inEngine, inServer } from '../constant-source.ts';
import { engine, server } from '../evidence.ts';
import type { LimitRow } from './row.ts';

/** The contract of append streams, which every broker keeps. */
const CONTRACT = 'packages/engine/src/testing/broker/append-ends.ts';
const RPC = 'append/rpc';
const WRITER = 'append/writer';

/** Rows of append streams. */
export const APPEND_LIMITS: Readonly<Record<string, LimitRow>> = {
  'one message of an append stream (`append_max_bytes`)': {
    constants: [
      ['packages/server/src/channels/channel-options.ts', 'appendMaxBytes'],
      ['packages/server/src/channels/append-options.ts', 'appendMaxBytes', 1_048_576],
    ],
    tests: [server(RPC, 'tells what comes next, in each refusal')],
  },
  'operations of one Append': {
    constants: [inEngine('append/prepare', 'MAX_APPEND_OPS')],
    tests: [server(RPC, 'refuses more than 1,024 operations')],
  },
  'open messages of append streams in the memory of one node (`limits.append_streams`)': {
    constants: [inEngine('limits', 'appendStreams')],
    tests: [
      engine('broker/memory', 'has at most 10,000 open messages, and takes one more when one has ended'),
      server('append/life', 'no more messages are open in its memory than the limit says'),
    ],
  },
  'cancels of one channel that wait for their message': {
    constants: [inEngine('append/bounds', 'MAX_EARLY_CANCELS')],
    tests: [[CONTRACT, 'a cancel without a message is refused, and so are too many that wait']],
  },
  'from a cancel to the end by the service': {
    constants: [inEngine('append/bounds', 'CANCEL_GRACE_MS')],
    tests: [
      [CONTRACT, 'a cancel is told with every answer, and ends the message when its producer does not'],
    ],
  },
  'silence of the producer of an open message (`append_orphan_timeout`)': {
    constants: [['packages/server/src/channels/channel-options.ts', 'appendOrphanMs']],
    tests: [[CONTRACT, 'a message whose producer says nothing ends once, as orphaned']],
  },
  'calls of AppendState that wait for one channel, on one node': {
    constants: [inServer('append/waits', 'MOST'), inServer('append/append-streams', 'MAX_WAIT_MS')],
    tests: [
      server(
        RPC,
        'a read waits until the message ends or gets another producer; a fifth is answered at once',
      ),
    ],
  },
  'bytes that a writer has not sent': {
    constants: [['packages/core/src/appends/append-writer.ts', 'HIGH_WATER_BYTES']],
    tests: [server(WRITER, 'a write waits while the service does not take what was written')],
  },
};
