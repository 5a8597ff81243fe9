import type { RpcResponse } from '@msg/core';
import type { JSX } from 'preact';
import { addressOf } from '../../app/address.ts';
import { Name } from '../../parts/basics.tsx';
import type { Column } from '../../parts/table.tsx';
import { breakOf, bytes, visible, whole } from '../../parts/text.ts';
import { Ago } from '../../parts/time.tsx';

/** One connection as a row. */
export type Connection = RpcResponse<'ListConnections'>['connections'][number];

export function UserLink({ user }: { readonly user: string }): JSX.Element {
  if (user === '') return <span class="mute">anonymous</span>;
  return (
    <a class={breakOf(user)} href={addressOf('users', user)}>
      {visible(user)}
    </a>
  );
}

const UUID = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/;

/** A node; of an id that it made itself the begin, and all of it in the title. */
function NodeName({ id }: { readonly id: string }): JSX.Element {
  if (!UUID.test(id)) return <Name text={id} />;
  return (
    <span class="mono" title={id}>
      {id.slice(0, 8)}
    </span>
  );
}

export const CONNECTION_COLUMNS: readonly Column<Connection>[] = [
  {
    label: 'Connection',
    show: ({ client }) => (
      <a class="mono wrap" href={addressOf('connections', client)}>
        {visible(client)}
      </a>
    ),
  },
  { label: 'User', sort: 'user', show: ({ user }) => <UserLink user={user} /> },
  {
    label: 'Transport',
    show: ({ transport, encoding }) => <span class="nowrap">{`${transport}, ${encoding}`}</span>,
    isSecond: true,
  },
  {
    label: 'Client',
    show: ({ client_name, client_version }) => visible(`${client_name} ${client_version}`.trim()) || '–',
    isSecond: true,
  },
  { label: 'Address', show: ({ address }) => <Name text={address} /> },
  { label: 'Node', show: ({ node }) => <NodeName id={node} />, isSecond: true },
  {
    label: 'Channels',
    sort: 'subscriptions',
    show: ({ subscriptions }) => whole(subscriptions),
    isNumber: true,
  },
  { label: 'Waiting', sort: 'queue_bytes', show: ({ queue_bytes }) => bytes(queue_bytes), isNumber: true },
  { label: 'Connected', sort: 'age', show: ({ connected_at }) => <Ago at={connected_at} />, isNumber: true },
];
