import { type Answer, MapAnswer, OK, VerbatimText } from '../answer.ts';
import type { CommandRow, ContainerRow } from '../command.ts';
import { fail } from '../command-error.ts';
import type { RedisState } from '../state.ts';
import { SLOTS, slotOf } from './slots.ts';
import type { ClusterView, Member } from './view.ts';

const NO_CLUSTER = 'ERR This instance has cluster support disabled';

/** What only a member of a cluster answers. */
export const CLUSTER_COMMANDS: readonly (CommandRow | ContainerRow)[] = [
  // It serves no reads of a replica: every member is a master.
  { name: 'readonly', arity: 1, flags: ['always'], run: (_, { state }) => ok(viewOf(state)) },
  {
    name: 'asking',
    arity: 1,
    run: (_, { state, client }) => {
      viewOf(state);
      client.isAsking = true;
      return OK;
    },
  },
  {
    name: 'cluster',
    subcommands: [
      { name: 'cluster|slots', arity: 2, run: (_, { state }) => slots(viewOf(state)) },
      { name: 'cluster|shards', arity: 2, run: (_, { state }) => shards(viewOf(state)) },
      { name: 'cluster|info', arity: 2, run: (_, { state }) => info(viewOf(state)) },
      { name: 'cluster|myid', arity: 2, run: (_, { state }) => viewOf(state).self.id },
      {
        name: 'cluster|keyslot',
        arity: 3,
        run: ([, , key = ''], { state }) => {
          viewOf(state);
          return slotOf(key);
        },
      },
    ],
  },
];

function viewOf({ cluster }: RedisState): ClusterView {
  return cluster ?? fail(NO_CLUSTER);
}

function ok(_: ClusterView): Answer {
  return OK;
}

function slots(view: ClusterView): Answer {
  return view
    .ranges()
    .map(({ first, last, owner: { id, place } }) => [first, last, [place.host, place.port, id, []]]);
}

function shards(view: ClusterView): Answer {
  return view.members.map(member => {
    const ranges = view.ranges().filter(({ owner }) => owner === member);
    return new MapAnswer([
      'slots',
      ranges.flatMap(({ first, last }) => [first, last]),
      'nodes',
      [described(member)],
    ]);
  });
}

function described({ id, place: { host, port } }: Member): Answer {
  const address = ['id', id, 'port', port, 'ip', host, 'endpoint', host];
  return new MapAnswer([...address, 'role', 'master', 'replication-offset', 0, 'health', 'online']);
}

function info({ isDown, members }: ClusterView): Answer {
  const lines = [
    `cluster_state:${isDown ? 'fail' : 'ok'}`,
    `cluster_slots_assigned:${SLOTS}`,
    `cluster_known_nodes:${members.length}`,
    `cluster_size:${members.length}`,
  ];
  return new VerbatimText(`${lines.join('\r\n')}\r\n`);
}
