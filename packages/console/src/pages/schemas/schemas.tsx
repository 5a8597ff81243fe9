import type { ChannelPattern } from '@msg/core';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { addressOf, go } from '../../app/address.ts';
import { ActButton } from '../../parts/act.tsx';
import { Command, Empty, PageHead } from '../../parts/basics.tsx';
import { type Filter, FilterBar, valuesOf } from '../../parts/filters.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Answer, type Column, Table } from '../../parts/table.tsx';
import { counted, visible } from '../../parts/text.ts';
import { useCall } from '../../rpc/use-call.ts';
import { SchemaPage } from './schema.tsx';
import { WriteSchema } from './write.tsx';

/** Each mutation of the registry is a publication there. */
const BROADCAST = 'public:msg.registry.schemas';

const COLUMNS: readonly Column<ChannelPattern>[] = [
  {
    label: 'Pattern',
    show: ({ pattern }) => (
      <a class="mono wrap" href={addressOf('schemas', pattern)}>
        {visible(pattern)}
      </a>
    ),
  },
  {
    label: 'What for',
    show: ({ description = '' }) =>
      description === '' ? <span class="mute">–</span> : <span class="wrap">{visible(description)}</span>,
    isFull: true,
  },
  { label: 'Aspects', show: ({ aspects }) => visible(Object.keys(aspects).join(', ')), isSecond: true },
  { label: 'Version', show: ({ version }) => version, isNumber: true },
];

/** What the channels of a pattern carry, or one of these patterns. */
export function SchemasPage({ names }: { readonly names: readonly string[] }): JSX.Element {
  const [pattern] = names;
  return pattern === undefined ? <Schemas /> : <SchemaPage key={pattern} pattern={pattern} />;
}

const FILTERS = [
  { name: 'q', label: 'Part of a pattern', chip: 'pattern contains' },
] as const satisfies readonly Filter[];

function Schemas(): JSX.Element {
  const list = useCall('ListSchemas', {}, { repeats: true });
  const [isWriting, setWriting] = useState(false);
  const { q: text } = valuesOf(FILTERS);
  return (
    <>
      <PageHead
        title="Schemas"
        sub="What the channels of a pattern carry, as agreed by producers and consumers."
      >
        <Command line="msg schemas list" />
        <ActButton method="RegisterSchema" look="primary" onAct={() => setWriting(true)}>
          <Icon name="plus" />
          Register…
        </ActButton>
      </PageHead>
      <FilterBar filters={FILTERS} />
      <p class="small soft">
        Changes are published in{' '}
        <a class="mono wrap" href={addressOf('channels', BROADCAST)}>
          {BROADCAST}
        </a>
        .
      </p>
      <Answer call={list}>
        {({ patterns }) => (
          <Patterns all={patterns as readonly ChannelPattern[] /* of our own registry */} text={text} />
        )}
      </Answer>
      {isWriting && (
        <WriteSchema
          onClose={() => setWriting(false)}
          onDone={pattern => go(addressOf('schemas', pattern))}
        />
      )}
    </>
  );
}

function Patterns({
  all,
  text,
}: {
  readonly all: readonly ChannelPattern[];
  readonly text: string;
}): JSX.Element {
  const rows = all.filter(({ pattern }) => pattern.includes(text));
  return (
    <section class="panel" aria-label="Schemas">
      {all.length === 0 && (
        <Empty title="No schema" line="msg schemas register --file order.json">
          A schema describes what the channels of a pattern carry. Code can be generated from it, and
          publications can be checked against it.
        </Empty>
      )}
      {all.length > 0 && rows.length === 0 && (
        <Empty
          title="No schema matches"
          way={{ to: addressOf('schemas'), text: 'Clear filters' }}
        >{`None of ${counted(all.length, 'pattern')} contains this text.`}</Empty>
      )}
      {rows.length > 0 && (
        <Table caption="Schemas by pattern" columns={COLUMNS} rows={rows} keyOf={({ pattern }) => pattern} />
      )}
    </section>
  );
}
