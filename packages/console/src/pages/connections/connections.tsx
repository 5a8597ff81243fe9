import type { JSX } from 'preact';
import { addressOf, query } from '../../app/address.ts';
import { Command, Empty, PageHead } from '../../parts/basics.tsx';
import { type Filter, FilterBar, flagsOf, valuesOf } from '../../parts/filters.tsx';
import { Listing, pageAsked } from '../../parts/listing.tsx';
import { commandLine } from '../../parts/text.ts';
import { useCall } from '../../rpc/use-call.ts';
import { ConnectionPage } from './connection.tsx';
import { CONNECTION_COLUMNS } from './rows.tsx';

const FILTERS = [
  { name: 'user', label: 'User', chip: 'user =' },
  { name: 'channel', label: 'Subscribed to channel', chip: 'subscribed to' },
  { name: 'address', label: 'Address or range', chip: 'address =' },
  {
    name: 'transport',
    label: 'Transport',
    chip: 'transport =',
    choices: [
      ['', 'Any transport'],
      ['websocket', 'WebSocket'],
      ['http_stream', 'HTTP streaming'],
      ['sse', 'Server-sent events'],
      ['webtransport', 'WebTransport'],
    ],
  },
] as const satisfies readonly Filter[];

/** All connections, or one of them. */
export function ConnectionsPage({ names }: { readonly names: readonly string[] }): JSX.Element {
  const [client] = names;
  return client === undefined ? <Connections /> : <ConnectionPage key={client} client={client} />;
}

function Connections(): JSX.Element {
  const { user, channel, address, transport } = valuesOf(FILTERS);
  const sort = query.value.get('sort') ?? 'age';
  const isDescending = query.value.get('order') === 'down';
  const filter = { user, name: channel, address, transport };
  const list = useCall(
    'ListConnections',
    { ...filter, ...pageAsked(), sort, descending: isDescending },
    { repeats: true },
  );
  const flags = flagsOf(filter);
  const order = sort === 'age' ? [] : ['--sort', sort, ...(isDescending ? ['--descending'] : [])];
  return (
    <>
      <PageHead title="Connections" sub="Every connected client, on all nodes.">
        <Command line={commandLine('connections', 'list', ...flags, ...order)} />
      </PageHead>
      <FilterBar filters={FILTERS} />
      <Listing
        caption="Connections"
        call={list}
        rowsOf={({ connections }) => connections}
        columns={CONNECTION_COLUMNS}
        keyOf={({ client }) => client}
        sorting={{ by: sort, isDescending }}
        empty={<NoConnection isFiltered={flags.length > 0} />}
      />
    </>
  );
}

function NoConnection({ isFiltered }: { readonly isFiltered: boolean }): JSX.Element {
  if (isFiltered)
    return (
      <Empty title="No connection matches" way={{ to: addressOf('connections'), text: 'Clear filters' }}>
        User, channel and transport match exactly. An address can be a range, such as 10.0.0.0/8.
      </Empty>
    );
  return (
    <Empty title="No client is connected" line="msg subscribe public:shop.news">
      A client appears here as soon as it connects, over any transport.
    </Empty>
  );
}
