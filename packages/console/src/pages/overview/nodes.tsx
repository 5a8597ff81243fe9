import type { RpcResponse } from '@msg/core';
import type { JSX } from 'preact';
import { Name, State } from '../../parts/basics.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { bytes, counted, visible, whole } from '../../parts/text.ts';
import { Ago } from '../../parts/time.tsx';

/** One node of the service. */
export type NodeRow = RpcResponse<'ListNodes'>['nodes'][number];
type Hint = RpcResponse<'ListNodes'>['hints'][number];

function NodeState({ of: { ready, phase, subsystems } }: { readonly of: NodeRow }): JSX.Element {
  const broken = subsystems.filter(({ ok }) => !ok).map(({ name }) => name);
  if (phase === 'draining') return <State tone="warn">Draining</State>;
  if (ready) return <State tone="ok">Ready</State>;
  return <State tone="bad">{broken.length === 0 ? 'Not ready' : `Failing: ${broken.join(', ')}`}</State>;
}

const COLUMNS: readonly Column<NodeRow>[] = [
  { label: 'Node', show: ({ id }) => <Name text={id} /> },
  { label: 'State', show: node => <NodeState of={node} />, isFull: true },
  { label: 'Version', show: ({ version, region }) => visible(`${version} ${region}`.trim()), isSecond: true },
  { label: 'Up since', show: ({ started_at: at }) => <Ago at={at} />, isSecond: true },
  { label: 'Connections', show: ({ connections }) => whole(connections), isNumber: true },
  { label: 'Deliveries/s', show: ({ rates }) => rate(rates.deliveries), isNumber: true },
  { label: 'Queued', show: ({ queue_bytes: queued }) => bytes(queued), isNumber: true },
  { label: 'Loop lag', show: ({ loop_lag_p99_ms: lag }) => `${lag.toFixed(1)} ms`, isNumber: true },
  { label: 'CPU', show: ({ cpu_percent: cpu }) => `${Math.round(cpu)} %`, isNumber: true },
  { label: 'Memory', show: ({ rss_bytes: rss }) => bytes(rss), isNumber: true, isSecond: true },
  {
    label: 'Store',
    show: ({ store_ping_ms: ping }) => (ping === 0 ? 'memory' : `${ping.toFixed(1)} ms`),
    isNumber: true,
    isSecond: true,
  },
];

/** A rate with three digits at most. */
export function rate(number: number): string {
  return number >= 10 || number === 0 ? whole(Math.round(number)) : number.toFixed(1);
}

/** Every node that answers. */
export function Nodes({ nodes }: { readonly nodes: readonly NodeRow[] }): JSX.Element {
  return (
    <section class="panel" aria-labelledby="nodes">
      <header>
        <h2 id="nodes">{counted(nodes.length, 'node')}</h2>
      </header>
      <Table caption="Nodes" columns={COLUMNS} rows={nodes} keyOf={({ id }) => id} />
    </section>
  );
}

const TONES: Readonly<Record<string, 'bad' | 'warn' | 'off'>> = { critical: 'bad', warning: 'warn' };

function words(name: string): string {
  return name
    .replace(/^msg/i, '')
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .replace(/^./, first => first.toUpperCase());
}

const HINTS: readonly Column<Hint>[] = [
  {
    label: 'What',
    show: ({ name, severity }) => <State tone={TONES[severity] ?? 'off'}>{words(name)}</State>,
  },
  { label: 'Node', show: ({ node }) => <Name text={node || '–'} /> },
  {
    label: 'Value',
    show: ({ value, threshold }) =>
      threshold === 0 ? whole(Math.round(value)) : `${rate(value)}, threshold ${rate(threshold)}`,
    isNumber: true,
  },
  { label: 'Since', show: ({ since }) => <Ago at={since} />, isNumber: true },
  { label: 'Runbook', show: ({ doc }) => <Name text={`docs/${doc.replace('#', '.md#')}`} />, isFull: true },
];

/** What an operator should look at, under the names of the alert rules. */
export function Hints({ hints }: { readonly hints: readonly Hint[] }): JSX.Element {
  return (
    <section class="panel" aria-labelledby="hints">
      <header>
        <h2 id="hints">
          {hints.length === 0 ? (
            <State tone="ok">Nothing to look at</State>
          ) : (
            `${counted(hints.length, 'thing')} to look at`
          )}
        </h2>
        <span class="small mute hide-small">From the last minute, by the rules of the alerts</span>
      </header>
      {hints.length > 0 && (
        <Table caption="Hints" columns={HINTS} rows={hints} keyOf={({ name, node }) => `${name} ${node}`} />
      )}
    </section>
  );
}
