import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { withQuery } from '../../app/address.ts';
import { ActButton } from '../../parts/act.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { counted, visible, whole } from '../../parts/text.ts';
import { Ago } from '../../parts/time.tsx';
import { DiscardGroup } from './discard.tsx';
import type { LetterGroup } from './letters-of.ts';
import { RedriveDialog, type Redriven } from './redrive.tsx';

/** Letters by what went wrong: those that failed alike are one row. */
export function Groups({
  sink,
  groups,
  chosen,
  blocked,
}: {
  readonly sink: string;
  readonly groups: readonly LetterGroup[];
  readonly chosen: string;
  readonly blocked: string | undefined;
}): JSX.Element {
  const [redriven, setRedriven] = useState<Redriven>();
  const [discarded, setDiscarded] = useState<LetterGroup>();
  const total = groups.reduce((sum, { count }) => sum + count, 0);
  const columns: readonly Column<LetterGroup>[] = [
    {
      label: 'Error',
      show: ({ group, sample }) => (
        <a
          class="mono wrap"
          href={withQuery({ group: group === chosen ? '' : group, cursor: '', open: '' })}
          aria-current={group === chosen ? 'true' : undefined}
        >
          {visible(sample)}
        </a>
      ),
    },
    { label: 'Letters', show: ({ count }) => <span class="strong">{whole(count)}</span>, isNumber: true },
    { label: 'First', show: ({ oldest }) => <Ago at={oldest} />, isSecond: true },
    { label: 'Newest', show: ({ newest }) => <Ago at={newest} /> },
    {
      label: '',
      isNumber: true,
      isFull: true,
      show: row => (
        <span class="line tight">
          <ActButton
            method="DlqRedrive"
            look="sm"
            blocked={blocked}
            onAct={() => setRedriven({ by: 'group', ...row })}
          >
            Redrive…
          </ActButton>
          <ActButton method="DlqDiscard" look="sm quiet risky" onAct={() => setDiscarded(row)}>
            Discard…
          </ActButton>
        </span>
      ),
    },
  ];
  return (
    <section class="panel" aria-labelledby="groups">
      <header>
        <h2 id="groups">{`${counted(groups.length, 'group')} by error`}</h2>
        <span class="small mute hide-small">Errors that differ only in numbers and ids form one group</span>
        <ActButton
          method="DlqRedrive"
          look="sm"
          blocked={blocked}
          onAct={() => setRedriven({ by: 'all', count: total, oldest: oldestOf(groups) })}
        >
          {`Redrive all ${whole(total)}…`}
        </ActButton>
      </header>
      <Table
        caption={`Groups of dead letters of sink ${sink}`}
        columns={columns}
        rows={groups}
        keyOf={({ group }) => group}
        isSelected={({ group }) => group === chosen}
      />
      {redriven !== undefined && (
        <RedriveDialog sink={sink} redriven={redriven} onClose={() => setRedriven(undefined)} />
      )}
      {discarded !== undefined && (
        <DiscardGroup sink={sink} group={discarded} onClose={() => setDiscarded(undefined)} />
      )}
    </section>
  );
}

function oldestOf(groups: readonly LetterGroup[]): string {
  return groups.map(({ oldest }) => oldest).toSorted((a, b) => Date.parse(a) - Date.parse(b))[0] ?? '';
}
