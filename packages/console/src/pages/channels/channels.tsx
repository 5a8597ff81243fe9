import type { ChannelSummary } from '@msg/core';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { addressOf, go, query } from '../../app/address.ts';
import { ActButton, say } from '../../parts/act.tsx';
import { Command, Empty, PageHead, State } from '../../parts/basics.tsx';
import { type Filter, FilterBar, flagsOf, valuesOf } from '../../parts/filters.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Listing, pageAsked } from '../../parts/listing.tsx';
import type { Column } from '../../parts/table.tsx';
import { commandLine, span, visible, whole } from '../../parts/text.ts';
import { Ago } from '../../parts/time.tsx';
import { useCall } from '../../rpc/use-call.ts';
import { ChannelPage } from './channel.tsx';
import { CreatePrivate } from './create-private.tsx';
import { OpenChannel } from './open-channel.tsx';

const FILTERS = [
  { name: 'q', label: 'Part of a name', chip: 'name contains' },
  { name: 'pattern', label: 'Pattern, public:shop.**', chip: 'pattern =' },
  {
    name: 'state',
    label: 'State',
    chip: 'state =',
    choices: [
      ['', 'Any state'],
      ['open', 'Open'],
      ['closed', 'Closed'],
    ],
  },
  {
    name: 'visibility',
    label: 'Visibility',
    chip: 'visibility =',
    choices: [
      ['', 'Any visibility'],
      ['public', 'Public'],
      ['private', 'Private'],
    ],
  },
  {
    name: 'own',
    label: 'Channels of the service',
    choices: [
      ['', 'Without service channels'],
      ['all', 'With service channels'],
    ],
  },
  {
    name: 'counts',
    label: 'Subscribers',
    choices: [
      ['', 'Subscribers not counted'],
      ['on', 'Subscribers counted'],
    ],
  },
] as const satisfies readonly Filter[];

/** Channels of the service itself. */
function isOfService({ name }: ChannelSummary): boolean {
  return /^(?:public|private):msg\./.test(name);
}

function columnsFor(subscribers: ReadonlyMap<string, number> | undefined): readonly Column<ChannelSummary>[] {
  return [
    {
      label: 'Channel',
      sort: 'name',
      show: ({ name }) => (
        <a class="mono wrap" href={addressOf('channels', name)}>
          {visible(name)}
        </a>
      ),
    },
    {
      label: 'State',
      show: ({ state }) => (
        <State tone={state === 'open' ? 'ok' : 'off'}>{state === 'open' ? 'Open' : 'Closed'}</State>
      ),
    },
    { label: 'Visibility', show: ({ visibility }) => visibility, isSecond: true },
    {
      label: 'Idle limit',
      show: ({ ttl_seconds }) => (ttl_seconds === 0 ? 'none' : span(ttl_seconds * 1000)),
      isNumber: true,
      isSecond: true,
    },
    {
      label: 'Created',
      sort: 'created_at',
      show: ({ created_at }) => <Ago at={created_at} />,
      isNumber: true,
      isSecond: true,
    },
    {
      label: 'Last active',
      sort: 'last_active',
      show: ({ last_active }) => <Ago at={last_active} />,
      isNumber: true,
    },
    ...(subscribers === undefined
      ? []
      : [
          {
            label: 'Subscribers',
            sort: 'subscribers',
            show: ({ name }: ChannelSummary) => whole(subscribers.get(name) ?? 0),
            isNumber: true,
          },
        ]),
  ];
}

/** All channels, or one of them. */
export function ChannelsPage({ names }: { readonly names: readonly string[] }): JSX.Element {
  const [name] = names;
  return name === undefined ? <Channels /> : <ChannelPage key={name} name={name} />;
}

function Channels(): JSX.Element {
  const { q, pattern, state, visibility, counts: counted, own } = valuesOf(FILTERS);
  const sort = query.value.get('sort') ?? 'name';
  const isDescending = query.value.get('order') === 'down';
  const counts = counted === 'on' || sort === 'subscribers';
  const filter = { pattern, query: q.toLowerCase(), state, visibility };
  const list = useCall(
    'ListChannels',
    { ...filter, ...pageAsked(), sort, descending: isDescending, counts },
    { repeats: true },
  );
  const [act, setAct] = useState<'open' | 'create'>();
  const flags = flagsOf(filter);
  const order =
    sort === 'name' && !isDescending ? [] : ['--sort', sort, ...(isDescending ? ['--descending'] : [])];
  const close = (): void => setAct(undefined);
  const line = commandLine('channels', 'list', ...flags, ...order, ...(counts ? ['--counts'] : []));
  return (
    <>
      <PageHead title="Channels" sub="Every channel that clients publish to and subscribe to.">
        <Command line={line} />
        <ActButton method="CreatePrivate" onAct={() => setAct('create')}>
          Create private…
        </ActButton>
        <ActButton method="OpenPublic" look="primary" onAct={() => setAct('open')}>
          <Icon name="plus" />
          Open channel…
        </ActButton>
      </PageHead>
      <FilterBar filters={FILTERS} />
      <Listing
        caption="Channels"
        call={list}
        rowsOf={({ channels }) => rowsOf(channels, own === 'all')}
        columns={columnsFor(counts ? list.data?.subscribers : undefined)}
        keyOf={({ name }) => name}
        sorting={{ by: sort, isDescending, first: 'ascending' }}
        shown={(rows, { channels, total }) => {
          const hidden = channels.length - rows.length;
          return `${whole(rows.length)} of ${total < 0 ? 'the busiest 1,000' : whole(total)}${hidden === 0 ? '' : `, ${whole(hidden)} of the service not shown`}`;
        }}
        empty={<NoChannel isFiltered={flags.length > 0} />}
      />
      {act === 'open' && (
        <OpenChannel
          onClose={close}
          onOpened={opened => {
            say(`Opened ${opened}.`);
            go(addressOf('channels', opened));
          }}
        />
      )}
      {act === 'create' && (
        <CreatePrivate onClose={close} onCreated={made => go(addressOf('channels', made))} />
      )}
    </>
  );
}

function rowsOf(channels: readonly ChannelSummary[], withService: boolean): readonly ChannelSummary[] {
  return withService ? channels : channels.filter(channel => !isOfService(channel));
}

function NoChannel({ isFiltered }: { readonly isFiltered: boolean }): JSX.Element {
  if (!isFiltered)
    return (
      <Empty title="No channel yet" line="msg channels open public:shop.news">
        A channel appears here when it is opened, created or declared in the configuration.
      </Empty>
    );
  return (
    <Empty title="No channel matches" way={{ to: addressOf('channels'), text: 'Clear filters' }}>
      The name filter matches any part of a name. In a pattern, * stands for one part and ** for all that
      follow.
    </Empty>
  );
}
