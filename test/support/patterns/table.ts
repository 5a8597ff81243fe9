import { maskPattern } from '@msg/dash/internal';
import { MAILBOX } from '@msg/server/internal';

const ADDRESS_OF_THE_USER =
  'the address of a server, which the user of the client or of the command line chose';
const SETTING = 'a setting, which the operator of the service wrote';

/** Patterns that are not linear and never meet input of a peer, each with the reason. */
export const NEVER_FROM_A_PEER: Readonly<Record<string, string>> = {
  'client/src/address.ts /\\/+$/': ADDRESS_OF_THE_USER,
  'core/src/duration.ts /0+$/': 'at most nine digits that the function itself has made',
  'core/src/rpc/client.ts /\\/+$/': ADDRESS_OF_THE_USER,
  'engine/src/transports/websocket/close-reason.ts /\\uFFFD+$/':
    'at most 123 bytes, which fit into a close frame',
  'server/src/auth/access/oidc/discovery.ts /\\/+$/': SETTING,
  'server/src/cli/notify-node.ts /\\/+$/': ADDRESS_OF_THE_USER,
  'server/src/cli/event-stream.ts /\\/+$/': ADDRESS_OF_THE_USER,
  'server/src/observability/tracing/otlp.ts /\\/+$/': SETTING,
  'sim/src/cli/bench/bench.ts /(\\d+) deliveries/': 'the output of a process that the bench started',
  'sim/src/fuzz/cluster/run.ts / \\d+ .*:\\d+$/': 'the errors of servers that the comparison started',
  'testkit/src/spawn.ts /bootstrap mgmt token[^\\n]*\\n([^\\n]+)\\n/':
    'the output of a process that a test started',
};

/** Files with patterns that the program puts together: what comes out. */
export const COMPOSED: Readonly<Record<string, RegExp>> = {
  'dash/src/data/masking.ts composed': maskPattern(['a secret of tests', 'another+secret/=']),
  'server/src/notify/sinks/email/mailbox.ts composed': MAILBOX,
};
