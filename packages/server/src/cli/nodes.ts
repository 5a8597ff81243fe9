import { type MsgCommand, rpcCommand } from './command.ts';

const list = rpcCommand({
  name: 'nodes list',
  summary: 'the nodes of the service: load, health, and what to look at',
  detail:
    'Rates are those of the last minute, as far as it was watched: the first look begins to watch. `hints` have the ' +
    'names and thresholds of the alert rules. Nodes that did not answer are in `missing_nodes`.',
  method: 'ListNodes',
  examples: [{ line: 'nodes list', help: 'is every node well?' }],
  async action(call) {
    return { kind: 'msg.nodes.list', payload: await call({}) };
  },
});

/** `nodes …`. */
export const nodeCommands: readonly MsgCommand[] = [list];
