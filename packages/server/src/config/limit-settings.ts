import { count, positiveCount, type Setting, setting } from '@msg/command-line';

const positive = (word: string, fallback: number, help: string) => limit(word, positiveCount, fallback, help);
const orUnlimited = (word: string, help: string) => limit(word, count, 0, `${help}; 0: any number`);

/** One bound, with a flag and a variable of its name. */
function limit(word: string, type: typeof count, fallback: number, help: string): Setting<number> {
  const flag = `--${word.replaceAll('_', '-')}`;
  return setting(`limits.${word}`, type, fallback, help, { flag, env: `MSG_${word.toUpperCase()}` });
}

/** Limits of clients (`docs/limits.md`). */
export const LIMIT_SETTINGS = {
  messageBytes: positive(
    'message_bytes',
    65_536,
    'bytes of one incoming message of a client; beyond, its connection ends',
  ),
  subscriptionsPerConnection: positive(
    'subscriptions_per_connection',
    128,
    'subscriptions of one connection, with those that wait for their channel; beyond, error 106',
  ),
  channelNameBytes: positive(
    'channel_name_bytes',
    255,
    'bytes of a channel name on the client protocol; beyond, error 107',
  ),
  queueBytes: positive(
    'queue_bytes',
    1_048_576,
    'bytes of pushes that may wait for a slow reader; beyond, disconnect 3008',
  ),
  connections: orUnlimited('connections', 'connections of clients on this node; beyond, new ones get 503'),
  connectionsPerAddress: orUnlimited(
    'connections_per_address',
    'connections of one client address on this node; beyond, disconnect 3504',
  ),
  historyItems: positive(
    'history_items',
    1000,
    'publications that one history command of a client returns at most',
  ),
  appendStreams: positive(
    'append_streams',
    10_000,
    'messages of append streams that may be open in the memory of this node; beyond, an opening gets MSG_RATE_LIMITED',
  ),
  bodyBytes: positive(
    'body_bytes',
    67_108_864,
    'memory in bytes that the bodies of all HTTP requests under way may hold; beyond, requests get 503',
  ),
} as const;
