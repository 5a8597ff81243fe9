import { duration, type Setting, type Settled, text, toggle } from './setting.ts';

const HOUR_MS = 3_600_000;

/**
 * The settings of `serve`. Source: the specification, "Process configuration"; messaging details 16.3 and 17.
 */
export const SERVE_SETTINGS = {
  addr: {
    key: 'server.addr',
    flag: '--addr',
    short: '-a',
    type: text,
    fallback: ':8000',
    help: 'listen address, host:port; port 0 takes a free one',
  } satisfies Setting<string>,
  stateDir: {
    key: 'auth.state_dir',
    flag: '--state-dir',
    env: 'MSG_STATE_DIR',
    type: text,
    fallback: '',
    help: 'directory of keyring.json; empty: the keys end with the process',
  } satisfies Setting<string>,
  mgmtSubject: {
    key: 'auth.mgmt_subject',
    flag: '--mgmt-subject',
    env: 'MSG_MGMT_SUBJECT',
    type: text,
    fallback: 'operator',
    help: 'subject of the bootstrap management token',
  } satisfies Setting<string>,
  mgmtTtl: {
    key: 'auth.mgmt_ttl',
    flag: '--mgmt-ttl',
    env: 'MSG_MGMT_TTL',
    type: duration,
    fallback: 24 * HOUR_MS,
    help: 'lifetime of the bootstrap management token',
  } satisfies Setting<number>,
  noAuth: {
    key: 'server.no_auth',
    flag: '--no-auth',
    env: 'MSG_NO_AUTH',
    type: toggle,
    fallback: false,
    help: 'no bearer check on the management RPC; development only',
  } satisfies Setting<boolean>,
} as const;

export type ServeSettings = Settled<typeof SERVE_SETTINGS>;
