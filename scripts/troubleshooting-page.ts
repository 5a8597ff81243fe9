import { CODE_TABLE, type MsgCode, TWIRP_STATUS } from '../packages/core/src/codes.ts';
import type { InvalidTokenReason } from '../packages/server/src/auth/tokens/refusal.ts';
import { markdownTable } from './markdown-table.ts';

/** What a code means, and what to do. One entry per code: the compiler insists. */
const ADVICE: Readonly<Record<MsgCode, readonly [cause: string, remedy: string]>> = {
  MSG_CHANNEL_INVALID: [
    'The name violates the grammar `<public|private>:<app>.<domain>[.<id>][.<topic>]`, or has the wrong visibility for the call. A private name needs an id.',
    'Compare the name with [channels](channels.md#names). The message says which part is wrong.',
  ],
  MSG_INVALID_ARGUMENT: [
    'An argument cannot be used: a bad pattern, an unknown key id, two sources for one value, a setting that contradicts another, or something that is not configured, such as revocation. On a publish also: the tag `msg-encoding`, or a payload that the channel option `payload: json` or a schema excludes.',
    'The message names the argument and what is allowed. At boot it names the key of the configuration; `msg config check` finds it without a start.',
  ],
  MSG_CHANNEL_TTL_EXCEEDS_MAX: [
    'A private channel lives one hour at most.',
    'Ask for 3600 s or less; publishing and touching keep it alive.',
  ],
  MSG_CHANNEL_NOT_FOUND: [
    'The channel was never opened, expired (a private one goes after its TTL without activity), was deleted, or the single node that held it was restarted.',
    '`msg channels list` shows what is there. Open or create it first. A deleted public name stays unusable. After a restart of a single node every channel has to be opened again: `boot_id` in the manifest tells.',
  ],
  MSG_SINK_DLQ_NOT_FOUND: [
    'No dead letter has this id, or another caller is replaying it at this moment.',
    '`msg dlq list <sink>` shows the letters.',
  ],
  MSG_CHANNEL_EXISTS: [
    'A private channel of that name exists, open or deleted a moment ago.',
    'Take another id, or use the channel that is there; its tokens were answered when it was created and are kept nowhere.',
  ],
  MSG_CHANNEL_CLOSED: [
    'A public channel was idle for longer than its TTL. Its subscribers stay; new ones and publishes are refused. On the client protocol the code also stands for channels that are not there, so that names cannot be probed.',
    'Open it again: `msg channels open`, OpenPublic. Offsets go on.',
  ],
  MSG_SINK_RECIPIENT_DECODE: [
    'The letter’s sink cannot read the stored recipient.',
    'Give the sink a `decodeRecipient`, or discard the letter and send anew.',
  ],
  MSG_AUTH_DENIED: [
    'The token is missing, malformed, badly signed, signed by a retired key, of another type, revoked, or grants less than was asked for. With 401 the bearer itself was refused, with 403 its rights.',
    '`msg tokens inspect <token>` shows what a token says; `msg authz explain` which rule decides for a channel and verb. The log has a record `auth_failure` with the reason: see the labels below.',
  ],
  MSG_AUTH_EXPIRED: [
    'The token was good and its lifetime is over; or the clocks of machines differ; or it was issued before a server started that [remembers nothing](restarts.md#a-single-node).',
    'Refresh it (RefreshToken), or make a new management token (`msg tokens mgmt`). Stock clients refresh when they have a callback for it.',
  ],
  MSG_RATE_LIMITED: [
    'A bucket is empty: publishes of this subject, subscribes of this user, refreshes from this address, or the limit of a channel pattern. The message names the bucket.',
    'Wait as long as `Retry-After` says. The limits are in the manifest; [operations](operations.md#rate-limits).',
  ],
  MSG_BROKER_NOT_READY: [
    'The node is starting or stopping, or its shared store is away, full or read-only and did not carry out the call: the message says which. Also an address that leads nowhere: the command line says so when it cannot connect.',
    'Repeat it after `Retry-After`; nothing happened. `/readyz` of the node names the part; behind a balancer another node answers. [When the store is away](clustering.md#when-the-store-is-away).',
  ],
  MSG_SINK_UNAVAILABLE: [
    'The destination did not take the message: no connection, or a status of 300 or more.',
    'The service tries again as `sink_retry` says and parks what stays undelivered: [sinks](sinks-runbook.md).',
  ],
  MSG_SINK_DLQ_OVERFLOW: [
    'The delivery failed and could not be parked either, because the store does not answer. Only the caller still has the message.',
    'Keep the message and repeat it; see `/readyz` for the store.',
  ],
  MSG_BROKER_INTERNAL: [
    'The broker failed, and the outcome of the call is not known: mostly the answer of a shared store that is lost. Also a store of another version at the start, and the second run of one embedded service.',
    'The log has the cause as `internal failure`; `/readyz` names the part. [When the store is away](clustering.md#when-the-store-is-away).',
  ],
  MSG_SINK_CONFIG_INVALID: [
    'No sink has that name, or one is configured without what it needs.',
    'The manifest lists the sinks. At boot the message names the missing key.',
  ],
  MSG_INTERNAL: [
    'Something failed that should not: a keyring that cannot be written, a limiter of your own that does not answer, a bug.',
    'The log has a record `internal failure` with the cause; `trace_id` and `request_id` lead to it. Repeat the call; report what stays.',
  ],
};

