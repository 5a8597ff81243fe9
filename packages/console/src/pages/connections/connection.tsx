import type { RpcResponse } from '@msg/core';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { addressOf, go } from '../../app/address.ts';
import { ActButton } from '../../parts/act.tsx';
import { Badge, Command, Empty, Facts, Name, PageHead, Skeleton, State } from '../../parts/basics.tsx';
import { ConfirmCall } from '../../parts/confirm-call.tsx';
import { Fault } from '../../parts/fault.tsx';
import { MissingNodes } from '../../parts/listing.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { bytes, commandLine, counted, visible, whole } from '../../parts/text.ts';
import { Ago, Until } from '../../parts/time.tsx';
import { useCall } from '../../rpc/use-call.ts';
import { Recorder } from './recorder.tsx';
import { type Connection, UserLink } from './rows.tsx';

type Answered = RpcResponse<'GetConnection'>;
type Subscription = Answered['subscriptions'][number];
type Waiting = Answered['waiting'][number];

const SUBSCRIPTIONS: readonly Column<Subscription>[] = [
  {
    label: 'Channel',
    show: ({ channel }) => (
      <a class="mono wrap" href={addressOf('channels', channel)}>
        {visible(channel)}
      </a>
    ),
  },
  {
    label: 'Depends on',
    show: ({ rests_on: { kid, expires_unix: expires } }) =>
      kid === '' ? (
        <span class="mute">no token</span>
      ) : (
        <span class="line tight">
          <Name text={kid} />
          {expires > 0 && <Until at={expires * 1000} />}
        </span>
      ),
    isFull: true,
  },
  {
    label: 'Recovery',
    show: ({ recoverable, delta }) => `${recoverable ? 'on' : 'off'}${delta ? ', deltas' : ''}`,
    isSecond: true,
  },
  { label: 'Last offset', show: ({ offset }) => (offset === 0 ? '–' : whole(offset)), isNumber: true },
  { label: 'Since', show: ({ since }) => <Ago at={since} />, isNumber: true },
];

/** A text with a capital letter at its start. */
function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const WAITING: readonly Column<Waiting>[] = [
  {
    label: 'Channel',
    show: ({ channel }) => (
      <a class="mono wrap" href={addressOf('channels', channel)}>
        {visible(channel)}
      </a>
    ),
  },
  {
    label: 'Why',
    show: ({ reason }) => <State tone="warn">{sentence(visible(reason))}</State>,
    isFull: true,
  },
  { label: 'Last attempt', show: ({ last_attempt: at }) => <Ago at={at} />, isNumber: true },
];

/** One connection: its user, its subscriptions, and the channels it waits for. */
export function ConnectionPage({ client }: { readonly client: string }): JSX.Element {
  const found = useCall('GetConnection', { client }, { repeats: true });
  const [act, setAct] = useState<'disconnect' | 'reconnect'>();
  const { data, error } = found;
  const connection = data?.connection ?? undefined;
  return (
    <>
      <PageHead
        title={client}
        isName
        sub={connection && <ConnectionState connection={connection} isGone={error !== undefined} />}
      >
        {connection !== undefined && error === undefined && (
          <>
            <ActButton method="Disconnect" onAct={() => setAct('reconnect')}>
              Reconnect…
            </ActButton>
            <ActButton method="Disconnect" onAct={() => setAct('disconnect')}>
              Disconnect…
            </ActButton>
          </>
        )}
        <Command line={commandLine('connections', 'get', client)} />
      </PageHead>
      {error !== undefined && connection === undefined && <Gone error={error} retry={found.reload} />}
      {error !== undefined && connection !== undefined && <Fault error={error} retry={found.reload} />}
      {data === undefined && error === undefined && <Skeleton />}
      {data !== undefined && connection !== undefined && <Details data={data} connection={connection} />}
      {connection !== undefined && <Recorder client={client} />}
      {act !== undefined && (
        <ConfirmCall
          title={act === 'reconnect' ? 'Make this client reconnect?' : 'Disconnect this client?'}
          verb={act === 'reconnect' ? 'Reconnect client' : 'Disconnect client'}
          line={commandLine(
            'connections',
            'disconnect',
            '--client',
            client,
            ...(act === 'reconnect' ? ['--reconnect'] : []),
          )}
          method="Disconnect"
          request={{ client, reconnect: act === 'reconnect' }}
          done={act === 'reconnect' ? 'The client reconnects.' : 'Disconnected the client.'}
          onDone={() => go(addressOf('connections'))}
          onClose={() => setAct(undefined)}
        >
          <p>
            {act === 'reconnect'
              ? 'It gets the code 3011, reconnects to any node by itself and recovers what it missed.'
              : 'It gets the code 3503 and does not reconnect by itself. Its tokens stay valid.'}
          </p>
        </ConfirmCall>
      )}
    </>
  );
}

