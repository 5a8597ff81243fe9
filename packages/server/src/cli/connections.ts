import { type Argument, choice, count, defaultFlag, switchFlag, valueFlag } from '@msg/command-line';
import { METHODS } from '@msg/core';
import { type MsgCommand, rpcCommand } from './command.ts';

const CHANNEL: Argument = { name: 'name', help: 'channel name' };
const CLIENT: Argument = { name: 'client', help: 'id of a connection, as `msg connections list` shows it' };
const LIMIT = valueFlag('--limit', count, 50, 'how many at most, up to 200');
const CURSOR = defaultFlag('--cursor', 'text', '', 'where the page begins: `next_cursor` of the one before');

function only(name: 'user' | 'client' | 'transport' | 'address' | 'name' | 'node', help: string) {
  return defaultFlag(`--${name}`, 'text', '', help);
}

const list = rpcCommand({
  name: 'connections list',
  summary: 'who is connected, on all nodes',
  detail:
    'By age and by user pages follow each other without a gap. By queue_bytes and subscriptions rows move, so there is one ' +
    'page. Nodes that did not answer are in `missing_nodes`.',
  method: 'ListConnections',
  settings: {
    user: only('user', 'only connections of this user'),
    client: only('client', 'only this connection'),
    transport: only('transport', 'only this transport'),
    address: only('address', 'only this IP address, or a range such as 10.0.0.0/8'),
    name: only('name', 'only subscribers of this channel'),
    node: only('node', 'only connections of this node'),
    minQueueBytes: valueFlag('--min-queue-bytes', count, 0, 'only where so many bytes wait'),
    sort: valueFlag('--sort', choice('age', 'user', 'queue_bytes', 'subscriptions'), 'age', 'the order'),
    descending: switchFlag('--descending', 'the other way round'),
    limit: LIMIT,
    cursor: CURSOR,
  },
  examples: [
    { line: 'connections list --user u-9', help: 'where is that user?' },
    { line: 'connections list --sort queue_bytes --descending --limit 10', help: 'the slowest readers' },
  ],
  async action(call, { settings: { minQueueBytes, ...request } }) {
    const answer = await call({ ...request, min_queue_bytes: minQueueBytes });
    return { kind: 'msg.connections.list', payload: answer };
  },
});

const get = rpcCommand({
  name: 'connections get',
  args: [CLIENT],
  summary: 'one connection: what it subscribes to, since when, on which token, and what it waits for',
  method: 'GetConnection',
  examples: [
    { line: 'connections get 50f649f2-e4f5-41c0-9325-3ae2e97af65e', help: 'why does it get nothing?' },
  ],
  async action(call, { args: [client = ''] }) {
    const payload = METHODS.GetConnection.response.write(await call({ client })) as object; // its JSON form
    return { kind: 'msg.connection.get', payload };
  },
});

const disconnect = rpcCommand({
  name: 'connections disconnect',
  summary: 'end a connection, or every connection of a user, on all nodes',
  detail: 'Clients stay away (3503), or come back with --reconnect (3011). Say either --client or --user.',
  method: 'Disconnect',
  settings: {
    client: only('client', 'this connection'),
    user: only('user', 'every connection of this user'),
    reconnect: switchFlag('--reconnect', 'the clients connect again'),
    reason: defaultFlag('--reason', 'text', '', 'what the clients are told, at most 64 bytes'),
  },
  examples: [
    { line: 'connections disconnect --user u-9', help: 'after `msg tokens revoke-user u-9`' },
    {
      line: 'connections disconnect --client 50f649f2-e4f5-41c0-9325-3ae2e97af65e --reconnect',
      help: 'a fresh start',
    },
  ],
  async action(call, { settings }) {
    return { kind: 'msg.connection.disconnected', payload: await call(settings) };
  },
});

const unsubscribe = rpcCommand({
  name: 'connections unsubscribe',
  args: [CHANNEL],
  summary: 'end subscriptions of a channel, on all nodes',
  detail: 'Clients do not subscribe again by themselves (2000). Say one of --client, --user and --all.',
  method: 'Unsubscribe',
  settings: {
    client: only('client', 'the subscription of this connection'),
    user: only('user', 'the subscriptions of this user'),
    all: switchFlag('--all', 'every subscription of the channel'),
  },
  examples: [{ line: 'connections unsubscribe public:shop.news --user u-9', help: 'the channel stays open' }],
  async action(call, { args: [name = ''], settings }) {
    return { kind: 'msg.connection.unsubscribed', payload: await call({ name, ...settings }) };
  },
});

const users = rpcCommand({
  name: 'users list',
  args: [{ name: 'query', help: 'begin of the ids; absent: all', optional: true }],
  summary: 'users with live connections, and on which nodes',
  detail:
    'Connections without a user are not listed. `total` is at least so many: a user of two nodes counts once.',
  method: 'ListUsers',
  settings: { limit: LIMIT, cursor: CURSOR },
  examples: [{ line: 'users list u-', help: 'whose ids begin so' }],
  async action(call, { args: [query = ''], settings }) {
    return { kind: 'msg.users.list', payload: await call({ query, ...settings }) };
  },
});

const presence = rpcCommand({
  name: 'channels presence-list',
  args: [CHANNEL],
  summary: 'who subscribes to a channel right now, on all nodes',
  detail: 'From live subscriptions, whatever the presence option of the channel says. Viewers see no infos.',
  method: 'PresenceList',
  settings: { limit: valueFlag('--limit', count, 100, 'how many at most, up to 200'), cursor: CURSOR },
  examples: [{ line: 'channels presence-list public:shop.news', help: 'their connections and users' }],
  async action(call, { args: [name = ''], settings }) {
    return {
      kind: 'msg.channel.presence_list',
      payload: { channel: name, ...(await call({ name, ...settings })) },
    };
  },
});

/** `connections …`, `users …` and `channels presence-list`. */
export const connectionCommands: readonly MsgCommand[] = [
  list,
  get,
  disconnect,
  unsubscribe,
  users,
  presence,
];
