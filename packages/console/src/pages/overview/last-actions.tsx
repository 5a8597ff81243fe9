import type { JSX } from 'preact';
import { addressOf } from '../../app/address.ts';
import { refusalOf } from '../../app/session.ts';
import { Empty } from '../../parts/basics.tsx';
import { Answer, type Column, Table } from '../../parts/table.tsx';
import { Ago } from '../../parts/time.tsx';
import { useCall } from '../../rpc/use-call.ts';
import { type AuditRecord, Outcome, Target } from '../audit.tsx';

const COLUMNS: readonly Column<AuditRecord>[] = [
  { label: 'When', show: ({ at }) => <Ago at={at} /> },
  {
    label: 'Who',
    show: ({ actor }) => <span class="wrap">{actor === '' ? <span class="mute">nobody</span> : actor}</span>,
  },
  { label: 'What', show: ({ method }) => <span class="mono">{method}</span> },
  { label: 'Target', show: ({ target }) => <Target target={target} />, isFull: true },
  { label: 'Outcome', show: ({ outcome }) => <Outcome outcome={outcome} /> },
];

/** What operators changed lately. */
export function LastActions(): JSX.Element {
  const refusal = refusalOf('AuditList');
  const list = useCall('AuditList', { limit: 8 }, { repeats: true, skip: refusal !== undefined });
  return (
    <section class="panel c8" aria-labelledby="last-actions">
      <header>
        <h2 id="last-actions">Last actions</h2>
        <a class="small" href={addressOf('audit')}>
          Audit
        </a>
      </header>
      {refusal !== undefined ? (
        <p class="inner soft small">{`${refusal}.`}</p>
      ) : (
        <Answer call={list}>
          {({ records }) =>
            records.length === 0 ? (
              <Empty title="Nothing was changed yet" line="msg audit list">
                Every change by an operator appears here, from the console, the command line and the API.
              </Empty>
            ) : (
              <Table
                caption="Last actions of operators"
                columns={COLUMNS}
                rows={records}
                keyOf={({ id }) => id}
              />
            )
          }
        </Answer>
      )}
    </section>
  );
}
