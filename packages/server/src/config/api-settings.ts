import { choice, positiveCount, setting, text, toggle } from '@msg/command-line';

/** The HTTP API for backends (the application developer's side, section 2). */
export const API_SETTINGS = {
  apiEnabled: setting('api.enabled', toggle, false, 'serve the HTTP API for backends; it needs an API key', {
    flag: '--api',
    env: 'MSG_API',
  }),
  apiPath: setting('api.path', text, '/api', 'path of the HTTP API'),
  apiOpenChannels: setting(
    'api.open_channels',
    choice('never', 'auto'),
    'never',
    'auto: publish, broadcast and subscribe open a channel that is not open',
  ),
  apiBareNames: setting(
    'api.bare_names',
    text,
    '',
    'what stands before names without a colon, such as public:app.; empty: they are unknown channels',
  ),
  apiErrorMode: setting(
    'api.error_mode',
    choice('default', 'transport'),
    'default',
    'transport: failures have an HTTP status of their own; default: 200 with an error object',
  ),
  apiMaxBatch: setting('api.max_batch', positiveCount, 1000, 'most commands of a batch'),
  apiMaxChannels: setting('api.max_channels', positiveCount, 10_000, 'most channels that one answer lists'),
  apiQueryKey: setting('api.allow_query_key', toggle, false, 'a key may also come as ?api_key='),
} as const;
