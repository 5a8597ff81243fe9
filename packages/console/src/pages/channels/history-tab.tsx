import type { RpcResponse } from '@msg/core';
import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';
import { query, setQuery } from '../../app/address.ts';
import { Command, Empty, State } from '../../parts/basics.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Answer } from '../../parts/table.tsx';
import { commandLine, counted, whole } from '../../parts/text.ts';
import { useCall } from '../../rpc/use-call.ts';
import { type Publication, PublicationPanel } from './publication-panel.tsx';
import { type PublicationRow, PublicationTable } from './publication-table.tsx';

const PAGE = 50;
const SHOWN_BYTES = 2048;

/** What a channel keeps, the newest first. Reading it leaves no trace. */
export function HistoryTab({ name }: { readonly name: string }): JSX.Element {
  const from = Number.parseInt(query.value.get('from') ?? '0', 10) || 0;
  const request = { name, limit: PAGE, reverse: true, from_offset: from, max_payload_bytes: SHOWN_BYTES };
  const history = useCall('History', request, { repeats: from === 0 });
  const isReset = useReset(history.data?.epoch ?? '');
  return (
    <>
      <JumpForm />
      {isReset && (
        <p class="small">
          <State tone="warn">The stream was reset while this page was open: offsets start at 1 again</State>
        </p>
      )}
      <Answer call={history}>{data => <Publications name={name} data={data} from={from} />}</Answer>
    </>
  );
}

/** Whether the stream of the channel is another one than at the begin. */
function useReset(epoch: string): boolean {
  const first = useRef('');
  if (first.current === '') first.current = epoch;
  return epoch !== '' && epoch !== first.current;
}

function JumpForm(): JSX.Element {
  const field = useRef<HTMLInputElement>(null);
  const jump = (event: Event): void => {
    event.preventDefault();
    const offset = (field.current?.value ?? '').replace(/\D/g, '');
    setQuery({ from: offset, open: '' });
  };
  return (
    <form class="filters" onSubmit={jump}>
      <div class="searchbox">
        <Icon name="search" />
        <input
          class="input"
          inputMode="numeric"
          autocomplete="off"
          aria-label="Go to offset"
          placeholder="Go to offset"
          data-filter
          ref={field}
        />
      </div>
      <button class="btn" type="submit">
        Go
      </button>
      {query.value.has('from') && (
        <button class="btn quiet" type="button" onClick={() => setQuery({ from: '', open: '' })}>
          Newest
        </button>
      )}
    </form>
  );
}

function Publications({
  name,
  data,
  from,
}: {
  readonly name: string;
  readonly data: RpcResponse<'History'>;
  readonly from: number;
}): JSX.Element {
  const { publications, kept, offset, first_offset: oldest, more } = data;
  const open = Number.parseInt(query.value.get('open') ?? '', 10);
  const chosen = publications.find(publication => publication.offset === open);
  const line = commandLine(
    'channels',
    'history',
    name,
    '--reverse',
    '--limit',
    String(PAGE),
    ...(from > 0 ? ['--from', String(from)] : []),
  );
  if (!kept)
    return (
      <section class="panel">
        <Empty title="This channel keeps no history" line={commandLine('subscribe', name)}>
          Its publications reach the clients that are subscribed at that moment. Set history_size for a
          pattern of the channel to keep them.
        </Empty>
      </section>
    );
  if (publications.length === 0)
    return (
      <section class="panel">
        <Empty
          title={offset === 0 ? 'Nothing was published yet' : 'No publication is kept here'}
          line={commandLine('publish', name, '--data=hello')}
        >
          {offset === 0
            ? 'The first publication gets the offset 1.'
            : `The top offset is ${whole(offset)}. The publications have expired or are at other offsets.`}
        </Empty>
      </section>
    );
  const last = publications.at(-1)?.offset ?? 0;
  return (
    <div class={chosen === undefined ? '' : 'beside'}>
      <section class="panel" aria-label="History">
        <PublicationTable
          rows={withGaps(publications)}
          open={chosen?.offset}
          onOpen={key => setQuery({ open: key === undefined ? '' : String(key) })}
        />
        <footer>
          <span class="grow">{`${whole(last)}–${whole(publications[0]?.offset ?? 0)}; kept from ${whole(oldest)} to ${whole(offset)}`}</span>
          <Command line={line} />
          {more && (
            <button
              class="btn sm"
              type="button"
              onClick={() => setQuery({ from: String(last - 1), open: '' })}
            >
              Older
            </button>
          )}
        </footer>
      </section>
      {chosen !== undefined && (
        <PublicationPanel
          key={chosen.offset}
          name={name}
          publication={chosen}
          at={publications.indexOf(chosen)}
          count={publications.length}
          onMove={at => setQuery({ open: String(publications[at]?.offset ?? '') })}
          onClose={() => setQuery({ open: '' })}
        />
      )}
    </div>
  );
}

/** The publications, with a line wherever offsets are missing between two of them. */
function withGaps(publications: readonly Publication[]): readonly PublicationRow[] {
  return publications.flatMap((publication, at) => {
    const { offset } = publication;
    const gap = (publications[at - 1]?.offset ?? offset + 1) - offset - 1;
    const row = { key: offset, publication };
    if (gap === 0) return [row];
    return [{ key: -offset, words: `${counted(gap, 'publication')} in between not kept` }, row];
  });
}
