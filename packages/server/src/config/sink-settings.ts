import {
  choice,
  count,
  type Entry,
  entryMap,
  list,
  optional,
  type Setting,
  type SettingType,
  scalarType,
  secret,
  text,
  textMap,
  toggle,
} from '@msg/command-line';
import { duration } from './setting-types.ts';

/** Texts by name that must not be shown. */
const secretMap: SettingType<ReadonlyMap<string, string>> = {
  ...textMap,
  show: value => Object.fromEntries([...value.keys()].map(name => [name, '[redacted]'])),
};

/** A part of a whole; a value below 0 counts as 0. */
const fraction: SettingType<number> = scalarType({
  placeholder: 'fraction',
  parse: value => (/^-?(?:\d+(?:\.\d+)?|\.\d+)$/.test(value) ? Number(value) : undefined),
  format: String,
  show: value => value,
  expected: 'a fraction such as 0.2',
});

const RETRY = {
  max_attempts: optional(count, 'sends in all; 1 means no retry'),
  base_backoff: optional(duration, 'wait before the second send; it doubles with each further one'),
  max_backoff: optional(duration, 'longest wait, never below `base_backoff`'),
  jitter_fraction: optional(fraction, 'part of each wait that is random, 0 to 1'),
} as const;

/** One entry of `sink_retry.per_sink`; what is absent or 0 is inherited. */
export type SinkRetryEntry = Entry<typeof RETRY>;

const SINK = {
  kind: optional(choice('email', 'slack', 'webhook'), 'what the sink is; required'),
  smtp_addr: optional(text, 'email: mail server, host:port; required there'),
  from: optional(text, 'email: sender; required there'),
  auth_user: optional(text, 'email: user name; empty: no login'),
  auth_pass: optional(secret, 'email: password; required with `auth_user`'),
  webhook_url: optional(secret, 'slack: address of the incoming webhook; required there'),
  url: optional(secret, 'webhook: where messages without a recipient go; required there'),
  headers: optional(
    secretMap,
    'webhook: sent with every post to the origin of `url` or to `allowed_origins`',
  ),
  signing_secret: optional(secret, 'webhook: those posts are signed with it, header `X-Msg-Signature`'),
  allowed_origins: optional(
    list,
    'webhook: origins of recipients that get headers and signature too, and may be private: https://host',
  ),
} as const;

/** One entry of `sinks` (messaging details, section 17). */
export type SinkEntry = Entry<typeof SINK>;

/** Sinks, where they may post, and how often they are tried. Only a file can express the sinks. */
export const SINK_SETTINGS = {
  sinks: {
    key: 'sinks',
    type: entryMap(SINK),
    fallback: new Map(),
    help: 'destinations outside the channels, by name',
  } satisfies Setting<ReadonlyMap<string, SinkEntry>>,
  privateSinkUrls: {
    key: 'server.private_sink_urls',
    flag: '--private-sink-urls',
    env: 'MSG_PRIVATE_SINK_URLS',
    type: toggle,
    fallback: false,
    help: "webhook recipients' URLs may lead to private, loopback and link-local addresses",
  } satisfies Setting<boolean>,
  sinkMaxAttempts: {
    key: 'sink_retry.max_attempts',
    type: count,
    fallback: 5,
    help: RETRY.max_attempts.help,
  } satisfies Setting<number>,
  sinkBaseBackoff: {
    key: 'sink_retry.base_backoff',
    type: duration,
    fallback: 1000,
    help: RETRY.base_backoff.help,
  } satisfies Setting<number>,
  sinkMaxBackoff: {
    key: 'sink_retry.max_backoff',
    type: duration,
    fallback: 30_000,
    help: RETRY.max_backoff.help,
  } satisfies Setting<number>,
  sinkJitterFraction: {
    key: 'sink_retry.jitter_fraction',
    type: fraction,
    fallback: 0.2,
    help: RETRY.jitter_fraction.help,
  } satisfies Setting<number>,
  sinkRetryPerSink: {
    key: 'sink_retry.per_sink',
    type: entryMap(RETRY),
    fallback: new Map(),
    help: 'settings of single sinks, by name',
  } satisfies Setting<ReadonlyMap<string, SinkRetryEntry>>,
} as const;
