import { defaultFlag } from '@msg/command-line';
import { VERBS } from '@msg/core/internal';
import { type MsgCommand, rpcCommand } from './command.ts';

const explain = rpcCommand({
  name: 'authz explain',
  args: [
    { name: 'channel', help: 'channel name' },
    { name: 'verb', help: 'subscribe, publish or manage', words: VERBS },
    {
      name: 'access-token',
      help: 'whose access is explained; absent: a caller without a token',
      optional: true,
    },
  ],
  settings: {
    client: defaultFlag(
      '--client',
      'id',
      '',
      'in place of the token: a live connection, whose token decides',
    ),
  },
  summary: 'would this be allowed, and which rule decides',
  detail:
    'The service answers with the code that decides for real. --token is the bearer of the call, not the token ' +
    'that is explained.',
  method: 'ExplainAccess',
  examples: [
    { line: 'authz explain public:shop.news subscribe', help: 'without a token' },
    { line: 'authz explain private:shop.order.77 publish "$ACCESS_TOKEN"', help: 'with one' },
    {
      line: 'authz explain private:shop.order.77 subscribe --client 50f649f2-e4f5-41c0-9325-3ae2e97af65e',
      help: 'a connection of `msg connections list`',
    },
  ],
  async action(call, { args: [name = '', verb = '', token = ''], settings: { client } }) {
    return { kind: 'msg.authz.explained', payload: await call({ name, verb, token, client }) };
  },
});

/** `authz explain`. */
export const authzCommands: readonly MsgCommand[] = [explain];
