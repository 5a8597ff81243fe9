import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { BASE } from '../app/address.ts';
import { clock } from '../app/clock.ts';
import { Command, PageHead } from '../parts/basics.tsx';
import { MissingNodes } from '../parts/listing.tsx';
import { Sparkline } from '../parts/sparkline.tsx';
import { Answer } from '../parts/table.tsx';
import { counted, span, whole } from '../parts/text.ts';
import { type Call, useCall } from '../rpc/use-call.ts';
import { Deliveries } from './overview/deliveries.tsx';
import { LastActions } from './overview/last-actions.tsx';
import { Hints, type NodeRow, Nodes, rate } from './overview/nodes.tsx';
import { ServiceFacts, type ShownFacts } from './overview/service-facts.tsx';
import { SinksPanel } from './overview/sinks.tsx';
import { useNodes } from './overview/use-nodes.ts';

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
      <PageHead title="Overview" sub={nodes && sentence(nodes, missing.length, facts)}>
        <Command line="msg nodes list" />
      </PageHead>
      <MissingNodes nodes={missing} />
      {list.data !== undefined && list.data.hints.length > 0 && <Hints hints={list.data.hints} />}
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
            note={perConnection(
              sum(node => node.subscriptions),
              sum(node => node.connections),
            )}
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
            name="Publications/s"
            value={sum(node => node.rates.publishes)}
            show={rate}
            page="channels?sort=last_active&order=down"
            note="over the last minute"
          />
          <Tile
            call={list}
            name="Deliveries/s"
            value={sum(node => node.rates.deliveries)}
            show={rate}
            page="connections"
            note="over the last minute"
          />
          <Tile
            call={letters}
            name="Dead letters"
            value={letters.data?.count}
            page="dead-letters"
            note="given up by sinks"
          />
        </div>
      </section>
      <Answer call={list}>
        {({ hints, nodes: rows }) => (
          <div class="stack s5">
            {hints.length === 0 && <Hints hints={hints} />}
            <div class="cols">
              <Deliveries nodes={rows} at={list.at} isWide={sinks.length === 0} />
              {sinks.length > 0 && <SinksPanel sinks={sinks} nodes={rows} />}
            </div>
            <Nodes nodes={rows} />
          </div>
        )}
      </Answer>
      <div class="cols">
        <LastActions />
        <ServiceFacts facts={facts} error={manifest} />
      </div>
    </>
  );
}

function sentence(nodes: readonly NodeRow[], missing: number, facts: ShownFacts | undefined): string {
  const all = nodes.length + missing;
  const ready = nodes.filter(node => node.ready).length;
  const answer = missing === 0 ? 'Every node answers' : `${nodes.length} of ${counted(all, 'node')} answer`;
  const state =
    ready === nodes.length ? '' : `, ${counted(nodes.length - ready, 'of them is', 'of them are')} not ready`;
  const store =
    facts === undefined ? '' : facts.shared_store ? ' Shared store.' : ' A single node, in memory.';
  return `${answer}${state}.${store}`;
}

/** Seconds, then whole minutes: the words keep their width while time passes. */
function windowOf(ms: number): string {
  return span(ms < 60_000 ? ms : ms - (ms % 60_000));
}

function perConnection(subscriptions: number | undefined, connections: number | undefined): string {
  if (subscriptions === undefined || connections === undefined || connections === 0) return '';
  return `${(subscriptions / connections).toFixed(1)} per connection`;
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
  show = whole,
}: {
  readonly call: Call<unknown>;
  readonly name: string;
  readonly value: number | undefined;
  readonly page: string;
  readonly note: string;
  readonly show?: (value: number) => string;
}): JSX.Element {
  const series = useSeries(value, call.at);
  const [first, since] = series[0] ?? [0, 0];
  const [last, now] = series.at(-1) ?? [0, 0];
  const change = last - first;
  const sign = change > 0 ? '+' : '−';
  const isDown = call.error !== undefined;
  return (
    <a class={isDown ? 'tile stale' : 'tile'} href={BASE + page}>
      <span class="name">{name}</span>
      <span class="figure">{value === undefined ? '–' : show(value)}</span>
      <span class="delta">
        {isDown
          ? call.error?.message
          : show(Math.abs(change)) === show(0)
            ? note
            : `${sign}${show(Math.abs(change))} in ${windowOf(now - since)}`}
      </span>
      <Sparkline values={series.map(([one]) => one)} label={`${name}, since this page was opened`} />
    </a>
  );
}
