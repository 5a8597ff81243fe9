import type { RpcResponse } from '@msg/core';
import type { JSX } from 'preact';
import { addressOf } from '../app/address.ts';
import { refusalOf } from '../app/session.ts';
import { Command, Empty, Facts, Name, PageHead, State } from '../parts/basics.tsx';
import { type Attempts, attemptsOf, SinkState } from '../parts/sink-attempts.tsx';
import { Answer } from '../parts/table.tsx';
import { counted, visible, whole } from '../parts/text.ts';
import { Ago } from '../parts/time.tsx';
import { useCall } from '../rpc/use-call.ts';

type Group = RpcResponse<'DlqGroups'>['groups'][number];

/** What the configuration says of a sink, for those who may read it. */
interface Declared {
  readonly kind: string;
  readonly destination: string;
}

/** The host of a URL; another text is returned as it is. */
function hostOf(text: string): string {
  return URL.canParse(text) ? new URL(text).host || text : text;
}

function declaredOf(settings: RpcResponse<'Config'>['settings'] | undefined): ReadonlyMap<string, Declared> {
  const value = settings?.find(({ key }) => key === 'sinks')?.value as
    | Readonly<Record<string, Readonly<Record<string, unknown>>>>
    | null
    | undefined;
  return new Map(
    Object.entries(value ?? {}).map(([name, entry]) => {
      const place = ['url', 'smtp_addr', 'addr', 'host']
        .map(key => entry[key])
        .find(found => typeof found === 'string');
      return [
        name,
        { kind: String(entry['kind'] ?? ''), destination: place === undefined ? '' : hostOf(String(place)) },
      ];
    }),
  );
}

/** The destinations of messages that no live subscriber received. */
export function SinksPage(): JSX.Element {
  const manifest = useCall('Manifest', {}, { repeats: true });
  const mayRead = refusalOf('Config') === undefined;
  const config = useCall('Config', {}, { skip: !mayRead });
  const declared = declaredOf(config.data?.settings);
  const nodes = useCall('ListNodes', {}, { repeats: true });
  return (
    <>
      <PageHead title="Sinks" sub="Deliveries for messages that no subscriber received.">
        <Command line="msg manifest" />
      </PageHead>
      <Answer call={manifest}>
        {({ payload: { sinks, sink_retry: retry } }) =>
          sinks.length === 0 ? (
            <section class="panel">
              <Empty title="This service has no sink" line="msg config init">
                Sinks are declared in the configuration: email, webhook, slack, or one of an embedding
                program. PublishOrSink names the sink for a message without subscribers.
              </Empty>
            </section>
          ) : (
            <div class="stack s5">
              <Facts
                rows={[
                  ['Attempts at most', whole(retry.max_attempts)],
                  ['First delay', retry.base_backoff],
                  ['Longest delay', retry.max_backoff],
                  ['Jitter', `${Math.round(retry.jitter_fraction * 100)} %`],
                ]}
              />
              <div class="cols">
                {sinks.map(sink => (
                  <Sink
                    key={sink}
                    sink={sink}
                    declared={declared.get(sink)}
                    mayRead={mayRead}
                    attempts={nodes.data && attemptsOf(nodes.data.nodes, sink)}
                  />
                ))}
              </div>
            </div>
          )
        }
      </Answer>
    </>
  );
}

function Sink({
  sink,
  declared,
  mayRead,
  attempts,
}: {
  readonly sink: string;
  readonly declared: Declared | undefined;
  readonly mayRead: boolean;
  readonly attempts: Attempts | undefined;
}): JSX.Element {
  const groups = useCall('DlqGroups', { sink }, { repeats: true });
  return (
    <section class="panel c6" aria-label={`Sink ${visible(sink)}`}>
      <header>
        <h2 class="mono wrap">{visible(sink)}</h2>
        <a class="small" href={addressOf('dead-letters', sink)}>
          Dead letters
        </a>
      </header>
      <Answer call={groups}>
        {({ groups: all }) => (
          <div class="inner stack s4">
            <Facts
              isList
              rows={[
                [
                  'Kind',
                  declared === undefined
                    ? mayRead
                      ? 'of the embedding program'
                      : 'shown to the role admin'
                    : declared.kind,
                ],
                ...(declared === undefined || declared.destination === ''
                  ? []
                  : [['Destination', <Destination text={declared.destination} />] as const]),
                ...(attempts === undefined ? [] : attemptRows(attempts)),
                ['Parked', <Parked groups={all} />],
              ]}
            />
            {all.length > 0 && <LastErrors groups={all} />}
          </div>
        )}
      </Answer>
    </section>
  );
}

function attemptRows(of: Attempts): readonly (readonly [string, JSX.Element | string])[] {
  return [
    ['Last minute', <SinkState of={of} />],
    ['Sent', `${whole(of.success)}, ${whole(of.recentSuccess)} in the last minute`],
    ['Failed', `${counted(of.failure, 'attempt')}, ${whole(of.recentFailure)} in the last minute`],
  ];
}

/** The address of a webhook may hold a secret, so the service does not tell it. */
function Destination({ text }: { readonly text: string }): JSX.Element {
  return text === '[redacted]' ? <span class="mute">kept secret</span> : <Name text={text} />;
}

function Parked({ groups }: { readonly groups: readonly Group[] }): JSX.Element {
  const count = groups.reduce((sum, group) => sum + group.count, 0);
  return count === 0 ? (
    <State tone="ok">Nothing</State>
  ) : (
    <State tone="warn">{counted(count, 'dead letter')}</State>
  );
}

function LastErrors({ groups }: { readonly groups: readonly Group[] }): JSX.Element {
  const newest = groups.toSorted((a, b) => Date.parse(b.newest) - Date.parse(a.newest)).slice(0, 3);
  return (
    <div class="stack s3">
      <h3 class="small">Last errors</h3>
      <ul class="plain">
        {newest.map(({ group, sample, count, newest: at }) => (
          <li key={group} class="line tight">
            <span class="mono tiny wrap">{visible(sample)}</span>
            <span class="mute small">
              {`${whole(count)}, `}
              <Ago at={at} />
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}
