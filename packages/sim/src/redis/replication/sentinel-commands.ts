import { type Answer, MapAnswer, NullArray, VerbatimText } from '../answer.ts';
import type { CommandRow, CommandTable, ContainerRow } from '../command.ts';
import { fail } from '../command-error.ts';
import { CLIENT_COMMANDS } from '../commands/clients.ts';
import { CONNECTION_COMMANDS } from '../commands/connection.ts';
import { PUBSUB_COMMANDS } from '../commands/pubsub.ts';
import type { Place } from '../place.ts';
import type { Bytes } from '../reply.ts';

/** What a Sentinel believes. */
export interface SentinelView {
  /** The name of the master that it watches. */
  readonly name: Bytes;
  readonly master: Place;
  readonly replicas: readonly Place[];
  /** The other Sentinels. */
  readonly others: readonly Place[];
}

/** The commands of a Sentinel. */
export function sentinelTable(view: () => SentinelView): CommandTable {
  const subcommands = [
    row('sentinel|get-master-addr-by-name', args => masterAddress(args, view())),
    row('sentinel|sentinels', args => listed(args, view(), view().others, 'sentinel')),
    row('sentinel|replicas', args => listed(args, view(), view().replicas, 'slave')),
    row('sentinel|slaves', args => listed(args, view(), view().replicas, 'slave')),
  ];
  const rows: readonly (CommandRow | ContainerRow)[] = [
    { name: 'sentinel', subcommands },
    { name: 'info', arity: -1, flags: ['always'], run: () => new VerbatimText(INFO) },
  ];
  const all = [...rows, ...CONNECTION_COMMANDS, ...CLIENT_COMMANDS, ...PUBSUB_COMMANDS];
  return new Map(all.map(each => [each.name, each]));
}

const INFO = '# Server\r\nredis_mode:sentinel\r\n# Sentinel\r\nsentinel_masters:1\r\n';

function row(name: Bytes, run: CommandRow['run']): CommandRow {
  return { name, arity: 3, flags: ['noScript', 'always'], run };
}

function masterAddress([, , name]: readonly Bytes[], view: SentinelView): Answer {
  if (name !== view.name) return new NullArray();
  return [view.master.host, String(view.master.port)];
}

function listed(
  [, , name]: readonly Bytes[],
  view: SentinelView,
  places: readonly Place[],
  flags: Bytes,
): Answer {
  if (name !== view.name) return fail('ERR No such master with that name');
  return places.map(
    ({ host, port }) =>
      new MapAnswer(['name', `${host}:${port}`, 'ip', host, 'port', String(port), 'flags', flags]),
  );
}
