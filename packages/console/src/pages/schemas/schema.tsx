import type { ChannelPattern } from '@msg/core';
import { compareSchemas } from '@msg/core/internal';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { addressOf, go, query, setQuery } from '../../app/address.ts';
import { ActButton } from '../../parts/act.tsx';
import { Command, Empty, Facts, Name, PageHead } from '../../parts/basics.tsx';
import { ConfirmCall } from '../../parts/confirm-call.tsx';
import { PayloadView } from '../../parts/payload.tsx';
import { Answer } from '../../parts/table.tsx';
import { commandLine, counted, visible } from '../../parts/text.ts';
import { reloadAll, useCall } from '../../rpc/use-call.ts';
import { Changes } from './changes.tsx';
import { WriteSchema } from './write.tsx';

/** One pattern: its versions, what changed, and the channels that it holds for. */
export function SchemaPage({ pattern }: { readonly pattern: string }): JSX.Element {
  const found = useCall('GetSchema', { pattern });
  const [act, setAct] = useState<'update' | 'remove'>();
  const close = (): void => setAct(undefined);
  const history = (found.data?.history ?? []) as readonly ChannelPattern[]; // of our own registry
  const newest = history.at(-1);
  return (
    <>
      <PageHead title={pattern} isName sub={newest?.description && visible(newest.description)}>
        {newest !== undefined && (
          <>
            <ActButton method="UpdateSchema" look="primary" onAct={() => setAct('update')}>
              New version…
            </ActButton>
            <ActButton method="DeregisterSchema" look="risky" onAct={() => setAct('remove')}>
              Deregister…
            </ActButton>
          </>
        )}
        <Command line={commandLine('schemas', 'get', pattern)} />
      </PageHead>
      {found.error?.code === 'MSG_CHANNEL_NOT_FOUND' ? (
        <section class="panel">
          <Empty title="There is no such schema" way={{ to: addressOf('schemas'), text: 'All schemas' }}>
            It was never registered, or it was deregistered.
          </Empty>
        </section>
      ) : (
        <Answer call={found}>{() => <Versions pattern={pattern} history={history} />}</Answer>
      )}
      {act === 'update' && newest !== undefined && (
        <WriteSchema of={newest} onClose={close} onDone={reloadAll} />
      )}
      {act === 'remove' && (
        <ConfirmCall
          title="Deregister this schema?"
          verb="Deregister schema"
          line={commandLine('schemas', 'deregister', pattern)}
          isDanger
          typed={pattern}
          method="DeregisterSchema"
          request={{ pattern }}
          done="Deregistered the schema."
          onDone={() => go(addressOf('schemas'))}
          onClose={close}
        >
          <p>{`This removes ${counted(history.length, 'version')}. Publications in its channels are no longer checked against it.`}</p>
        </ConfirmCall>
      )}
    </>
  );
}

function Versions({
  pattern,
  history,
}: {
  readonly pattern: string;
  readonly history: readonly ChannelPattern[];
}): JSX.Element {
  const asked = Number.parseInt(query.value.get('version') ?? '', 10);
  const at = Math.max(
    0,
    history.findIndex(({ version }) => version === asked),
  );
  const index = Number.isNaN(asked) ? history.length - 1 : at;
  const shown = history[index];
  const before = history[index - 1];
  if (shown === undefined) return <p class="soft small">The schema has no version.</p>;
  return (
    <div class="stack s5">
      <Facts
        rows={[
          [
            'Version',
            <select
              class="select"
              aria-label="Version"
              value={shown.version}
              onChange={event => setQuery({ version: event.currentTarget.value })}
            >
              {history.map(({ version }) => (
                <option key={version} value={version}>
                  {version}
                </option>
              ))}
            </select>,
          ],
          ['Aspects', <Name text={Object.keys(shown.aspects).join(', ')} />],
          ['Publishers', visible(shown.acl?.publish_roles?.join(', ') ?? '–')],
          ['Subscribers', visible(shown.acl?.subscribe_roles?.join(', ') ?? '–')],
          ['Channels', <Matching pattern={pattern} />],
        ]}
      />
      {before !== undefined && (
        <section class="panel" aria-labelledby="changes">
          <header>
            <h2 id="changes">{`Version ${shown.version} against ${before.version}`}</h2>
          </header>
          <div class="body">
            <Changes changes={compareSchemas(before, shown).changes} />
          </div>
        </section>
      )}
      <section class="panel" aria-labelledby="document">
        <header>
          <h2 id="document">{`Version ${shown.version}`}</h2>
        </header>
        <div class="body">
          <PayloadView key={shown.version} data={JSON.stringify(shown, null, 2)} encoding="json" />
        </div>
      </section>
    </div>
  );
}

/** Channels of a pattern: named parts are any part in the grammar of listings. */
function Matching({ pattern }: { readonly pattern: string }): JSX.Element {
  const wanted = pattern.replaceAll(/\{[^}]*\}/g, '*');
  const { data, error } = useCall('ListChannels', { pattern: wanted, limit: 1 }, { repeats: true });
  if (error !== undefined) return <span class="mute">not listed by this pattern</span>;
  return (
    <a href={`${addressOf('channels')}?pattern=${encodeURIComponent(wanted)}`}>
      {data === undefined ? '–' : counted(data.total, 'channel')}
    </a>
  );
}
