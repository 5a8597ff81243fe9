import type { RoomTables } from './room-rules.ts';

/** Files and folders of the server that stand below the room around them: other rooms use them alone. */
export const SHARED_FILES_OF_THE_SERVER: RoomTables[string] = {
  // What a state directory that cannot be used means is said in one place.
  'config/directory.ts': [],
  'config/issuer-address.ts': [],
  'config/running-setting.ts': [],
  'console/options.ts': [],
  'console/sessions': [],
  // One request and its answer, for the RPC and the HTTP API; the router stands above both.
  'http/answer.ts': ['http/request-context.ts'],
  'http/body-denials.ts': [],
  'http/content-encoding.ts': [],
  'http/error-responder.ts': ['auth/tokens', 'http/answer.ts', 'http/request-context.ts'],
  'http/json-bounds.ts': [],
  'http/options.ts': [],
  'http/request-context.ts': ['observability/tracing'],
  'http/timeouts.ts': [],
  // What any room may use: plain counters, the logger, the contract of tracing. The exporters stand above the rooms.
  'observability/counters.ts': [],
  'observability/http-request-line.ts': [],
  'observability/logger.ts': ['observability/http-request-line.ts'],
  'observability/store-commands.ts': ['observability/counters.ts'],
  'observability/tracing': ['observability/logger.ts'],
  'outbox/options.ts': [],
  'service/engine-limits.ts': [],
  // What options of a service consist of.
  'service/options.ts': [
    'api',
    'audit',
    'auth/access',
    'auth/api-keys',
    'auth/keys',
    'auth/tokens',
    'channels',
    'config/running-setting.ts',
    'console/options.ts',
    'http/options.ts',
    'notify/dead-letters',
    'notify/sinks',
    'observability/logger.ts',
    'outbox/options.ts',
    'rate-limits',
    'realtime',
    'schemas',
    'service/engine-limits.ts',
    'stores',
    'stores/redis',
  ],
  'stores/subsystem-state.ts': [],
  timers: [],
};
