import type { JSX } from 'preact';
import { addressOf, query } from '../../app/address.ts';
import { Command, Empty, PageHead } from '../../parts/basics.tsx';
import { Answer } from '../../parts/table.tsx';
import { commandLine, visible, whole } from '../../parts/text.ts';
import { useCall } from '../../rpc/use-call.ts';
import { Groups } from './groups.tsx';
import { JobPanel } from './job-panel.tsx';
import { Letters } from './letters.tsx';
import { isGoing } from './letters-of.ts';

/** What sinks gave up, by sink. */
export function DeadLettersPage({ names }: { readonly names: readonly string[] }): JSX.Element {
  const manifest = useCall('Manifest', {});
  const sinks = manifest.data?.payload.sinks;
  const sink = names[0] ?? sinks?.[0];
  return (
    <>
      <PageHead
        title="Dead letters"
        sub="Deliveries that a sink gave up after its last attempt. None leaves this list by itself."
      >
        <Command line={commandLine('dlq', 'groups', sink ?? 'email')} />
      </PageHead>
      <Answer call={manifest}>
        {() =>
          sinks === undefined || sink === undefined ? (
            <section class="panel">
              <Empty title="This service has no sink" line="msg config init">
                A sink delivers a message that no subscriber received, by e-mail, webhook or push. Sinks are
                declared in the configuration. Deliveries that fail for good appear here.
              </Empty>
            </section>
          ) : (
            <div class="stack s5">
              <Sinks sinks={sinks.includes(sink) ? sinks : [...sinks, sink]} current={sink} />
              <OfSink key={sink} sink={sink} />
            </div>
          )
        }
      </Answer>
    </>
  );
}

function Sinks({
  sinks,
  current,
}: {
  readonly sinks: readonly string[];
  readonly current: string;
}): JSX.Element {
  return (
    <nav class="tabs" aria-label="Sink">
      {sinks.map(sink => (
        <SinkTab key={sink} sink={sink} isCurrent={sink === current} />
      ))}
    </nav>
  );
}

function SinkTab({ sink, isCurrent }: { readonly sink: string; readonly isCurrent: boolean }): JSX.Element {
  const { data } = useCall('DlqCount', { sink }, { repeats: true });
  return (
    <a href={addressOf('dead-letters', sink)} aria-current={isCurrent ? 'page' : undefined}>
      {visible(sink)}
      {data !== undefined && <span class="count">{whole(data.count)}</span>}
    </a>
  );
}

function OfSink({ sink }: { readonly sink: string }): JSX.Element {
  const groups = useCall('DlqGroups', { sink }, { repeats: true });
  const jobs = useCall('DlqJobs', {}, { repeats: true });
  const own = jobs.data?.jobs.filter(job => job.sink === sink) ?? [];
  const running = own.find(isGoing);
  const blocked =
    running === undefined
      ? undefined
      : `A redrive of ${sink} is ${running.state === 'queued' ? 'waiting' : 'running'}`;
  const group = query.value.get('group') ?? '';
  const found = groups.data?.groups;
  return (
    <>
      {own[0] !== undefined && <JobPanel key={own[0].id} job={own[0]} blocked={blocked} />}
      <Answer call={groups}>
        {({ groups: all }) =>
          all.length === 0 ? (
            <section class="panel">
              <Empty title="No dead letter" line={commandLine('dlq', 'list', sink)}>
                A delivery appears here when its last attempt fails, with the message, the recipient and the
                error. It stays until it is sent again or discarded.
              </Empty>
            </section>
          ) : (
            <div class="stack s5">
              <Groups sink={sink} groups={all} chosen={group} blocked={blocked} />
              <Letters
                key={group}
                sink={sink}
                group={found?.find(one => one.group === group)}
                asked={group}
                blocked={blocked}
              />
            </div>
          )
        }
      </Answer>
    </>
  );
}
