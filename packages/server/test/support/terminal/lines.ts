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

/** Commands that go on until they are ended; the suite runs them apart. */
export const ENDLESS = ['serve', 'subscribe'];

/** Every command that ends by itself, in an order in which they work. */
export const TRIED: Readonly<Record<string, Tried>> = {
  'api-keys list': { lines: [[], []] },
  'api-keys new': { lines: [['shop']], varying: ['key', 'id', 'yaml'] },
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
  'channels presence': { lines: [[ROOM]] },
  publish: { lines: [[ROOM, '--data=hello']] },
  'publish-many': { lines: [['--file', '{items}']] },
  broadcast: { lines: [[ROOM, ROOM, '--volatile', '-d', 'hello']] },
  'publish-or-sink': {
    lines: [
      ['private:cli.order.7', '--data', 'paid', '--sink', 'orders', '--subject', 'Order 7', '--body', 'paid'],
    ],
  },
  'channels position': { lines: [[ROOM]] },
  'channels clear-history': { lines: [[ROOM]] },
  'channels delete': { lines: [[ROOM]] },
  'dlq list': { lines: [['orders'], ['none']] },
  'dlq count': { lines: [['orders']] },
  'dlq replay': { lines: [['{letter}']] },
  'dlq discard': { lines: [['{otherLetter}']] },
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
  manifest: { lines: [[]] },
  'login oidc': {
    lines: [['--issuer', '{issuer}', '--client-id', 'msg-ops']],
    varying: ['expires_at'],
  },
  logout: { lines: [[], []] },
  'config check': { lines: [['{config}']] },
  'config print': { lines: [[], ['--config', '{config}', '--addr', ':9000']] },
  'config schema': { lines: [[]], isDocument: true },
  'config init': { lines: [[], ['--full']], isDocument: true },
  health: { lines: [['--addr', '{host}']] },
  errors: { lines: [[], ['MSG_AUTH_DENIED'], ['MSG_CHANNEL_EXISTS']] },
  completion: { lines: [['bash'], ['zsh'], ['fish']], isDocument: true },
};
