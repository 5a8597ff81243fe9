import type { JSX } from 'preact';
import { addressOf } from '../../app/address.ts';
import { attemptsOf, SinkState } from '../../parts/sink-attempts.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { visible, whole } from '../../parts/text.ts';
import { useCall } from '../../rpc/use-call.ts';
import type { NodeRow } from './nodes.tsx';

/** What each sink did in the last minute, and what waits for an operator. */
export function SinksPanel({
  sinks,
  nodes,
}: {
  readonly sinks: readonly string[];
  readonly nodes: readonly NodeRow[];
}): JSX.Element {
  const rows = sinks.map(sink => ({ sink, attempts: attemptsOf(nodes, sink) }));
  const columns: readonly Column<(typeof rows)[number]>[] = [
    {
      label: 'Sink',
      show: ({ sink }) => <a href={addressOf('dead-letters', sink)}>{visible(sink)}</a>,
    },
    { label: 'State', show: ({ attempts }) => <SinkState of={attempts} /> },
    { label: 'Sent/min', show: ({ attempts }) => whole(attempts.recentSuccess), isNumber: true },
    { label: 'Parked', show: ({ sink }) => <Parked sink={sink} />, isNumber: true },
  ];
  return (
    <section class="panel c4" aria-labelledby="sinks">
      <header>
        <h2 id="sinks">Sinks</h2>
        <a class="small" href={addressOf('sinks')}>
          All sinks
        </a>
      </header>
      <Table
        caption="Sinks in the last minute"
        columns={columns}
        rows={rows}
        keyOf={({ sink }) => sink}
        isDense
      />
    </section>
  );
}

function Parked({ sink }: { readonly sink: string }): JSX.Element {
  const { data } = useCall('DlqCount', { sink }, { repeats: true });
  return <>{data === undefined ? '–' : whole(data.count)}</>;
}
