import type { MsgCode } from '../codes.ts';

/** A more exact cause of an error than its code. Texts are Markdown; links are relative to `docs/`. */
export interface SituationAdvice {
  readonly code: MsgCode;
  readonly cause: string;
  /** The remedy, one line without a full stop; `{name}` is replaced by a value of the situation. */
  readonly remedy: string;
  /** The page that helps, if it is not the section of the code. */
  readonly page?: string;
}

const NETWORK = 'MSG_BROKER_NOT_READY';
const STORE = 'MSG_BROKER_INTERNAL';
const ARGUMENT = 'MSG_INVALID_ARGUMENT';

/** The causes and remedies of single situations: the troubleshooting page, `msg errors` and errors read this table. */
export const SITUATIONS = {
  tokenMissing: {
    code: 'MSG_AUTH_DENIED',
    cause: 'The command sent no token.',
    remedy: 'set MSG_TOKEN to the token that `msg serve` prints at its start, or run `msg login oidc`',
  },
  accessTokenMissing: {
    code: 'MSG_AUTH_DENIED',
    cause: 'A private channel was subscribed to without an access token.',
    remedy: 'give --token an access token that covers the channel: `msg channels create` prints one',
  },
  tokenNotSigned: {
    code: 'MSG_AUTH_DENIED',
    cause:
      'No key of the server signed the token: a server without a state directory was restarted, its key was retired, or the token belongs to another server. A revoked token is refused in the same way.',
    remedy:
      'take the token that the server printed at its last start; with `msg serve --state-dir <dir>` tokens survive a restart',
  },
  tokenGarbage: {
    code: 'MSG_AUTH_DENIED',
    cause: 'The text is not a token: a part of one, or another text.',
    remedy: 'copy the whole token: three parts of letters and digits with two dots between them',
  },
  tokenExpired: {
    code: 'MSG_AUTH_EXPIRED',
    cause: 'The lifetime of the token is over.',
    remedy:
      'make a new one while another is valid (`msg tokens mgmt`), or take the one that `msg serve` prints at its start',
  },
  tokenOfOtherType: {
    code: 'MSG_AUTH_DENIED',
    cause: 'A token of one type was given where another type is needed.',
    remedy: 'this is {given}; the command needs {needed}',
  },
  loginDenied: {
    code: 'MSG_AUTH_DENIED',
    cause: 'The person or the identity provider refused the login.',
    remedy: 'run `msg login oidc` again and approve it; the provider must allow the client the device flow',
    page: 'operator-login.md',
  },
  loginLate: {
    code: 'MSG_AUTH_EXPIRED',
    cause: 'The login was not approved before its code or the time of the command ended.',
    remedy: 'run `msg login oidc` again, with a longer --timeout where that ended first',
    page: 'operator-login.md',
  },
  connectionRefused: {
    code: NETWORK,
    cause: 'No program listens at the address.',
    remedy: 'start the server (`msg serve`), or give its address in --server or MSG_SERVER',
  },
  hostUnknown: {
    code: NETWORK,
    cause: 'The host name of the address cannot be resolved.',
    remedy: 'correct the host name in --server or MSG_SERVER',
  },
  certificateInvalid: {
    code: NETWORK,
    cause: 'The certificate of the server is not trusted, has expired or belongs to another name.',
    remedy:
      'name the certificate authority in NODE_EXTRA_CA_CERTS, or use the host name that the certificate is for',
  },
  answerMissing: {
    code: NETWORK,
    cause: 'The server took the connection and did not answer in time.',
    remedy: 'ask {server}/readyz what the server waits for, or try another node',
  },
  portInUse: {
    code: ARGUMENT,
    cause: 'Another program listens on the port.',
    remedy: '--addr {free}, or end the program that listens there',
  },
  redisRefused: {
    code: STORE,
    cause: 'No shared store listens at the address.',
    remedy: 'start the store, or correct --redis-addr, MSG_REDIS_ADDR or redis.addr',
    page: 'clustering.md',
  },
  redisPassword: {
    code: STORE,
    cause: 'The shared store refuses the user or the password, or asks for one.',
    remedy: 'correct redis.username and redis.password, or the credentials in the address',
    page: 'clustering.md',
  },
  redisReadOnly: {
    code: 'MSG_BROKER_NOT_READY',
    cause: 'The shared store takes no writes: it is a replica, full, or cannot save.',
    remedy: 'give the address of the primary, or mend what the store reports',
    page: 'clustering.md#when-the-store-is-away',
  },
  outboxAddressMissing: {
    code: ARGUMENT,
    cause: 'A command for the PostgreSQL outbox does not know its database.',
    remedy: 'set MSG_OUTBOX_POSTGRES_URL, or name the file that has `outbox.postgres.url` in --config',
    page: 'postgres.md',
  },
  outboxAway: {
    code: NETWORK,
    cause: 'The database of the outbox does not answer at its address, or takes no connection.',
    remedy: 'start PostgreSQL, or correct MSG_OUTBOX_POSTGRES_URL or outbox.postgres.url',
    page: 'postgres.md#when-it-goes-wrong',
  },
  outboxRole: {
    code: 'MSG_AUTH_DENIED',
    cause: 'PostgreSQL refuses the role or its password, or the role may not use the tables of the outbox.',
    remedy: 'correct user and password of the address, and use the role that owns the schema of the outbox',
    page: 'postgres.md#when-it-goes-wrong',
  },
  outboxSchema: {
    code: ARGUMENT,
    cause: 'The schema of the outbox was not made, or belongs to another release.',
    remedy: 'run `msg outbox migrate`; a schema that is newer needs a newer `msg`',
    page: 'postgres.md#when-it-goes-wrong',
  },
  stateDirDenied: {
    code: ARGUMENT,
    cause: 'The user of the process may not read or write the state directory.',
    remedy: 'give the directory to the user of the service (`chown`), or choose another --state-dir',
  },
  stateDirIsFile: {
    code: ARGUMENT,
    cause: 'The path of the state directory leads to a file.',
    remedy: 'name the directory that holds keyring.json, or one that does not exist yet, in --state-dir',
  },
  stateDirReadOnly: {
    code: ARGUMENT,
    cause: 'The state directory is on a disk that is mounted read-only.',
    remedy: 'mount a writable volume and name it in --state-dir',
  },
  stateDirFull: {
    code: ARGUMENT,
    cause: 'The disk of the state directory is full, or the quota of its user is used up.',
    remedy: 'make room on the disk of the state directory, or name one on another disk in --state-dir',
  },
  keyringBroken: {
    code: ARGUMENT,
    cause: 'The stored keyring cannot be read.',
    remedy: 'restore {path} from a backup; without one, remove it: all tokens issued so far end',
    page: 'keys-runbook.md',
  },
  fileMissing: {
    code: ARGUMENT,
    cause: 'The file does not exist.',
    remedy: 'correct the path; it is relative to the working directory',
  },
  fileDenied: {
    code: ARGUMENT,
    cause: 'The user of the process may not read the file.',
    remedy: 'allow the reading: `chmod` or `chown` of the file and the directories above it',
  },
  fileIsDirectory: {
    code: ARGUMENT,
    cause: 'The path leads to a directory.',
    remedy: 'name a file in it',
  },
  schemaUnknown: {
    code: 'MSG_CHANNEL_NOT_FOUND',
    cause: 'No schema is registered for the pattern.',
    remedy: '`msg schemas list` shows the patterns, `msg schemas register` adds one',
  },
  publicChannelUnknown: {
    code: 'MSG_CHANNEL_NOT_FOUND',
    cause: 'The public channel is not open.',
    remedy: '`msg channels open {channel}`',
  },
  privateChannelUnknown: {
    code: 'MSG_CHANNEL_NOT_FOUND',
    cause: 'The private channel does not exist, or not any more.',
    remedy: '`msg channels create {channel}`',
  },
  twoSources: {
    code: ARGUMENT,
    cause: 'One value comes from two places.',
    remedy: 'leave one of them out',
  },
  originForeign: {
    code: 'MSG_AUTH_DENIED',
    cause: 'A page of another origin was refused. The record of the request in the log names it.',
    remedy: 'list the origin: --allowed-origin {origin}',
    page: 'troubleshooting.md#a-browser-page-gets-403',
  },
} as const satisfies Readonly<Record<string, SituationAdvice>>;

/** The name of a row of {@link SITUATIONS}. */
export type SituationName = keyof typeof SITUATIONS;

/** A situation of one error, with the values that its remedy names. */
export interface Situation {
  readonly name: SituationName;
  readonly values?: Readonly<Record<string, string>>;
}

/** The remedy of a situation with its values in place. */
export function remedyOf({ name, values = {} }: Situation): string {
  return SITUATIONS[name].remedy.replace(/\{(\w+)\}/g, (whole, key: string) => values[key] ?? whole);
}
