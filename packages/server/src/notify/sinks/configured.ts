import { MsgError } from '@msg/core';
import { defined } from '@msg/foundation/json';
import type { SinkEntry, SinkRetryEntry } from '../../config/sink-settings.ts';
import type { Sink } from './contract.ts';
import { EmailSink } from './email/sink.ts';
import type { RetrySettings } from './retry-policy.ts';
import { SlackSink } from './slack/sink.ts';
import { WebhookSink } from './webhook/sink.ts';

type Kind = NonNullable<SinkEntry['kind']>;
type Key = Exclude<keyof SinkEntry, 'kind'>;

/** The keys of each kind, and whether it needs them. */
const KEYS: Readonly<Record<Kind, Partial<Record<Key, 'required' | 'optional'>>>> = {
  email: { smtp_addr: 'required', from: 'required', auth_user: 'optional', auth_pass: 'optional' },
  slack: { webhook_url: 'required' },
  webhook: {
    url: 'required',
    headers: 'optional',
    signing_secret: 'optional',
    allowed_origins: 'optional',
  },
};

function invalid(name: string, problem: string): MsgError {
  return new MsgError('MSG_SINK_CONFIG_INVALID', `sinks.${name}${problem}`);
}

function checkedKind(name: string, { kind, ...members }: SinkEntry): Kind {
  if (kind === undefined) throw invalid(name, '.kind: is required');
  const keys = KEYS[kind];
  for (const key of Object.keys(members)) {
    if (!Object.hasOwn(keys, key)) throw invalid(name, `.${key}: is not a key of the kind ${kind}`);
  }
  for (const [key, need] of Object.entries(keys)) {
    if (need === 'required' && !members[key as Key]) throw invalid(name, `.${key}: is required`); // a key of KEYS
  }
  if (members.auth_user && !members.auth_pass) throw invalid(name, '.auth_pass: is required with auth_user');
  return kind;
}

/** What holds for all sinks of a configuration. */
export interface SinkDefaults {
  /** Callers may name URLs whose addresses are not public. */
  readonly privateUrls: boolean;
}

function build(name: string, kind: Kind, entry: SinkEntry, { privateUrls }: SinkDefaults): Sink {
  switch (kind) {
    case 'email':
      return new EmailSink({
        name,
        addr: entry.smtp_addr ?? '',
        from: entry.from ?? '',
        username: entry.auth_user ?? '',
        password: entry.auth_pass ?? '',
      });
    case 'slack':
      return new SlackSink({ name, webhookUrl: entry.webhook_url ?? '' });
    case 'webhook':
      return new WebhookSink({
        name,
        url: entry.url ?? '',
        headers: Object.fromEntries(entry.headers ?? []),
        signingSecret: entry.signing_secret ?? '',
        allowedOrigins: entry.allowed_origins ?? [],
        privateUrls,
      });
  }
}

/**
 * The sink of an entry of the configuration file.
 * @throws MsgError MSG_SINK_CONFIG_INVALID naming the key; never a value.
 */
export function configuredSink(name: string, entry: SinkEntry, defaults: SinkDefaults): Sink {
  const kind = checkedKind(name, entry);
  try {
    return build(name, kind, entry, defaults);
  } catch (error) {
    throw error instanceof MsgError ? invalid(name, `: ${error.message}`) : error;
  }
}

/** The library's settings for those of the file. */
export function configuredRetry(entry: SinkRetryEntry): RetrySettings {
  return {
    ...defined({
      maxAttempts: entry.max_attempts,
      baseBackoff: entry.base_backoff,
      maxBackoff: entry.max_backoff,
      jitterFraction: entry.jitter_fraction,
    }),
  };
}