function ConnectionState({
  connection,
  isGone,
}: {
  readonly connection: Connection;
  readonly isGone: boolean;
}): JSX.Element {
  if (isGone) return <State tone="off">No longer connected</State>;
  return (
    <span class="line tight">
      <State tone="ok">Connected</State>
      <Ago at={connection.connected_at} />
    </span>
  );
}

function Gone({
  error,
  retry,
}: {
  readonly error: Parameters<typeof Fault>[0]['error'];
  readonly retry: () => void;
}): JSX.Element {
  if (error.code !== 'MSG_INVALID_ARGUMENT') return <Fault error={error} retry={retry} />;
  return (
    <section class="panel">
      <Empty title="There is no such connection" line="msg connections list">
        It was closed. A client that reconnects gets a new id: look for it by its user.
      </Empty>
    </section>
  );
}

function Details({
  data,
  connection,
}: {
  readonly data: Answered;
  readonly connection: Connection;
}): JSX.Element {
  const { subscriptions, subscriptions_more: more, waiting, missing_nodes: missing } = data;
  const {
    user,
    transport,
    encoding,
    address,
    client_name: program,
    client_version: version,
    node,
  } = connection;
  const { queue_bytes: queued, expires_unix: expires, rests_on: kid } = connection;
  return (
    <>
      <MissingNodes nodes={missing} />
      <Facts
        rows={[
          ['User', <UserLink user={user} />],
          ['Client', visible(`${program} ${version}`.trim()) || '–'],
          ['Transport', `${transport}, ${encoding}`],
          ['Address', <Name text={address} />],
          ['Node', <Name text={node} />],
          ['Waiting to be sent', bytes(queued)],
          ['Token of key', kid === '' ? <Badge>no token</Badge> : <Name text={kid} />],
          ['Token ends', expires === 0 ? '–' : <Until at={expires * 1000} />],
        ]}
      />
      {waiting.length > 0 && (
        <section class="panel" aria-labelledby="waiting">
          <header>
            <h2 id="waiting">{`Waits for ${counted(waiting.length, 'channel')}`}</h2>
          </header>
          <Table
            caption="Channels the client waits for"
            columns={WAITING}
            rows={waiting}
            keyOf={({ channel }) => channel}
          />
        </section>
      )}
      <section class="panel" aria-labelledby="subscriptions">
        <header>
          <h2 id="subscriptions">{`Subscribed to ${counted(subscriptions.length + more, 'channel')}`}</h2>
        </header>
        {subscriptions.length === 0 ? (
          <Empty title="No subscription" line={commandLine('subscribe', 'public:shop.news')}>
            The client is connected but has no accepted subscription. The tab “Who may” of a channel explains
            a refusal.
          </Empty>
        ) : (
          <Table
            caption="Subscriptions"
            columns={SUBSCRIPTIONS}
            rows={subscriptions}
            keyOf={({ channel }) => channel}
          />
        )}
        {more > 0 && <footer>{`${whole(more)} more are not listed`}</footer>}
      </section>
    </>
  );
}
