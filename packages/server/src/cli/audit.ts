import { count, defaultFlag, valueFlag } from '@msg/command-line';
import { type MsgCommand, rpcCommand } from './command.ts';

/** A part of the filter. */
function only(name: 'actor' | 'method' | 'target' | 'outcome' | 'via' | 'since' | 'until', help: string) {
  return defaultFlag(`--${name}`, 'text', '', help);
}

const list = rpcCommand({
  name: 'audit list',
  summary: 'who changed what: records of calls, the newest first',
  detail:
    'A further page begins at the `next_cursor` of the one before. Nodes that did not answer are in `missing_nodes`.',
  method: 'AuditList',
  settings: {
    actor: only('actor', 'only calls of this subject'),
    method: only('method', 'only calls of this method or command'),
    target: only('target', 'only calls about this channel, key, token, user or dead letter'),
    outcome: only('outcome', 'only calls with this outcome: ok, or the code of a failure'),
    via: only('via', 'only calls that came by rpc, api, console or cli'),
    since: only('since', 'only calls since this RFC 3339 time'),
    until: only('until', 'only calls until this RFC 3339 time'),
    limit: valueFlag('--limit', count, 100, 'how many at most, up to 500'),
    cursor: defaultFlag('--cursor', 'text', '', 'where the page begins'),
  },
  examples: [
    { line: 'audit list --limit 20', help: 'the last acts of operators' },
    {
      line: 'audit list --target public:shop.news --method DeleteChannel',
      help: 'who deleted that channel?',
    },
  ],
  async action(call, { settings }) {
    return { kind: 'msg.audit.list', payload: await call(settings) };
  },
});

/** `audit …`. */
export const auditCommands: readonly MsgCommand[] = [list];
