import type { RpcResponse } from '@msg/core';
import type { JSX } from 'preact';
import { addressOf } from '../../app/address.ts';
import { Command, Empty, Name } from '../../parts/basics.tsx';
import { Listing, pageAsked } from '../../parts/listing.tsx';
import type { Column } from '../../parts/table.tsx';
import { commandLine, visible } from '../../parts/text.ts';
import { Ago } from '../../parts/time.tsx';
import { useCall } from '../../rpc/use-call.ts';

type Entry = RpcResponse<'PresenceList'>['entries'][number];

const COLUMNS: readonly Column<Entry>[] = [
  {
    label: 'Connection',
    show: ({ client }) => (
      <a class="mono wrap" href={addressOf('connections', client)}>
        {visible(client)}
      </a>
    ),
  },
  {
    label: 'User',
    show: ({ user }) =>
      user === '' ? (
        <span class="mute">anonymous</span>
      ) : (
        <a href={addressOf('users', user)}>{visible(user)}</a>
      ),
  },
  {
    label: 'Info',
    show: ({ conn_info, chan_info, hidden }) => <Info texts={[conn_info, chan_info]} isHidden={hidden} />,
    isFull: true,
  },
  { label: 'Node', show: ({ node }) => <Name text={node} />, isSecond: true, isFull: true },
  { label: 'Since', show: ({ since }) => <Ago at={since} />, isNumber: true },
];

function Info({
  texts,
  isHidden,
}: {
  readonly texts: readonly string[];
  readonly isHidden: boolean;
}): JSX.Element {
  if (isHidden) return <span class="mute">hidden from viewers</span>;
  const text = texts.filter(one => one !== '').join(' ');
  return text === '' ? <span class="mute">–</span> : <Name text={text} />;
}

/** The subscribers of a channel, on all nodes. */
export function PresenceTab({ name }: { readonly name: string }): JSX.Element {
  const list = useCall('PresenceList', { name, ...pageAsked() }, { repeats: true });
  return (
    <div class="stack s4">
      <Listing
        caption="Subscribers"
        call={list}
        rowsOf={({ entries }) => entries}
        columns={COLUMNS}
        keyOf={({ client }) => client}
        empty={
          <Empty title="No subscriber" line={commandLine('subscribe', name)}>
            A client appears here within five seconds of subscribing, even where the channel's presence option
            is off.
          </Empty>
        }
      />
      <div>
        <Command line={commandLine('channels', 'presence', name, '--list')} />
      </div>
    </div>
  );
}
