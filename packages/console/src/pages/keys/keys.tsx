import type { JSX } from 'preact';
import { query, withQuery } from '../../app/address.ts';
import { Command, Name, PageHead } from '../../parts/basics.tsx';
import { MissingNodes } from '../../parts/listing.tsx';
import { Answer, type Column, Table } from '../../parts/table.tsx';
import { visible, whole } from '../../parts/text.ts';
import { Ago, Until } from '../../parts/time.tsx';
import { useCall } from '../../rpc/use-call.ts';
import { KeyPanel } from './key-panel.tsx';
import { RotationPanel } from './rotation.tsx';
import { latestOf, type UsedKey } from './rotation-state.ts';
import { Verdict } from './verdict.tsx';

function latest(moments: UsedKey['issued_until'], show: (at: string) => JSX.Element): JSX.Element {
  const at = latestOf(moments);
  return at === '' ? <span class="mute">–</span> : show(at);
}

const COLUMNS: readonly Column<UsedKey>[] = [
  {
    label: 'Key',
    show: ({ kid }) => (
      <a class="mono wrap" href={withQuery({ key: kid })}>
        {visible(kid)}
      </a>
    ),
  },
  { label: 'Verdict', show: key => <Verdict of={key} /> },
  {
    label: 'Last token ends',
    show: ({ issued_until: moments }) => latest(moments, at => <Until at={Date.parse(at)} />),
    isNumber: true,
    isFull: true,
  },
  {
    label: 'Last seen',
    show: ({ seen_last: moments }) => latest(moments, at => <Ago at={at} />),
    isNumber: true,
  },
  {
    label: 'Connections',
    show: ({ live_connections: live }) => whole(live),
    isNumber: true,
  },
  {
    label: 'Subscriptions',
    show: ({ live_subscriptions: live }) => whole(live),
    isNumber: true,
  },
];

/** The keys that sign tokens, who depends on each, and how one follows another. */
export function KeysPage(): JSX.Element {
  const usage = useCall('KeyUsage', {}, { repeats: true });
  const chosen = query.value.get('key') ?? '';
  return (
    <>
      <PageHead title="Keys" sub="One key signs. The others only verify, until nothing depends on them.">
        <Command line="msg keys usage" />
      </PageHead>
      <Answer call={usage}>
        {({ keys, missing_nodes: missing }) => {
          const key = keys.find(({ kid }) => kid === chosen);
          return (
            <div class="stack s5">
              <MissingNodes nodes={missing} />
              <RotationPanel keys={keys} />
              <div class={key === undefined ? '' : 'beside'}>
                <section class="panel" aria-label="Keys">
                  <Table
                    caption="Signing keys"
                    columns={COLUMNS}
                    rows={keys}
                    keyOf={({ kid }) => kid}
                    isSelected={({ kid }) => kid === chosen}
                  />
                </section>
                {key !== undefined && <KeyPanel key={key.kid} of={key} />}
              </div>
              {chosen !== '' && key === undefined && (
                <p class="soft small">
                  The key <Name text={chosen} /> no longer exists.
                </p>
              )}
            </div>
          );
        }}
      </Answer>
    </>
  );
}
