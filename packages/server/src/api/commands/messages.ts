import type { JsonSchema } from '@msg/foundation/shape';

/** A command of the API as it is described to generators of clients. */
export interface CommandMessages {
  /** What it does, in one sentence. */
  readonly summary: string;
  /** What a key with grants needs. */
  readonly right: string;
  /** Its members. */
  readonly request: JsonSchema;
  /** What stands behind `result`. */
  readonly result: JsonSchema;
}

const SERVICE = '`manage` on everything';
const TEXT: JsonSchema = { type: 'string' };
const FLAG: JsonSchema = { type: 'boolean' };
const NUMBER: JsonSchema = { type: 'integer' };
const ANY: JsonSchema = {};
const TEXTS: JsonSchema = { type: 'object', additionalProperties: TEXT };

type Members = Readonly<Record<string, JsonSchema>>;

/** An object whose members in `required` are always there. */
function object(properties: Members, ...required: readonly string[]): JsonSchema {
  return required.length === 0 ? { type: 'object', properties } : { type: 'object', properties, required };
}

function list(items: JsonSchema, bounds: JsonSchema = {}): JsonSchema {
  return { type: 'array', items, ...bounds };
}

const NOTHING = object({});
const POSITION = object({ offset: { type: 'integer', minimum: 0 }, epoch: TEXT });
const PAYLOAD: Members = {
  data: { description: 'Any JSON value; subscribers get its text as it is written.' },
  b64data: { type: 'string', description: 'Bytes in base64; they win over `data`.' },
};
const PUBLICATION: Members = {
  ...PAYLOAD,
  skip_history: FLAG,
  tags: TEXTS,
  idempotency_key: TEXT,
  delta: FLAG,
  version: NUMBER,
  version_epoch: TEXT,
};
const PUBLISHED = object({ offset: NUMBER, epoch: TEXT });
const CLIENT_INFO = object({ user: TEXT, client: TEXT, conn_info: ANY, chan_info: ANY }, 'user', 'client');
const SWITCH = object({ value: FLAG });
const TARGET: Members = { user: TEXT, client: TEXT, session: TEXT };

/** The object of a failed command. */
export const ERROR_SCHEMA = object({ code: NUMBER, message: TEXT }, 'code', 'message');

/** The commands by name, in the order of the pages; `batch` holds others and stands beside them. */
export const COMMAND_MESSAGES: Readonly<Record<string, CommandMessages>> = {
  publish: {
    summary: 'Publishes into a channel.',
    right: '`publish` on the channel',
    request: object({ channel: TEXT, ...PUBLICATION }, 'channel'),
    result: PUBLISHED,
  },
  broadcast: {
    summary: 'Publishes the same into several channels; the failure of one touches no other.',
    right: '`publish` on each channel',
    request: object({ channels: list(TEXT, { minItems: 1, maxItems: 1000 }), ...PUBLICATION }, 'channels'),
    result: object(
      {
        responses: list({
          anyOf: [object({ result: PUBLISHED }, 'result'), object({ error: ERROR_SCHEMA }, 'error')],
        }),
      },
      'responses',
    ),
  },
  subscribe: {
    summary: 'Subscribes the connections of a user, on every node.',
    right: '`manage` on the channel',
    request: object(
      {
        ...TARGET,
        channel: TEXT,
        ...PAYLOAD,
        info: ANY,
        b64info: TEXT,
        expire_at: NUMBER,
        recover_since: POSITION,
        override: object({
          presence: SWITCH,
          join_leave: SWITCH,
          force_recovery: SWITCH,
          force_positioning: SWITCH,
          force_push_join_leave: SWITCH,
        }),
      },
      'channel',
    ),
    result: NOTHING,
  },
  unsubscribe: {
    summary: 'Ends subscriptions of a user; without a channel all of them.',
    right: `\`manage\` on the channel; without one ${SERVICE}`,
    request: object({ ...TARGET, channel: TEXT }),
    result: NOTHING,
  },
  disconnect: {
    summary: 'Ends the connections of a user.',
    right: SERVICE,
    request: object({
      ...TARGET,
      whitelist: list(TEXT),
      disconnect: object({ code: { type: 'integer', minimum: 3000, maximum: 4999 }, reason: TEXT }),
    }),
    result: NOTHING,
  },
  refresh: {
    summary: 'Gives the connections of a user another expiry, or ends those that expired.',
    right: SERVICE,
    request: object({ ...TARGET, expired: FLAG, expire_at: NUMBER, info: ANY, b64info: TEXT }),
    result: NOTHING,
  },
  presence: {
    summary: 'Who is subscribed, by client.',
    right: '`subscribe` on the channel',
    request: object({ channel: TEXT }, 'channel'),
    result: object({ presence: { type: 'object', additionalProperties: CLIENT_INFO } }, 'presence'),
  },
  presence_stats: {
    summary: 'How many clients and users are subscribed.',
    right: '`subscribe` on the channel',
    request: object({ channel: TEXT }, 'channel'),
    result: object({ num_clients: NUMBER, num_users: NUMBER }, 'num_clients', 'num_users'),
  },
  history: {
    summary: 'What the stream of a channel keeps; limit 0 is its position alone, below 0 all.',
    right: '`subscribe` on the channel',
    request: object({ channel: TEXT, limit: NUMBER, since: POSITION, reverse: FLAG }, 'channel'),
    result: object(
      {
        publications: list(object({ data: ANY, offset: NUMBER, info: CLIENT_INFO, tags: TEXTS }, 'data')),
        offset: NUMBER,
        epoch: TEXT,
      },
      'publications',
      'offset',
      'epoch',
    ),
  },
  history_remove: {
    summary: 'Empties the history of a channel; its position stays.',
    right: '`manage` on the channel',
    request: object({ channel: TEXT }, 'channel'),
    result: NOTHING,
  },
  channels: {
    summary: 'The channels with subscribers, over all nodes.',
    right: '`subscribe` on each channel that is shown',
    request: object({
      pattern: { type: 'string', maxLength: 256, description: '`*` any run, `?` one character, `{a,b}`.' },
    }),
    result: object(
      { channels: { type: 'object', additionalProperties: object({ num_clients: NUMBER }, 'num_clients') } },
      'channels',
    ),
  },
  info: {
    summary: 'The nodes of the service.',
    right: SERVICE,
    request: object({}),
    result: object(
      {
        nodes: list(
          object(
            {
              uid: TEXT,
              name: TEXT,
              version: TEXT,
              num_clients: NUMBER,
              num_users: NUMBER,
              num_channels: NUMBER,
              num_subs: NUMBER,
              uptime: NUMBER,
              process: object({ cpu: { type: 'number' }, rss: NUMBER }),
            },
            'uid',
            'name',
            'version',
            'num_clients',
            'num_users',
            'num_channels',
          ),
        ),
      },
      'nodes',
    ),
  },
  revoke_token: {
    summary: 'Revokes one token, by its id.',
    right: SERVICE,
    request: object({ uid: TEXT }, 'uid'),
    result: NOTHING,
  },
  invalidate_user_tokens: {
    summary: 'Revokes all tokens of a user.',
    right: SERVICE,
    request: object({ user: TEXT }, 'user'),
    result: NOTHING,
  },
  rpc: {
    summary: 'Asks the program that embeds the service.',
    right: SERVICE,
    request: object({ method: TEXT, params: ANY }, 'method'),
    result: object({ data: ANY }),
  },
};
