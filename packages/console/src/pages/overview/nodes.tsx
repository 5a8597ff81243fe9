import type { RpcResponse } from '@msg/core';
import type { JSX } from 'preact';
import { Command, State } from '../../parts/basics.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { span, visible, whole } from '../../parts/text.ts';
import { currentTime } from '../../parts/time.tsx';
import type { Hint } from './hints.tsx';

/** One node of the service. */
export type NodeRow = RpcResponse<'ListNodes'>['nodes'][number];

/** A node, and the hints about it by their names. */
interface ShownNode extends NodeRow {
  readonly hinted: ReadonlySet<string>;
}

const MB = 1_000_000;
const MINUTE_MS = 60_000;

function NodeState({ of: { ready, phase, subsystems, hinted } }: { readonly of: ShownNode }): JSX.Element {
  const broken = subsystems.filter(({ ok }) => !ok).map(({ name }) => name);
  if (phase === 'draining') return <State tone="warn">Draining</State>;
  if (!ready)
    return <State tone="bad">{broken.length === 0 ? 'Not ready' : `Failing: ${broken.join(', ')}`}</State>;
  if (hinted.has('MsgEventLoopBusy')) return <State tone="warn">Loop busy</State>;
  return <State tone="ok">Ready</State>;
}

/** For how long a node is up, two units at most. */
function Since({ at }: { readonly at: string }): JSX.Element {
  const ms = currentTime() - Date.parse(at);
  return (
    <time class="nowrap" dateTime={at} title={at}>
      {span(ms < MINUTE_MS ? ms : ms - (ms % MINUTE_MS))}
    </time>
  );
}

/** A number, which stands out where a hint is about it. */
function Figure({ text, isHot }: { readonly text: string; readonly isHot: boolean }): JSX.Element {
  return <span class={isHot ? 'hot' : undefined}>{text}</span>;
}

const COLUMNS: readonly Column<ShownNode>[] = [
  { label: 'Node', show: ({ id }) => <span class="mono node">{visible(id)}</span> },
  { label: 'State', show: node => <NodeState of={node} />, isFull: true },
  { label: 'Version', show: ({ version }) => visible(version), isSecond: true },
  { label: 'Zone', show: ({ region }) => visible(region), isSecond: true },
  { label: 'Up', show: ({ started_at: at }) => <Since at={at} />, isNumber: true, isThird: true },
  { label: 'Connections', show: ({ connections }) => whole(connections), isNumber: true },
  {
    label: 'Subscriptions',
    show: ({ subscriptions }) => whole(subscriptions),
    isNumber: true,
    isThird: true,
  },
  { label: 'Published/s', show: ({ rates }) => rate(rates.publishes), isNumber: true, isSecond: true },
  { label: 'Delivered/s', show: ({ rates }) => rate(rates.deliveries), isNumber: true },
  {
    label: 'Queues, MB',
    show: ({ queue_bytes: queued, hinted }) => (
      <Figure text={(queued / MB).toFixed(1)} isHot={hinted.has('MsgQueueGrowing')} />
    ),
    isNumber: true,
  },
  {
    label: 'Loop p99, ms',
    show: ({ loop_lag_p99_ms: lag, hinted }) => (
      <Figure text={lag.toFixed(1)} isHot={hinted.has('MsgEventLoopBusy')} />
    ),
    isNumber: true,
  },
  { label: 'CPU, %', show: ({ cpu_percent: cpu }) => whole(Math.round(cpu)), isNumber: true },
  {
    label: 'RSS, MB',
    show: ({ rss_bytes: rss }) => whole(Math.round(rss / MB)),
    isNumber: true,
    isSecond: true,
  },
  {
    label: 'Store, ms',
    show: ({ store_ping_ms: ping }) => (ping === 0 ? 'memory' : ping.toFixed(1)),
    isNumber: true,
    isThird: true,
  },
];

/** Columns that tell nodes apart, or nothing. */
const APART: Readonly<Record<string, (node: NodeRow) => string>> = {
  Version: ({ version }) => version,
  Zone: ({ region }) => region,
};

function columnsFor(nodes: readonly NodeRow[]): readonly Column<ShownNode>[] {
  return COLUMNS.filter(({ label }) => {
    const textOf = APART[label];
    return textOf === undefined || new Set(nodes.map(textOf)).size > 1;
  });
}

/** A rate with three digits at most. */
export function rate(number: number): string {
  return number >= 10 || number === 0 ? whole(Math.round(number)) : number.toFixed(1);
}

/** Every node that answers: first those that a hint is about. */
export function Nodes({
  nodes,
  hints,
}: {
  readonly nodes: readonly NodeRow[];
  readonly hints: readonly Hint[];
}): JSX.Element {
  const rows = nodes.map(
    (node): ShownNode => ({
      ...node,
      hinted: new Set(hints.filter(hint => hint.node === node.id).map(({ name }) => name)),
    }),
  );
  const sorted = rows.toSorted((one, other) => other.hinted.size - one.hinted.size);
  return (
    <section class="panel" aria-labelledby="nodes">
      <header>
        <h2 id="nodes">Nodes</h2>
        <Command line="msg nodes list" />
      </header>
      <Table caption="Nodes" columns={columnsFor(nodes)} rows={sorted} keyOf={({ id }) => id} />
    </section>
  );
}
