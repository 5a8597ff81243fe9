import type { RpcResponse } from '@msg/core';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { addressOf, query } from '../app/address.ts';
import { ActButton } from '../parts/act.tsx';
import { Command, Empty, Name, PageHead } from '../parts/basics.tsx';
import { ConfirmCall } from '../parts/confirm-call.tsx';
import { TextField } from '../parts/field.tsx';
import { type Filter, FilterBar, valuesOf } from '../parts/filters.tsx';
import { Listing, pageAsked } from '../parts/listing.tsx';
import type { Column } from '../parts/table.tsx';
import { commandLine, counted, visible, whole } from '../parts/text.ts';
import { useCall } from '../rpc/use-call.ts';
import { CONNECTION_COLUMNS } from './connections/rows.tsx';

type User = RpcResponse<'ListUsers'>['users'][number];

const COLUMNS: readonly Column<User>[] = [
  {
    label: 'User',
    show: ({ user }) => (
      <a class="wrap" href={addressOf('users', user)}>
        {visible(user)}
      </a>
    ),
  },
  { label: 'Nodes', show: ({ nodes }) => <Name text={nodes.join(', ')} />, isSecond: true, isFull: true },
  { label: 'Connections', show: ({ connections }) => whole(connections), isNumber: true },
];

/** Users who are connected, or one of them. */
export function UsersPage({ names }: { readonly names: readonly string[] }): JSX.Element {
  const [user] = names;
  return user === undefined ? <Users /> : <UserPage key={user} user={user} />;
}

const FILTERS = [
  { name: 'q', label: 'Start of the id', chip: 'id starts with' },
] as const satisfies readonly Filter[];

function Users(): JSX.Element {
  const { q: text } = valuesOf(FILTERS);
  const list = useCall('ListUsers', { query: text, ...pageAsked() }, { repeats: true });
  return (
    <>
      <PageHead
        title="Users"
        sub="Every user with a connection, on all nodes. Anonymous connections have no user."
      >
        <Command line={commandLine('users', 'list', ...(text === '' ? [] : [text]))} />
      </PageHead>
      <FilterBar filters={FILTERS} />
      <Listing
        caption="Users"
        call={list}
        rowsOf={({ users }) => users}
        columns={COLUMNS}
        keyOf={({ user }) => user}
        shown={(users, { total, next_cursor: next }) =>
          next === '' && !query.value.has('cursor')
            ? `${whole(users.length)} of ${whole(users.length)}`
            : `${whole(users.length)} of at least ${whole(total)}`
        }
        empty={<NoUser text={text} />}
      />
    </>
  );
}

function NoUser({ text }: { readonly text: string }): JSX.Element {
  if (text === '')
    return (
      <Empty title="No user is connected" line="msg tokens issue u-9">
        A user appears here when a client connects with an access token of that subject.
      </Empty>
    );
  return (
    <Empty
      title="No user matches"
      way={{ to: addressOf('users', text), text: 'Open the page of this user' }}
    >{`No connected user has an id that starts with “${visible(text)}”.`}</Empty>
  );
}

/** One user: the connections on all nodes, and what ends them. */
function UserPage({ user }: { readonly user: string }): JSX.Element {
  const list = useCall('ListConnections', { user, ...pageAsked() }, { repeats: true });
  const [act, setAct] = useState<'disconnect' | 'revoke'>();
  const count = list.data?.total ?? 0;
  const sub =
    list.data === undefined ? undefined : count === 0 ? 'Not connected' : counted(count, 'connection');
  return (
    <>
      <PageHead title={user} sub={sub}>
        <ActButton method="Disconnect" onAct={() => setAct('disconnect')}>
          Disconnect everywhere…
        </ActButton>
        <ActButton method="RevokeUser" look="risky" onAct={() => setAct('revoke')}>
          Revoke…
        </ActButton>
        <Command line={commandLine('connections', 'list', '--user', user)} />
      </PageHead>
      <Listing
        caption="Connections of the user"
        call={list}
        rowsOf={({ connections }) => connections}
        columns={CONNECTION_COLUMNS}
        keyOf={({ client }) => client}
        empty={
          <Empty title="Not connected" line={commandLine('tokens', 'issue', user)}>
            The user's connections appear here while they are open, with their subscriptions and the channels
            they wait for.
          </Empty>
        }
      />
      {act === 'disconnect' && (
        <ConfirmCall
          title={`Disconnect ${counted(count, 'connection')}?`}
          verb="Disconnect user"
          line={commandLine('connections', 'disconnect', '--user', user)}
          typed={user}
          method="Disconnect"
          request={{ user }}
          done={({ disconnected }) => `Disconnected ${counted(disconnected, 'connection')}.`}
          onDone={list.reload}
          onClose={() => setAct(undefined)}
        >
          <p>Each client gets the code 3503 and does not reconnect by itself. Its tokens stay valid.</p>
        </ConfirmCall>
      )}
      {act === 'revoke' && <Revoke user={user} onClose={() => setAct(undefined)} onDone={list.reload} />}
    </>
  );
}

function Revoke({
  user,
  onClose,
  onDone,
}: {
  user: string;
  onClose: () => void;
  onDone: () => void;
}): JSX.Element {
  const [reason, setReason] = useState('');
  return (
    <ConfirmCall
      title="Revoke this user?"
      verb="Revoke user"
      line={commandLine('tokens', 'revoke-user', user, ...(reason === '' ? [] : ['--reason', reason]))}
      isDanger
      typed={user}
      method="RevokeUser"
      request={{ user_id: user, reason }}
      done="Revoked the user."
      onDone={onDone}
      onClose={onClose}
    >
      <p>
        Every token issued to this user until now is refused on every node within five seconds. Subscriptions
        and console sessions end. Tokens issued later are valid.
      </p>
      <TextField
        id="revoke-reason"
        label="Reason"
        text={reason}
        onText={setReason}
        help="The audit shows it."
      />
    </ConfirmCall>
  );
}
