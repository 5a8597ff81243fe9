import type { RpcResponse } from '@msg/core';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { ActButton } from '../../parts/act.tsx';
import { Badge, Command, Facts, Name } from '../../parts/basics.tsx';
import { Icon } from '../../parts/icon.tsx';
import { PayloadView } from '../../parts/payload.tsx';
import { bytes, commandLine, whole } from '../../parts/text.ts';
import { Ago } from '../../parts/time.tsx';
import { reloadAll, useCall } from '../../rpc/use-call.ts';
import { type PayloadForm, PublishDialog } from './publish.tsx';

/** One publication as the page has it. */
export type Publication = RpcResponse<'History'>['publications'][number];

const WHOLE_BYTES = 1_048_576;
/** The form that a payload is published again in. */
const FORMS: Readonly<Record<string, PayloadForm>> = { text: 'text', base64: 'base64' };

/** One publication beside the list. */
export function PublicationPanel({
  name,
  publication,
  at,
  count,
  onMove,
  onClose,
}: {
  readonly name: string;
  readonly publication: Publication;
  /** Where it stands in the list, from 0, the newest first. */
  readonly at: number;
  /** How many the list has. */
  readonly count: number;
  /** Shows another one of the list. */
  readonly onMove: (at: number) => void;
  readonly onClose: () => void;
}): JSX.Element {
  const { offset } = publication;
  const [wantsWhole, setWantsWhole] = useState(false);
  const [isPublishing, setPublishing] = useState(false);
  const request = { name, limit: 1, reverse: true, from_offset: offset, max_payload_bytes: WHOLE_BYTES };
  const loaded = useCall('History', request, { skip: !wantsWhole });
  const full = loaded.data?.publications.find(other => other.offset === offset);
  const shown = full ?? publication;
  // A payload with many escapes is longer than an answer may be.
  const isTooLong = shown.size > WHOLE_BYTES || full !== undefined;
  return (
    <section class="panel side-panel" aria-labelledby="publication">
      <header>
        <h2 id="publication">
          {offset === 0 ? 'Publication' : 'Offset '}
          {offset > 0 && <span class="mono">{whole(offset)}</span>}
        </h2>
        <button
          class="btn quiet only sm"
          type="button"
          aria-label="Newer publication"
          disabled={at <= 0}
          onClick={() => onMove(at - 1)}
        >
          <span class="turned">
            <Icon name="down" />
          </span>
        </button>
        <button
          class="btn quiet only sm"
          type="button"
          aria-label="Older publication"
          disabled={at >= count - 1}
          onClick={() => onMove(at + 1)}
        >
          <Icon name="down" />
        </button>
        <button class="btn quiet only sm" type="button" aria-label="Close" onClick={onClose}>
          <Icon name="x" />
        </button>
      </header>
      <div class="body stack s4">
        <PublicationFacts publication={shown} />
        {shown.hidden ? (
          <p class="soft small">Viewers do not see payloads. The role operator does.</p>
        ) : (
          <PayloadView data={shown.data} encoding={shown.encoding} isCut={shown.truncated} />
        )}
        <div class="line tight">
          {shown.truncated && offset > 0 && !isTooLong && (
            <button
              class="btn sm"
              type="button"
              disabled={loaded.isLoading && wantsWhole}
              onClick={() => setWantsWhole(true)}
            >
              {`Load all ${bytes(shown.size)}`}
            </button>
          )}
          {!shown.hidden && !shown.truncated && (
            <ActButton method="Publish" look="sm" onAct={() => setPublishing(true)}>
              Publish again…
            </ActButton>
          )}
        </div>
        {shown.truncated && offset > 0 && isTooLong && (
          <Command
            line={`${commandLine('channels', 'history', name, '--from', String(offset), '--limit', '1')} > payload.json`}
            isWide
          />
        )}
      </div>
      {isPublishing && (
        <PublishDialog
          name={name}
          text={shown.data}
          tags={shown.tags}
          form={FORMS[shown.encoding] ?? 'json'}
          onClose={() => setPublishing(false)}
          onDone={reloadAll}
        />
      )}
    </section>
  );
}

function PublicationFacts({ publication }: { readonly publication: Publication }): JSX.Element {
  const { at, size, encoding, truncated, tags, user, client } = publication;
  const rows: (readonly [string, JSX.Element])[] = [
    ['Published', at === '' ? <span class="mute">not known</span> : <Ago at={at} />],
    [
      'Size',
      <span class="line tight">
        {bytes(size)}
        {encoding !== '' && ` ${encoding}`}
        {truncated && <Badge tone="warn">first 2 kB</Badge>}
      </span>,
    ],
  ];
  if (user !== '' || client !== '') rows.push(['Publisher', <Name text={user === '' ? client : user} />]);
  if (tags.size > 0)
    rows.push(['Tags', <Name text={[...tags].map(([key, value]) => `${key}=${value}`).join(' ')} />]);
  return <Facts rows={rows} isList />;
}
