import type { RpcResponse } from '@msg/core';
import type { JSX } from 'preact';
import { addressOf } from '../app/address.ts';
import { refusalOf } from '../app/session.ts';
import { Command, Empty, Name, NotAllowed, PageHead, State } from '../parts/basics.tsx';
import { type Filter, FilterBar, flagsOf, valuesOf } from '../parts/filters.tsx';
import { Listing, pageAsked } from '../parts/listing.tsx';
import type { Column } from '../parts/table.tsx';
import { commandLine, counted, visible } from '../parts/text.ts';
import { Ago } from '../parts/time.tsx';
import { useCall } from '../rpc/use-call.ts';

/** One call that changed something, or tried to. */
export type AuditRecord = RpcResponse<'AuditList'>['records'][number];

const FILTERS = [
  { name: 'actor', label: 'Who', chip: 'who =' },
  { name: 'method', label: 'Method', chip: 'method =' },
  { name: 'target', label: 'Target', chip: 'target =' },
  {
    name: 'via',
    label: 'Through',
    chip: 'through',
    choices: [
      ['', 'Any way'],
      ['console', 'Console'],
      ['cli', 'Command line'],
      ['rpc', 'RPC'],
      ['api', 'HTTP API'],
      ['system', 'Service'],
    ],
  },
  {
    name: 'outcome',
    label: 'Outcome',
    chip: 'outcome =',
    choices: [
      ['', 'Any outcome'],
      ['ok', 'Done'],
      ['MSG_AUTH_DENIED', 'Denied'],
      ['MSG_INVALID_ARGUMENT', 'Bad argument'],
    ],
  },
] as const satisfies readonly Filter[];

/** What became of a call. */
export function Outcome({ outcome }: { readonly outcome: string }): JSX.Element {
  if (outcome === 'ok') return <State tone="ok">Done</State>;
  if (outcome === 'started') return <State tone="off">Began</State>;
  return (
    <State tone="bad">
      <span class="mono">{outcome}</span>
    </State>
  );
}

const PAGE_OF: Readonly<Record<string, string>> = {
  channel: 'channels',
  user: 'users',
  client: 'connections',
};

/** What a call was about, as a link where it has a page. */
export function Target({ target }: { readonly target: string }): JSX.Element {
  if (target === '') return <span class="mute">–</span>;
  const colon = target.indexOf(':');
  const page = PAGE_OF[target.slice(0, colon)];
  const name = target.slice(colon + 1);
  if (page === undefined) return <Name text={target} />;
  return (
    <a class="mono wrap" href={addressOf(page, name)}>
      {visible(name)}
    </a>
  );
}

const AUDIT_COLUMNS: readonly Column<AuditRecord>[] = [
  { label: 'When', show: ({ at }) => <Ago at={at} /> },
  {
    label: 'Who',
    show: ({ actor, role }) => (
      <span class="wrap">
        {actor === '' ? <span class="mute">anonymous</span> : visible(actor)}
        {role !== '' && <span class="mute">{` ${role}`}</span>}
      </span>
    ),
  },
  { label: 'What', show: ({ method }) => <span class="mono">{method}</span> },
  { label: 'Target', show: ({ target }) => <Target target={target} />, isFull: true },
  {
    label: 'Detail',
    show: ({ detail }) => (detail === '' ? <span class="mute">–</span> : <Name text={detail} />),
    isSecond: true,
  },
  { label: 'Through', show: ({ via }) => via, isSecond: true },
  { label: 'From', show: ({ remote_addr: address }) => <Name text={address} />, isSecond: true },
  { label: 'Outcome', show: ({ outcome }) => <Outcome outcome={outcome} /> },
];

/** Who did what. */
export function AuditPage(): JSX.Element {
  const filter = valuesOf(FILTERS);
  const page = pageAsked();
  const refusal = refusalOf('AuditList');
  const list = useCall(
    'AuditList',
    { ...filter, ...page },
    { repeats: page.cursor === '', skip: refusal !== undefined },
  );
  const flags = flagsOf(filter);
  return (
    <>
      <PageHead
        title="Audit"
        sub="Every call that changed something, or tried to. Never a token, payload or secret."
      >
        <Command line={commandLine('audit', 'list', ...flags)} />
        {list.data !== undefined && <Export records={list.data.records} />}
      </PageHead>
      {refusal !== undefined ? (
        <NotAllowed reason={refusal} />
      ) : (
        <>
          <FilterBar filters={FILTERS} />
          <Listing
            caption="Calls, the newest first"
            call={list}
            rowsOf={({ records }) => records}
            columns={AUDIT_COLUMNS}
            keyOf={({ id }) => id}
            shown={records => counted(records.length, 'record')}
            empty={<NoRecord isFiltered={flags.length > 0} />}
          />
        </>
      )}
    </>
  );
}

function NoRecord({ isFiltered }: { readonly isFiltered: boolean }): JSX.Element {
  if (isFiltered)
    return (
      <Empty title="No record matches" way={{ to: addressOf('audit'), text: 'Clear filters' }}>
        Every filter matches exactly.
      </Empty>
    );
  return (
    <Empty title="Nothing was changed yet" line="msg audit list">
      A record appears here for each call that changes something, whether it comes from the console, the
      command line or a back end.
    </Empty>
  );
}

/** The page that is shown, as a file of one record a line. */
function Export({ records }: { readonly records: readonly AuditRecord[] }): JSX.Element {
  const save = (): void => {
    const lines = records.map(record => `${JSON.stringify(record)}\n`);
    const url = URL.createObjectURL(new Blob(lines, { type: 'application/x-ndjson' }));
    const link = document.createElement('a');
    link.href = url;
    link.download = 'audit.ndjson';
    link.click();
    URL.revokeObjectURL(url);
  };
  return (
    <button class="btn" type="button" onClick={save}>
      Save this page
    </button>
  );
}
