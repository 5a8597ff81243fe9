import type { Observations, Seen } from '../oracles/observations.ts';
import type { Step } from '../plan/steps.ts';
import type { TimelineEvent, TimelineKind } from '../plan/timeline.ts';

/** What happened in a run, in no order. */
export function timelineOf(
  { published, seen, ends = [], stops = [], losses = [], doubled = [], wipedAtUs = [] }: Observations,
  steps: readonly Step[],
): readonly TimelineEvent[] {
  return [
    ...steps.map(({ atMs, name }) => ({
      atUs: atMs * 1000,
      lane: 'faults',
      text: name,
      kind: 'fault' as const,
    })),
    ...wipedAtUs.map(atUs => ({ atUs, lane: 'node', text: 'was killed', kind: 'ended' as const })),
    ...published.map(({ atUs, channel, epoch, offset }) => ({
      atUs,
      lane: 'store',
      kind: 'publication' as const,
      text: `has ${offset} of ${epoch} in ${channel}`,
    })),
    ...losses.map(({ atUs, channel }) => ({
      atUs,
      lane: 'road',
      text: `lost it, in ${channel}`,
      kind: 'loss' as const,
    })),
    ...doubled.map(({ atUs, channel }) => ({
      atUs,
      lane: 'road',
      text: `brings it twice, in ${channel}`,
      kind: 'loss' as const,
    })),
    ...ends.map(({ atUs, client, channel, code }) => ({
      atUs,
      lane: client,
      kind: 'ended' as const,
      text: `was unsubscribed with ${code} from ${channel}`,
    })),
    ...stops.map(({ atUs, client, code }) => ({
      atUs,
      lane: client,
      text: `was told to stop with ${code}`,
      kind: 'ended' as const,
    })),
    ...seen.map(event => ({
      atUs: event.atUs,
      lane: event.client,
      text: seenText(event),
      kind: kindOf(event),
    })),
  ];
}

function kindOf(event: Seen): TimelineKind {
  if (event.kind === 'publication') return 'publication';
  return event.wasRecovering && !event.recovered ? 'unrecovered' : 'recovered';
}

function seenText(event: Seen): string {
  const { channel, offset } = event;
  if (event.kind === 'publication') return `got ${offset} in ${channel}`;
  const { epoch, recovered, wasRecovering, begunUs, atUs } = event;
  const how = recovered ? 'recovered' : wasRecovering ? 'not recovered' : 'new';
  return `subscribed to ${channel} (${how}) at ${offset}${epoch === '' ? '' : ` of ${epoch}`}, begun ${(atUs - begunUs) / 1000} ms before`;
}
