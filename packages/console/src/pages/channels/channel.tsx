import type { ChannelSummary } from '@msg/core';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { addressOf, query, withQuery } from '../../app/address.ts';
import { ActButton } from '../../parts/act.tsx';
import { Badge, Empty, PageHead, Skeleton, State } from '../../parts/basics.tsx';
import { Fault } from '../../parts/fault.tsx';
import { Icon } from '../../parts/icon.tsx';
import { MoreActions } from '../../parts/more.tsx';
import { whole } from '../../parts/text.ts';
import { Ago, Until } from '../../parts/time.tsx';
import { reloadAll, useCall } from '../../rpc/use-call.ts';
import { type ChannelAct, ChannelActs } from './channel-acts.tsx';
import { ChannelFacts, type Kept, keptCount } from './channel-facts.tsx';
import { ChannelOptions } from './channel-options.tsx';
import { HistoryTab } from './history-tab.tsx';
import { LiveTab } from './live-tab.tsx';
import { PresenceTab } from './presence-tab.tsx';
import { WhoMayTab } from './who-may-tab.tsx';

const HISTORY = 'history';
const TABS = [
  [HISTORY, 'History'],
  ['live', 'Live'],
  ['presence', 'Presence'],
  ['who', 'Who may'],
] as const;

/** One channel: its state, its publications, its subscribers, and who may use it. */
export function ChannelPage({ name }: { readonly name: string }): JSX.Element {
  const channel = useCall('GetChannel', { name }, { repeats: true });
  const presence = useCall('Presence', { name }, { repeats: true });
  const position = useCall('Position', { name }, { repeats: true });
  // The first of the kept publications, without its payload.
  const kept = useCall('History', { name, limit: 1, reverse: true, max_payload_bytes: 1 }, { repeats: true });
  const [act, setAct] = useState<ChannelAct>();
  const found = channel.data?.channel ?? undefined;
  const options = channel.data?.options ?? [];
  const isGone = channel.error?.code === 'MSG_CHANNEL_NOT_FOUND';
  return (
    <>
      <PageHead
        title={name}
        isName
        sub={found === undefined ? undefined : <ChannelState channel={found} isGone={isGone} />}
      >
        {found !== undefined && !isGone && <Actions channel={found} onAct={setAct} />}
      </PageHead>
      {channel.error !== undefined &&
        (isGone && found === undefined ? (
          <NotThere name={name} />
        ) : (
          <Fault error={channel.error} retry={reloadAll} />
        ))}
      {found === undefined && channel.error === undefined && <Skeleton />}
      {found !== undefined && (
        <>
          <ChannelFacts
            channel={found}
            subscribers={presence.data?.subscribers}
            position={position}
            kept={kept.data}
            options={options}
          />
          <ChannelOptions options={options} />
          <Tabs subscribers={presence.data?.subscribers} kept={kept.data} />
          <Tab name={name} />
        </>
      )}
      {act !== undefined && (
        <ChannelActs
          act={act}
          name={name}
          subscribers={presence.data?.subscribers ?? 0}
          onClose={() => setAct(undefined)}
          onDone={reloadAll}
        />
      )}
    </>
  );
}

function NotThere({ name }: { readonly name: string }): JSX.Element {
  return (
    <section class="panel">
      <Empty
        title="There is no such channel"
        way={{
          to: `${addressOf('channels')}?q=${encodeURIComponent(name.replace(/^(?:public|private):/, ''))}`,
          text: 'Search for similar names',
        }}
      >
        It was never opened, or it has ended: a private channel ends after its idle limit, a deleted one at
        once, and without a shared store every channel ends with a restart. A client that subscribes to it
        gets the error 102.
      </Empty>
    </section>
  );
}

function ChannelState({
  channel,
  isGone,
}: {
  readonly channel: ChannelSummary;
  readonly isGone: boolean;
}): JSX.Element {
  const { state, visibility, ttl_seconds: ttl, last_active: lastActive, created_at: created } = channel;
  if (isGone) return <State tone="off">Deleted</State>;
  if (state !== 'open')
    return (
      <span class="line">
        <State tone="off">Closed: new subscribers and publications are refused</State>
        <Badge>{visibility}</Badge>
      </span>
    );
  return (
    <span class="line">
      <State tone="ok">Open</State>
      <Badge>{visibility}</Badge>
      {ttl > 0 && (
        <span>
          closes <Until at={Date.parse(lastActive) + ttl * 1000} /> without activity
        </span>
      )}
      <span>
        last active <Ago at={lastActive} />
      </span>
      <span>
        created <Ago at={created} />
      </span>
    </span>
  );
}

function Actions({
  channel: { state, visibility },
  onAct,
}: {
  readonly channel: ChannelSummary;
  readonly onAct: (act: ChannelAct) => void;
}): JSX.Element {
  const isOpen = state === 'open';
  return (
    <>
      {isOpen && (
        <ActButton method="Publish" look="primary" onAct={() => onAct('publish')}>
          <Icon name="send" />
          Publish…
        </ActButton>
      )}
      {isOpen && (
        <ActButton method="TouchChannel" onAct={() => onAct('touch')}>
          Touch
        </ActButton>
      )}
      {isOpen && visibility === 'public' && (
        <ActButton method="CloseChannel" onAct={() => onAct('close')}>
          Close…
        </ActButton>
      )}
      {!isOpen && visibility === 'public' && (
        <ActButton method="OpenPublic" look="primary" onAct={() => onAct('reopen')}>
          Open again…
        </ActButton>
      )}
      <MoreActions>
        <ActButton method="Unsubscribe" look="quiet" onAct={() => onAct('unsubscribe')}>
          Unsubscribe all…
        </ActButton>
        <ActButton method="DeleteChannel" look="quiet risky" onAct={() => onAct('delete')}>
          Delete…
        </ActButton>
      </MoreActions>
    </>
  );
}

/** The tab that the address names; an address without one, or with one that does not exist, is of the history. */
function currentTab(): string {
  const named = query.value.get('tab');
  return TABS.find(([tab]) => tab === named)?.[0] ?? HISTORY;
}

function Tabs({
  subscribers,
  kept,
}: {
  readonly subscribers: number | undefined;
  readonly kept: Kept | undefined;
}): JSX.Element {
  const current = currentTab();
  const counts: Readonly<Record<string, number | undefined>> = {
    presence: subscribers,
    history: kept?.kept === true ? keptCount(kept) : undefined,
  };
  return (
    <nav class="tabs" aria-label="Parts of the channel">
      {TABS.map(([tab, label]) => (
        <a
          key={tab}
          href={withQuery({ tab: tab === HISTORY ? '' : tab, from: '', open: '', cursor: '' })}
          aria-current={tab === current ? 'page' : undefined}
        >
          {label}
          {counts[tab] !== undefined && <span class="count">{whole(counts[tab])}</span>}
        </a>
      ))}
    </nav>
  );
}

function Tab({ name }: { readonly name: string }): JSX.Element {
  switch (currentTab()) {
    case 'live':
      return <LiveTab name={name} />;
    case 'presence':
      return <PresenceTab name={name} />;
    case 'who':
      return <WhoMayTab name={name} />;
    default:
      return <HistoryTab name={name} />;
  }
}
