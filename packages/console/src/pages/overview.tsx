import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { BASE } from '../app/address.ts';
import { clock } from '../app/clock.ts';
import { serverNow } from '../app/session.ts';
import { PageHead } from '../parts/basics.tsx';
import { MissingNodes } from '../parts/listing.tsx';
import { Sparkline } from '../parts/sparkline.tsx';
import { Answer } from '../parts/table.tsx';
import { counted, span, whole } from '../parts/text.ts';
import { type Call, useCall } from '../rpc/use-call.ts';
import { Deliveries } from './overview/deliveries.tsx';
import { Hints } from './overview/hints.tsx';
import { LastActions } from './overview/last-actions.tsx';
import { type NodeRow, Nodes, rate } from './overview/nodes.tsx';
import { SinksPanel } from './overview/sinks.tsx';
import { useNodes } from './overview/use-nodes.ts';
import type { ShownFacts } from './service-facts.tsx';

/** Values of ten minutes, one every two seconds. */
const KEPT = 300;

/** A value and when it came. */
type Sample = readonly [value: number, at: number];

/** Keeps the last values of a figure while the page is open. */
function useSeries(value: number | undefined, at: number): readonly Sample[] {
  const series = useRef<Sample[]>([]);
  const [kept, setKept] = useState<readonly Sample[]>([]);
  useEffect(() => {
    if (value === undefined) return;
    series.current = [...series.current, [value, clock.now()] as const].slice(-KEPT);
    setKept(series.current);
  }, [value, at]);
  return kept;
}

/** What the service does now. */
export function OverviewPage(): JSX.Element {
  const list = useNodes();
  const open = useCall('ListChannels', { limit: 1, state: 'open' }, { repeats: true });
  const closed = useCall('ListChannels', { limit: 1, state: 'closed' }, { repeats: true });
  // No name: all sinks.
  const letters = useCall('DlqCount', { sink: '' }, { repeats: true });
  const manifest = useCall('Manifest', {});
  const facts = manifest.data?.payload;
  const sinks = facts?.sinks ?? [];
  const nodes = list.data?.nodes;
  const missing = list.data?.missing_nodes ?? [];
  const sum = (of: (node: NodeRow) => number): number | undefined =>
    nodes?.reduce((total, node) => total + of(node), 0);
  return (
    <>
      <PageHead title="Overview" sub={nodes && sentence(nodes, missing.length, facts)} />
      <MissingNodes nodes={missing} />
      {(list.data !== undefined || list.error === undefined) && <Hints hints={list.data?.hints} />}
      <section aria-label="Totals">
        <div class="tiles">
          <Tile
            call={list}
            name="Connections"
            value={sum(node => node.connections)}
            page="connections"
            note="on all nodes"
          />
          <Tile
            call={list}
            name="Subscriptions"
            value={sum(node => node.subscriptions)}
            page="connections?sort=subscriptions&order=down"
            fixed={perConnection(
              sum(node => node.subscriptions),
              sum(node => node.connections),
            )}
            note=""
          />
          <Tile
            call={open}
            name="Open channels"
            value={open.data?.total}
            page="channels"
            note={closedNote(closed.data?.total)}
          />
          <Tile
            call={list}
            name="Published"
            unit="/s"
            value={sum(node => node.rates.publishes)}
            show={rate}
            page="channels?sort=last_active&order=down"
            note="over the last minute"
          />
          <Tile
            call={list}
            name="Delivered"
            unit="/s"
            value={sum(node => node.rates.deliveries)}
            show={rate}
            page="connections"
            fixed={perPublication(
              sum(node => node.rates.deliveries),
              sum(node => node.rates.publishes),
            )}
            note="over the last minute"
          />
          <Tile
            call={letters}
            name="Dead letters"
            value={letters.data?.count}
            page="dead-letters"
            note="given up by sinks"
            isBadAbove
          />
        </div>
      </section>
      <Answer call={list}>
        {({ hints, nodes: rows }) => (
          <div class="stack s5">
            <div class="cols">
              <Deliveries nodes={rows} at={list.at} isWide={sinks.length === 0} />
              {sinks.length > 0 && <SinksPanel sinks={sinks} nodes={rows} />}
            </div>
            <Nodes nodes={rows} hints={hints} />
          </div>
        )}
      </Answer>
      <LastActions />
    </>
  );
}

