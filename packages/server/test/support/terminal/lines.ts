const ROOM = 'public:cli.room';
const ORDER = '{"pattern":"public:cli.{id}","aspects":{"status":{}}}';
const ORDER_AND_NEW = '{"pattern":"public:cli.{id}","aspects":{"status":{},"new":{}}}';

/** What of a command is tried. */
export interface Tried {
  /** The words after the name of the command; `{fact}` is replaced. Several: run one after the other, all are judged. */
  readonly lines: readonly (readonly string[])[];
  /** The output is a document, the same on a terminal as in a pipe. */
  readonly isDocument?: boolean;
  /** Members that are others in every run. */
  readonly varying?: readonly string[];
}

/** Measured figures. */
const VARYING_OF_NODES = [
  ...['seconds', 'publishes', 'deliveries', 'bytes_in', 'bytes_out', 'loop_lag_p99_ms', 'cpu_percent'],
  ...['rss_bytes', 'heap_bytes', 'open_fds', 'store_ping_ms', 'clock_offset_ms', 'value', 'since'],
];

/** Commands that go on until they are ended; the suite runs them apart. */
export const ENDLESS = [
  'serve',
  'subscribe',
  'connections record',
  'watch',
  'channels tail',
  'console',
  'append',
  'outbox run',
];

