import type { RpcResponse } from '@msg/core';
import type { JSX } from 'preact';
import { addressOf, query, withQuery } from '../app/address.ts';
import { refusalOf } from '../app/session.ts';
import { Command, CopyButton, Empty, Name, NotAllowed, PageHead, State } from '../parts/basics.tsx';
import { type Filter, FilterBar } from '../parts/filters.tsx';
import { Answer, type Column, Table } from '../parts/table.tsx';
import { counted, visible } from '../parts/text.ts';
import { useCall } from '../rpc/use-call.ts';
import { Limits } from './limits.tsx';
import { ServiceFacts } from './service-facts.tsx';

type Setting = RpcResponse<'Config'>['settings'][number];

const FILTERS = [
  { name: 'q', label: 'Part of a key or its help', chip: 'key or help contains' },
  {
    name: 'only',
    label: 'Which settings',
    choices: [
      ['', 'Changed ones'],
      ['all', 'All'],
    ],
  },
] as const satisfies readonly Filter[];
const SOURCES: Readonly<Record<string, string>> = {
  flag: 'flag',
  env: 'environment',
  file: 'file',
  default: 'default',
  embedder: 'program',
};

function valueText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}

function ValueOf({ of }: { readonly of: Setting }): JSX.Element {
  const { secret, is_set: isSet, value } = of;
  if (secret) return isSet ? <State tone="ok">Set</State> : <State tone="off">Not set</State>;
  const text = valueText(value);
  return text === '' ? <span class="mute">empty</span> : <Name text={text} />;
}

const COLUMNS: readonly Column<Setting>[] = [
  {
    label: 'Setting',
    show: ({ key, help }) => (
      <div>
        <Name text={key} />
        <div class="mute tiny wrap">{help}</div>
      </div>
    ),
  },
  { label: 'Value', show: setting => <ValueOf of={setting} />, isFull: true },
  { label: 'From', show: ({ source }) => SOURCES[source] ?? source },
  {
    label: 'Default',
    show: ({ secret, default: fallback }) =>
      secret || valueText(fallback) === '' ? (
        <span class="mute">–</span>
      ) : (
        <Name text={valueText(fallback)} />
      ),
    isSecond: true,
  },
];

/** What the service runs with, and how much it lets pass. */
export function ConfigPage(): JSX.Element {
  const tab = query.value.get('tab') ?? '';
  return (
    <>
      <PageHead
        title="Configuration"
        sub="The effective settings of this node. Change them in its file, environment or flags."
      >
        <Command line={tab === 'limits' ? 'msg nodes list' : 'msg config running'} />
      </PageHead>
      <nav class="tabs" aria-label="Configuration">
        <a href={withQuery({ tab: '' })} aria-current={tab === '' ? 'page' : undefined}>
          Settings
        </a>
        <a href={withQuery({ tab: 'limits' })} aria-current={tab === 'limits' ? 'page' : undefined}>
          Limits
        </a>
      </nav>
      {tab === 'limits' ? (
        <Limits />
      ) : (
        <>
          <ServiceFacts />
          <Settings />
        </>
      )}
    </>
  );
}

function Settings(): JSX.Element {
  const refusal = refusalOf('Config');
  const config = useCall('Config', {}, { skip: refusal !== undefined });
  if (refusal !== undefined) return <NotAllowed reason={refusal} />;
  return (
    <>
      <FilterBar filters={FILTERS} />
      <Answer call={config}>{data => <SettingTable data={data} />}</Answer>
    </>
  );
}

function SettingTable({ data }: { readonly data: RpcResponse<'Config'> }): JSX.Element {
  const text = (query.value.get('q') ?? '').toLowerCase();
  const isAll = query.value.get('only') === 'all';
  const rows = data.settings.filter(
    ({ key, help, source }) =>
      (isAll || source !== 'default') && (key.includes(text) || help.toLowerCase().includes(text)),
  );
  return (
    <section class="panel" aria-labelledby="settings">
      <header>
        <h2 id="settings">{counted(rows.length, 'setting')}</h2>
        <span class="small mute wrap">
          {data.config_source === '' ? 'without a file' : visible(data.config_source)}
        </span>
        {rows.length > 0 && <CopyButton text={yamlOf(rows)} label="Copy as YAML without secrets" />}
      </header>
      {rows.length === 0 ? (
        <Empty
          title={text === '' ? 'Every setting has its default' : 'No setting matches'}
          way={{ to: `${addressOf('configuration')}?only=all`, text: 'Show all settings' }}
        >
          {text === ''
            ? 'A setting appears here when a flag, the environment or the file changes it.'
            : 'The filter matches any part of a key or of its help.'}
        </Empty>
      ) : (
        <Table caption="Settings" columns={COLUMNS} rows={rows} keyOf={({ key }) => key} />
      )}
    </section>
  );
}

/** The settings as a file; JSON is YAML, too. */
function yamlOf(settings: readonly Setting[]): string {
  const root: Record<string, unknown> = {};
  for (const { key, value, secret } of settings) {
    if (secret) continue;
    const names = key.split('.');
    let place = root;
    for (const name of names.slice(0, -1)) {
      place[name] ??= {};
      place = place[name] as Record<string, unknown>; // made here
    }
    place[names.at(-1) ?? ''] = value;
  }
  return linesOf(root, '');
}

function linesOf(value: object, indent: string): string {
  return Object.entries(value)
    .map(([name, member]) =>
      typeof member === 'object' &&
      member !== null &&
      !Array.isArray(member) &&
      Object.keys(member).length > 0
        ? `${indent}${keyOf(name)}:\n${linesOf(member as object, `${indent}  `)}`
        : `${indent}${keyOf(name)}: ${JSON.stringify(member ?? null)}\n`,
    )
    .join('');
}

function keyOf(name: string): string {
  return /^[a-z_][\w-]*$/i.test(name) ? name : JSON.stringify(name);
}