function sentence(nodes: readonly NodeRow[], missing: number, facts: ShownFacts | undefined): string {
  const all = nodes.length + missing;
  const ready = nodes.filter(node => node.ready).length;
  const answer = `${nodes.length} of ${counted(all, 'node')} ${all === 1 ? 'answers' : 'answer'}`;
  const state =
    ready === nodes.length ? '' : `, ${counted(nodes.length - ready, 'of them is', 'of them are')} not ready`;
  const ping = Math.max(0, ...nodes.map(({ store_ping_ms: ms }) => ms));
  const shared = ping === 0 ? 'shared' : `shared, ${ping.toFixed(1)} ms`;
  const store = facts === undefined ? '' : ` Store: ${facts.shared_store ? shared : 'memory of this node'}.`;
  const begun = Math.min(...nodes.map(({ started_at: at }) => Date.parse(at)));
  const up = Number.isFinite(begun) ? ` Up ${windowOf(serverNow() - begun)}.` : '';
  return `${answer}${state}.${store}${up}`;
}

/** Seconds, then whole minutes: the words keep their width while time passes. */
function windowOf(ms: number): string {
  return span(ms < 60_000 ? ms : ms - (ms % 60_000));
}

function perConnection(subscriptions: number | undefined, connections: number | undefined): string {
  if (subscriptions === undefined || connections === undefined || connections === 0) return '';
  return `${(subscriptions / connections).toFixed(1)} per connection`;
}

function perPublication(deliveries: number | undefined, publications: number | undefined): string {
  if (deliveries === undefined || publications === undefined || publications < 0.05) return '';
  return `${(deliveries / publications).toFixed(1)} per publication`;
}

function closedNote(closed: number | undefined): string {
  if (closed === undefined) return '';
  return closed === 0 ? 'none closed' : `${whole(closed)} closed`;
}

function Tile({
  call,
  name,
  value,
  page,
  note,
  fixed = '',
  unit = '',
  isBadAbove = false,
  show = whole,
}: {
  readonly call: Call<unknown>;
  readonly name: string;
  readonly value: number | undefined;
  readonly page: string;
  /** Said until the figure changes. */
  readonly note: string;
  /** Said in place of the change. */
  readonly fixed?: string;
  readonly unit?: string;
  /** A rise is bad. */
  readonly isBadAbove?: boolean;
  readonly show?: (value: number) => string;
}): JSX.Element {
  const series = useSeries(value, call.at);
  const [first, since] = series[0] ?? [0, 0];
  const [last, now] = series.at(-1) ?? [0, 0];
  const change = last - first;
  const sign = change > 0 ? '+' : '−';
  const isDown = call.error !== undefined;
  const look = [isDown && 'stale', isBadAbove && change > 0 && 'bad'].filter(Boolean).join(' ');
  const moved =
    show(Math.abs(change)) === show(0)
      ? note
      : `${sign}${show(Math.abs(change))} in ${windowOf(now - since)}`;
  return (
    <a class={`tile ${look}`} href={BASE + page}>
      <span class="name">{name}</span>
      <span class="figure">
        {value === undefined ? '–' : show(value)}
        {unit !== '' && <span class="unit"> {unit}</span>}
      </span>
      <span class="delta">{isDown ? call.error?.message : fixed === '' ? moved : fixed}</span>
      <Sparkline values={series.map(([one]) => one)} label={`${name}, since this page was opened`} />
    </a>
  );
}
