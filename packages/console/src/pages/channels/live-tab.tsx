import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { query, setQuery } from '../../app/address.ts';
import { Command, Empty, State } from '../../parts/basics.tsx';
import { Fault } from '../../parts/fault.tsx';
import { SearchField } from '../../parts/filters.tsx';
import { Icon } from '../../parts/icon.tsx';
import { tagFlags, tagsOf } from '../../parts/tags.ts';
import { commandLine, whole } from '../../parts/text.ts';
import { PublicationPanel } from './publication-panel.tsx';
import { type PublicationRow, PublicationTable } from './publication-table.tsx';
import { MAX_ROWS, shownOf, skippedOf, type TailView } from './tail.ts';
import { useTail } from './use-tail.ts';

const RATES = ['5', '20', '50', '100'];
/** Rows on the page. A filter looks through all that are kept. */
const ROWS_ON_PAGE = 150;

const STATES = {
  connecting: ['off', 'Connecting'],
  live: ['ok', 'Live'],
  reconnecting: ['warn', 'Reconnecting'],
  unreachable: ['warn', 'No connection: polling every 5 s'],
  hidden: ['off', 'Paused while the page was hidden'],
  paused: ['off', 'Paused'],
} as const;

/** What is published in a channel, as it happens, without being a subscriber. */
export function LiveTab({ name }: { readonly name: string }): JSX.Element {
  const [isPaused, setPaused] = useState(false);
  const asked = query.value.get('rate') ?? '';
  const rate = RATES.includes(asked) ? asked : '20';
  const tags = tagsOf(query.value.get('tags') ?? '');
  const { view, state, fault } = useTail({ name, rate: Number(rate), tags: tags ?? new Map(), isPaused });
  const [tone, text] = STATES[isPaused ? 'paused' : state];
  const line = commandLine(
    'channels',
    'tail',
    name,
    ...(rate === '20' ? [] : ['--max-per-second', rate]),
    ...tagFlags(tags ?? new Map()),
  );
  return (
    <div class="stack s4">
      <div class="filters">
        <button class="btn" type="button" data-pause onClick={() => setPaused(!isPaused)}>
          <Icon name={isPaused ? 'play' : 'pause'} />
          {isPaused ? 'Resume' : 'Pause'}
        </button>
        <State tone={tone}>{text}</State>
        <Numbers view={view} />
        <SearchField name="text" label="Text in the shown rows" />
        <SearchField name="tags" label="Tags, carrier=dhl" />
        <select
          class="select"
          aria-label="Publications per second"
          value={rate}
          onChange={event => setQuery({ rate: event.currentTarget.value })}
        >
          {RATES.map(one => (
            <option key={one} value={one}>{`At most ${one}/s`}</option>
          ))}
        </select>
      </div>
      {tags === undefined && <p class="soft small">Write tags as name=value, separated by commas.</p>}
      {fault !== undefined && <Fault error={fault} retry={() => setPaused(false)} />}
      <Rows name={name} rows={view.rows} line={line} />
    </div>
  );
}

/** How many publications the page shows, and how many it does not. */
function Numbers({ view }: { readonly view: TailView }): JSX.Element {
  return (
    <span class="small soft tabular" data-tail-numbers>
      {`${whole(shownOf(view))} shown, ${whole(skippedOf(view))} skipped`}
      {view.passed > 0 && `, ${whole(view.passed)} passed while paused`}
    </span>
  );
}

function Rows({
  name,
  rows: kept,
  line,
}: {
  readonly name: string;
  readonly rows: readonly PublicationRow[];
  readonly line: string;
}): JSX.Element {
  const text = (query.value.get('text') ?? '').toLowerCase();
  const [open, setOpen] = useState<PublicationRow>();
  const rows = kept
    .filter(row => 'words' in row || row.publication.data.toLowerCase().includes(text))
    .slice(0, ROWS_ON_PAGE);
  const publications = rows.filter(row => 'publication' in row);
  const chosen = open !== undefined && 'publication' in open ? open : undefined;
  return (
    <div class={chosen === undefined ? '' : 'beside'}>
      <section class="panel" aria-label="Live publications">
        {rows.length === 0 ? (
          <Empty title={text === '' ? 'No publication yet' : 'No shown row matches'} line={line}>
            Publications appear here as they happen. The page does not count as a subscriber.
          </Empty>
        ) : (
          <>
            <PublicationTable
              rows={rows}
              open={chosen?.key}
              onOpen={key => setOpen(rows.find(row => row.key === key))}
            />
            <footer>
              <span class="grow">{`Shows the newest ${ROWS_ON_PAGE} of ${MAX_ROWS} kept rows`}</span>
              <Command line={line} />
            </footer>
          </>
        )}
      </section>
      {chosen !== undefined && (
        <PublicationPanel
          key={chosen.key}
          name={name}
          publication={chosen.publication}
          at={publications.findIndex(row => row.key === chosen.key)}
          count={publications.length}
          onMove={at => setOpen(publications[at])}
          onClose={() => setOpen(undefined)}
        />
      )}
    </div>
  );
}
