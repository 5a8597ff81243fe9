import type { MsgError } from '@msg/core';
import { toMsgError } from '@msg/core/internal';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { query, setQuery, withQuery } from '../../app/address.ts';
import { ActButton } from '../../parts/act.tsx';
import { Command, Name } from '../../parts/basics.tsx';
import { Fault } from '../../parts/fault.tsx';
import { SearchField } from '../../parts/filters.tsx';
import { Pager, pageAsked } from '../../parts/listing.tsx';
import { Answer, type Column, Table } from '../../parts/table.tsx';
import { commandLine, counted, visible, whole } from '../../parts/text.ts';
import { Ago } from '../../parts/time.tsx';
import { useCall } from '../../rpc/use-call.ts';
import { discard, discardLine } from './discard.tsx';
import { LetterPanel } from './letter-panel.tsx';
import { type Letter, type LetterGroup, recipientText } from './letters-of.ts';
import { RedriveDialog } from './redrive.tsx';

const COLUMNS: readonly Column<Letter>[] = [
  {
    label: 'Recipient',
    show: letter => (
      <a class="wrap" href={withQuery({ open: letter.id })}>
        {recipientText(letter)}
      </a>
    ),
  },
  { label: 'Letter', show: ({ id }) => <Name text={id} />, isWide: true, isSecond: true },
  { label: 'Channel', show: ({ channel }) => <Name text={channel} />, isWide: true },
  { label: 'Attempts', show: ({ attempts }) => whole(attempts), isNumber: true, isWide: true },
  { label: 'Parked', show: ({ parked_at: at }) => <Ago at={at} />, isNumber: true },
];

export interface LettersProps {
  readonly sink: string;
  /** The chosen group. */
  readonly group: LetterGroup | undefined;
  /** Its id in the address; the group may be gone. */
  readonly asked: string;
  readonly blocked: string | undefined;
}

/** The letters of a sink or of one group, and one of them beside the list. */
export function Letters({ sink, group, asked, blocked }: LettersProps): JSX.Element {
  const text = query.value.get('q') ?? '';
  const page = pageAsked();
  const open = query.value.get('open') ?? '';
  const list = useCall(
    'DlqList',
    { sink, group: asked, query: text, ...page },
    { repeats: page.cursor === '' },
  );
  const flags = [...(asked === '' ? [] : ['--group', asked]), ...(text === '' ? [] : ['--query', text])];
  const of = asked === '' ? '' : group === undefined ? 'in a group that is now empty' : 'in this group';
  const total = list.data?.total;
  return (
    <div class={open === '' ? '' : 'beside'}>
      <section class="panel" aria-labelledby="letters">
        <header>
          <h2 id="letters">
            Letters {total !== undefined && <span class="count">{`${whole(total)} ${of}`.trim()}</span>}
          </h2>
          <span class="hide-small">
            <Command line={commandLine('dlq', 'list', sink, ...flags)} />
          </span>
          <SearchField name="q" label="Recipient, channel, text" />
        </header>
        <Answer call={list}>
          {({ items, next_cursor: next }) =>
            items.length === 0 ? (
              <NoLetter />
            ) : (
              <Rows
                sink={sink}
                items={items}
                open={open}
                blocked={blocked}
                footer={
                  <Pager
                    shown={`${whole(items.length)} of ${whole(total ?? 0)}, the newest first`}
                    next={next}
                  />
                }
              />
            )
          }
        </Answer>
      </section>
      {open !== '' && (
        <LetterPanel
          key={open}
          id={open}
          listed={list.data?.items.find(({ id }) => id === open)}
          blocked={blocked}
        />
      )}
    </div>
  );
}

function NoLetter(): JSX.Element {
  return (
    <div class="empty">
      <h2>No letter matches</h2>
      <p>The filter matches any part of the id, channel, recipient, subject or error.</p>
      <button class="btn" type="button" onClick={() => setQuery({ q: '', group: '', cursor: '' })}>
        Clear filters
      </button>
    </div>
  );
}

function Rows({
  sink,
  items,
  open,
  blocked,
  footer,
}: {
  readonly sink: string;
  readonly items: readonly Letter[];
  readonly open: string;
  readonly blocked: string | undefined;
  readonly footer: JSX.Element;
}): JSX.Element {
  const [kept, setKept] = useState<ReadonlySet<string>>(new Set());
  const [isRedriving, setRedriving] = useState(false);
  const chosen = items.filter(({ id }) => kept.has(id));
  const oldest = chosen.at(-1)?.parked_at ?? '';
  const ids = chosen.map(({ id }) => id);
  const [error, setError] = useState<MsgError>();
  const throwAway = async (): Promise<void> => {
    setError(undefined);
    try {
      await discard({ ids });
      setKept(new Set());
    } catch (cause) {
      setError(toMsgError(cause));
    }
  };
  return (
    <>
      {chosen.length > 0 && (
        <div class="selbar small">
          <strong>{`${whole(chosen.length)} selected`}</strong>
          <ActButton method="DlqRedrive" look="sm" blocked={blocked} onAct={() => setRedriving(true)}>
            {`Redrive ${whole(chosen.length)}…`}
          </ActButton>
          <ActButton method="DlqDiscard" look="sm" onAct={() => void throwAway()}>
            {`Discard ${whole(chosen.length)}`}
          </ActButton>
          <button class="btn sm quiet" type="button" onClick={() => setKept(new Set())}>
            Clear
          </button>
          <span class="hide-small grow">
            <Command line={discardLine(ids)} />
          </span>
        </div>
      )}
      {error !== undefined && (
        <div class="body faults">
          <Fault error={error} />
        </div>
      )}
      <Table
        caption={`${counted(items.length, 'dead letter')}, the newest first`}
        columns={COLUMNS}
        rows={items}
        isDense
        keyOf={({ id }) => id}
        isSelected={({ id }) => id === open}
        picking={{
          picked: kept,
          onPick: setKept,
          nameOf: letter => `the letter ${visible(letter.id)} to ${recipientText(letter)}`,
        }}
      />
      {footer}
      {isRedriving && (
        <RedriveDialog
          sink={sink}
          redriven={{ by: 'ids', ids, count: chosen.length, oldest }}
          onClose={() => setRedriving(false)}
        />
      )}
    </>
  );
}