/** Labels of `auth_failure` records (messaging details 11.2). */
const LABELS: Readonly<Record<InvalidTokenReason, string>> = {
  MSG_AUTH_MISSING: 'no bearer at all',
  MSG_AUTH_EXPIRED: 'the lifetime is over',
  MSG_AUTH_INVALID_SIGNATURE: 'another ring signed it, or its key was retired',
  MSG_AUTH_UNSUPPORTED_ALG: 'the header names an algorithm that is not the key’s',
  MSG_AUTH_MALFORMED: 'not a token: often a variable that was not set',
  MSG_AUTH_TYPE_MISMATCH: 'an access token where a management token belongs, or the other way round',
  MSG_AUTH_NOT_YET_VALID: 'issued in the future: clocks differ by more than 30 s',
  MSG_AUTH_DENIED: 'the token is good; its rights, or a revocation, refuse the call',
};

function section(name: MsgCode): string {
  const { twirp, wire, retryable } = CODE_TABLE[name];
  const [cause, remedy] = ADVICE[name];
  const facts = [
    `HTTP ${TWIRP_STATUS[twirp]}, Twirp \`${twirp}\``,
    wire === null ? 'not on the client protocol' : `client protocol ${wire}`,
    retryable ? 'worth repeating' : 'repeating it as it is does not help',
  ];
  return `## ${name}\n\n${facts.join('; ')}.\n\n**Cause.** ${cause}\n\n**What to do.** ${remedy}`;
}

const INTRODUCTION = `<!-- Generated by scripts/write-reference.ts from packages/core/src/codes.ts. Do not edit. -->

# Troubleshooting by error code

Every failure has one of these codes: in \`meta.code\` of an RPC's error body, in the line \`error: <code>: <text>\` of the
command line, at the beginning of the message of a client protocol error, as \`code\` of a \`MsgError\` in the library. The
text says what was wrong and what is allowed. Codes that end a connection or a subscription are in
[delivery](delivery.md#codes-a-client-may-see), alerts in [monitoring](monitoring.md#alerts).`;

const FOREIGN_ORIGIN = `## A browser page gets 403

The page comes from another origin than the service, and the service does not list it. An origin is scheme, host and port
together: a page that Vite serves on \`http://localhost:5173\` is foreign to a service on \`http://localhost:8000\`, and
\`http://localhost:8000\` is foreign to a page that says \`ws://127.0.0.1:8000\`: \`localhost\` and \`127.0.0.1\` are two
hosts. Programs that are not browsers send no \`Origin\` and are never refused for it.

The body of the answer names the origin and the setting, and so does \`reason\` in the log record of the request. A page
cannot read the body of a refused WebSocket; the browser's network panel and \`curl\` show it:

<!-- A server runs:
\`\`\`sh server
msg serve
\`\`\`
-->

\`\`\`sh
curl -s -H 'Origin: http://localhost:5173' http://localhost:8000/connection/websocket
\`\`\`

\`\`\`output
origin "http://localhost:5173" is not allowed on host "localhost:8000": server.allowed_origins (--allowed-origin, MSG_ALLOWED_ORIGINS, option allowedOrigins) must list it
\`\`\`

**What to do.** List the origin exactly as the browser sends it, without a path: \`--allowed-origin http://localhost:5173\`,
or \`allowedOrigins: ['http://localhost:5173']\` where the service is embedded. Or let the page and the service share an
origin: a proxy in front of both, or that of the development server (in Vite \`server.proxy\` with \`ws: true\`), which must
then pass on the \`Host\` that the browser sent (in Vite \`changeOrigin: false\`, the default). Behind a proxy that replaces
\`Host\`, the service takes the page's own origin for a foreign one.`;

/** `docs/troubleshooting.md`. */
export function troubleshootingPage(): string {
  const names = Object.keys(CODE_TABLE) as MsgCode[]; // its own keys
  const labels = markdownTable(
    ['Label', 'What was wrong'],
    Object.entries(LABELS).map(([label, text]) => [`\`${label}\``, text]),
  );
  const refused = `## Why a token was refused\n\nThe label of the record \`auth_failure\` in the log; callers see only the codes above.\n\n${labels}`;
  return `${[INTRODUCTION, ...names.map(section), refused, FOREIGN_ORIGIN].join('\n\n')}\n`;
}
