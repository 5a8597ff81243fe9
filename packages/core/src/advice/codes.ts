import type { MsgCode } from '../codes.ts';

/** The meaning of an error code and its remedy. Texts are Markdown; links are relative to `docs/`. */
export interface CodeAdvice {
  /** The cause, one or more sentences. */
  readonly cause: string;
  /** The remedy, one line without a full stop. The command line shows it under the error. */
  readonly remedy: string;
  /** Further remedies, sentences. */
  readonly more?: string;
}

/** The cause and remedy of each code: the troubleshooting page and `msg errors` read this table. */
export const CODE_ADVICE: Readonly<Record<MsgCode, CodeAdvice>> = {
  MSG_CHANNEL_INVALID: {
    cause:
      'The name violates the grammar `<public|private>:<app>.<domain>[.<id>][.<topic>]`, or has the wrong visibility for the call. A private name needs an id.',
    remedy: 'compare the name with `public:app.domain[.id][.topic]` or `private:app.domain.id[.topic]`',
    more: 'The message says which part is wrong; [channels](channels.md#names) has the grammar.',
  },
  MSG_INVALID_ARGUMENT: {
    cause:
      'An argument cannot be used: a bad pattern, an unknown key id, two sources for one value, a setting that contradicts another, or something that is not configured, such as revocation. On a publish also: the tag `msg-encoding`, or a payload that the channel option `payload: json` or a schema excludes.',
    remedy: 'correct the argument or setting that the message names',
    more: 'The message says what is allowed. At boot it names the key of the configuration; `msg config check` finds it without a start.',
  },
  MSG_CHANNEL_TTL_EXCEEDS_MAX: {
    cause: 'A private channel lives one hour at most.',
    remedy: 'ask for 3600 s or less',
    more: 'Publishing and touching keep the channel alive.',
  },
  MSG_CHANNEL_NOT_FOUND: {
    cause:
      'The channel was never opened, expired (a private one goes after its TTL without activity), was deleted, or the single node that held it was restarted.',
    remedy: 'open or create the channel first; `msg channels list` shows what is there',
    more: 'A deleted public name stays unusable. After a restart of a single node every channel has to be opened again: `boot_id` in the manifest tells.',
  },
  MSG_SINK_DLQ_NOT_FOUND: {
    cause: 'No dead letter has this id, or another caller is replaying it at this moment.',
    remedy: 'look for the letter with `msg dlq list <sink>`',
  },
  MSG_CHANNEL_EXISTS: {
    cause: 'A private channel of that name exists, open or deleted a moment ago.',
    remedy: 'take another id, or use the channel that is there',
    more: 'Its tokens were answered when it was created and are kept nowhere.',
  },
  MSG_CHANNEL_CLOSED: {
    cause:
      'A public channel was idle for longer than its TTL. Its subscribers stay; new ones and publishes are refused. On the client protocol the code also stands for channels that are not there, so that names cannot be probed.',
    remedy: 'open it again: `msg channels open <name>`, OpenPublic',
    more: 'Offsets go on.',
  },
  MSG_SINK_RECIPIENT_DECODE: {
    cause: 'The letter’s sink cannot read the stored recipient.',
    remedy: 'give the sink a `decodeRecipient`, or discard the letter and send anew',
  },
  MSG_SINK_RECIPIENT_GONE: {
    cause:
      'The destination says that the recipient has ended for good: a browser dropped its push subscription, or the user withdrew the permission. Nothing was parked.',
    remedy: 'delete the stored recipient, and ask the user again when they come back',
    more: 'A service in a program calls `onRecipientGone`: [Web Push](web-push.md).',
  },
  MSG_APPEND_NOT_FOUND: {
    cause:
      'No message of an append stream has this id: it was never opened, or the store lost it with a restart, or it ended longer ago than it is remembered.',
    remedy: 'open the message again with operation 1; writers of the library do it by themselves',
    more: '`msg streams get <channel>` shows what is there.',
  },
  MSG_APPEND_GAP: {
    cause:
      'The first operation of the request is not the next one: operations before it never arrived, or the store lost the newest ones.',
    remedy: 'send the operations again from `expected_seq` in `meta`',
  },
  MSG_APPEND_CLOSED: {
    cause:
      'The message has ended: its producer ended it, a client stopped it, or its producer said nothing for longer than the orphan time.',
    remedy: 'use another id for the next message; `meta` has the status it ended with',
    more: '[An answer stands still](append-streams.md#when-it-goes-wrong).',
  },
  MSG_APPEND_BUSY: {
    cause: 'Another message is open in the channel, which has one at a time.',
    remedy:
      'wait for its end, cancel it with `msg streams cancel <channel>`, or use a channel of its own for each answer',
    more: '`meta.message` names it.',
  },
  MSG_APPEND_FENCED: {
    cause: 'Another producer has the message: it took it over, or it opened it.',
    remedy: 'stop, or take the message over with the next number and `take_over`',
    more: '`meta.producer` names it.',
  },
  MSG_APPEND_TOO_LARGE: {
    cause:
      'The document would be larger than the channel option `append_max_bytes` allows. Nothing was applied, and the message is still open.',
    remedy: 'end the message and go on in the next one, or raise `append_max_bytes`',
  },
  MSG_AUTH_DENIED: {
    cause:
      'The token is missing, malformed, badly signed, signed by a retired key, of another type, revoked, or grants less than was asked for. With 401 the bearer itself was refused, with 403 its rights.',
    remedy:
      'look at the token with `msg tokens inspect <token>` and at its rights with `msg authz explain <channel> <verb> <token>`',
    more: 'The log has a record `auth_failure` with the reason: see the labels below.',
  },
  MSG_AUTH_EXPIRED: {
    cause:
      'The token was good and its lifetime is over; or the clocks of machines differ; or it was issued before a server started that [remembers nothing](restarts.md#a-single-node).',
    remedy: 'refresh the token (RefreshToken), or make a new management token (`msg tokens mgmt`)',
    more: 'Stock clients refresh when they have a callback for it.',
  },
  MSG_RATE_LIMITED: {
    cause:
      'A bucket is empty: publishes of this subject, subscribes of this user, refreshes from this address, or the limit of a channel pattern. The message names the bucket.',
    remedy: 'wait as long as `Retry-After` says, or raise the limit',
    more: 'The limits are in the manifest; [operations](operations.md#rate-limits).',
  },
  MSG_BROKER_NOT_READY: {
    cause:
      'The node is starting or stopping, or its shared store is away, full or read-only and did not carry out the call: the message says which. Also an address that leads nowhere: the command line says so when it cannot connect.',
    remedy: 'repeat the call after `Retry-After`: nothing happened',
    more: '`/readyz` of the node names the part; behind a balancer another node answers. [When the store is away](clustering.md#when-the-store-is-away).',
  },
  MSG_SINK_UNAVAILABLE: {
    cause: 'The destination did not take the message: no connection, or a status of 300 or more.',
    remedy: 'mend the destination; what was given up waits in `msg dlq list <sink>`',
    more: 'The service tries again as `sink_retry` says and parks what stays undelivered: [sinks](sinks-runbook.md).',
  },
  MSG_SINK_DLQ_OVERFLOW: {
    cause:
      'The delivery failed and could not be parked either, because the store does not answer. Only the caller still has the message.',
    remedy: 'keep the message and repeat it; `/readyz` names what the store lacks',
  },
  MSG_BROKER_INTERNAL: {
    cause:
      'The broker failed, and the outcome of the call is not known: mostly the answer of a shared store that is lost. Also a store of another version at the start, and the second run of one embedded service.',
    remedy: 'look for `internal failure` in the log of the service; `/readyz` names the part',
    more: '[When the store is away](clustering.md#when-the-store-is-away).',
  },
  MSG_SINK_CONFIG_INVALID: {
    cause: 'No sink has that name, or one is configured without what it needs.',
    remedy: 'compare the name with the sinks in `msg manifest`; at boot add the key that the message names',
  },
  MSG_INTERNAL: {
    cause:
      'Something failed that should not: a keyring that cannot be written, a limiter of your own that does not answer, a bug.',
    remedy: 'look for `internal failure` in the log of the service; it holds the cause',
    more: '`trace_id` and `request_id` lead to it. Repeat the call; report what stays.',
  },
};
