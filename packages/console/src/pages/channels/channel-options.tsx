import type { ChannelOption } from '@msg/core';
import type { JSX } from 'preact';
import { type Column, Table } from '../../parts/table.tsx';
import { visible } from '../../parts/text.ts';

const COLUMNS: readonly Column<ChannelOption>[] = [
  { label: 'Option', show: ({ name }) => <span class="mono">{name}</span> },
  { label: 'Value', show: ({ value }) => <span class="mono">{String(value)}</span> },
  {
    label: 'Set by',
    show: ({ pattern }) =>
      pattern === '' ? <span class="mute">default</span> : <span class="mono wrap">{visible(pattern)}</span>,
  },
];

/** What a channel offers its subscribers, and the pattern that set each option. */
export function ChannelOptions({
  options,
}: {
  readonly options: readonly ChannelOption[];
}): JSX.Element | null {
  if (options.length === 0) return null;
  const set = options.filter(({ pattern }) => pattern !== '').length;
  return (
    <details class="panel">
      <summary class="fold">
        {set === 0 ? 'Options: all are defaults' : `Options: ${set} set by patterns`}
      </summary>
      <Table
        caption="Options of the channel"
        columns={COLUMNS}
        rows={options}
        keyOf={({ name }) => name}
        isDense
      />
    </details>
  );
}