/** Every command that ends by itself, in an order in which they work. */
export const TRIED: Readonly<Record<string, Tried>> = {
  'api-keys list': { lines: [[], []] },
  'api-keys new': { lines: [['shop']], varying: ['key', 'id', 'yaml'] },
  'vapid generate': { lines: [[]], varying: ['public_key', 'private_key'] },
  'outbox migrate': { lines: [['--schema', 'cli']] },
  'outbox status': { lines: [['--schema', 'kept']], varying: ['oldest_seconds'] },
  'outbox dead list': {
    lines: [
      ['--schema', 'kept'],
      ['--schema', 'kept', '--code', 'none'],
    ],
  },
  'outbox dead retry': { lines: [['--schema', 'kept', '--code', 'none']] },
  'outbox dead discard': { lines: [['--schema', 'kept', '--channel', 'none']] },
  'api-keys create': { lines: [['cli', '--scope', 'public:cli.**', '--verb', 'publish']] },
  'api-keys rotate': { lines: [['cli', '--overlap', '1h']] },
  'api-keys revoke': { lines: [['cli']] },
  'schemas list': { lines: [[], []] },
  'schemas register': { lines: [['--data', ORDER]] },
  'schemas check': {
    lines: [
      ['--data', ORDER_AND_NEW],
      ['--data', ORDER],
    ],
  },
  'schemas update': { lines: [['--data', ORDER_AND_NEW]] },
  'schemas get': { lines: [['public:cli.{id}']] },
  'schemas deregister': { lines: [['public:cli.{id}']] },
  'channels list': { lines: [[], []] },
  'channels open': {
    lines: [[ROOM, '--ttl', '1h'], ['public:cli.a-name-that-is-longer-than-what-forty-columns-hold']],
  },
  'channels create': {
    lines: [['private:cli.new.1', '-s', 'u-9', '--scope', 'private:cli.new.1.*', '--verb', 'publish']],
  },
  'channels get': { lines: [[ROOM]] },
  'channels presence': { lines: [[ROOM], [ROOM, '--list']] },
  publish: { lines: [[ROOM, '--data=hello']] },
  'publish-many': { lines: [['--file', '{items}']] },
  broadcast: { lines: [[ROOM, ROOM, '--volatile', '-d', 'hello']] },
  'publish-or-sink': {
    lines: [
      ['private:cli.order.7', '--data', 'paid', '--sink', 'orders', '--subject', 'Order 7', '--body', 'paid'],
    ],
  },
  'streams get': { lines: [['public:cli.log']] },
  'streams cancel': { lines: [['public:cli.log', '--reason', 'enough']] },
  'channels position': { lines: [[ROOM]] },
  'channels history': { lines: [[ROOM], ['private:cli.kept.1']] },
  'channels presence-list': { lines: [[ROOM], ['private:cli.kept.1']] },
  'connections list': { lines: [[], ['--user', 'nobody']] },
  'connections get': { lines: [['{client}']] },
  'users list': { lines: [[], ['nobody']] },
  'nodes list': { lines: [[]], varying: VARYING_OF_NODES },
  'connections unsubscribe': { lines: [[ROOM, '--all']] },
  'feeds open': { lines: [['stats']] },
  'feeds renew': { lines: [['{feed}']] },
  'feeds tail': { lines: [['{feed}', ROOM]] },
  'feeds untail': { lines: [['{feed}', '{tail}']] },
  'feeds close': { lines: [['{feed}']] },
  'recordings stop': { lines: [['{recording}']] },
  'recordings get': { lines: [['{recording}']] },
  'recordings start': { lines: [['{client}', '--seconds', '1']] },
  'connections disconnect': { lines: [['--client', '{client}', '--reason', 'maintenance']] },
  'channels clear-history': { lines: [[ROOM]] },
  'channels touch': { lines: [[ROOM]] },
  'channels close': { lines: [[ROOM]] },
  'channels delete': { lines: [[ROOM]] },
  'dlq list': { lines: [['orders'], ['none']] },
  'dlq get': { lines: [['{letter}']] },
  'dlq groups': { lines: [['orders'], ['none']] },
  'dlq count': { lines: [['orders']] },
  'dlq redrive': { lines: [['orders', '--all', '--dry-run']] },
  'dlq jobs': { lines: [[]] },
  'dlq stop': { lines: [['{job}']] },
  'dlq edit': { lines: [['{letter}', '--subject', 'Order 8']], varying: ['at'] },
  'dlq replay': { lines: [['{letter}']] },
  'dlq discard': { lines: [['{otherLetter}', '--undo', '1m']] },
  'dlq restore': { lines: [['{otherLetter}']] },
  'tokens refresh': { lines: [['{refreshToken}']] },
  'tokens issue': {
    lines: [['u-9', '--scope', 'private:cli.*.*', '--verb', 'subscribe', '--session-ttl', '2h']],
  },
  'tokens mgmt': { lines: [['--subject', 'deploy', '--ttl', '30m']] },
  'tokens revoke': { lines: [['jti-1', '-u', 'u-1', '-r', 'leaked']] },
  'tokens revoke-user': { lines: [['u-77']] },
  'tokens inspect': {
    lines: [['{accessToken}', '--channel', 'private:cli.kept.1']],
    varying: ['expires_in'],
  },
  'keys list': { lines: [[]] },
  'keys usage': {
    lines: [[]],
    varying: ['last_seen', 'mgmt', 'access', 'refresh', 'promoted_at', 'expires_unix'],
  },
  'keys rotate': { lines: [['--alg', 'ES256']] },
  'keys generate': { lines: [[]] },
  'keys promote': { lines: [['{spareKey}']] },
  'keys retire': { lines: [['{oldKey}', '--notify', 'http://127.0.0.1:1/', '--notify', '{url}/twirp/x']] },
  'keys reload': { lines: [[]] },
  'keys export': { lines: [['--state-dir', '{stateDir}']], isDocument: true },
  'keys import': { lines: [['{ring}', '--state-dir', '{home}/imported']] },
  'keys sync': {
    lines: [['--from', '{store}', '--to', '{store}', '--to-key-prefix', '{prefix}']],
  },
  'authz explain': {
    lines: [
      ['private:cli.kept.1', 'subscribe', '{accessToken}'],
      [ROOM, 'publish'],
    ],
  },
  whoami: { lines: [[]] },
  'audit list': {
    lines: [
      ['--limit', '5'],
      ['--method', 'Nothing'],
    ],
  },
  manifest: { lines: [[]] },
  'login oidc': {
    lines: [['--issuer', '{issuer}', '--client-id', 'msg-ops']],
    varying: ['expires_at'],
  },
  logout: { lines: [[], []] },
  'config check': { lines: [['{config}']] },
  'config running': { lines: [[]] },
  'config print': { lines: [[], ['--config', '{config}', '--addr', ':9000']] },
  'config schema': { lines: [[]], isDocument: true },
  'config init': { lines: [[], ['--full']], isDocument: true },
  health: { lines: [['--addr', '{host}']] },
  errors: { lines: [[], ['MSG_AUTH_DENIED'], ['MSG_CHANNEL_EXISTS']] },
  completion: { lines: [['bash'], ['zsh'], ['fish']], isDocument: true },
};
