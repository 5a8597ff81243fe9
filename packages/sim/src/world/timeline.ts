import type { Observations, Seen } from '../oracles/observations.ts';
import type { Step } from '../plan/steps.ts';
import type { TimelineEvent } from '../plan/timeline.ts';

/** What happened in a run, in no order. */
export function timelineOf(
  { published, seen, ends = [], stops = [], losses = [], doubled = [], wipedAtUs = [] }: Observations,
  steps: readonly Step[],
): readonly TimelineEvent[] {
  return [
    ...steps.map(({ atMs, name }) => ({ atUs: atMs * 1000, lane: 'faults', text: name })),
    ...wipedAtUs.map(atUs => ({ atUs, lane: 'node', text: 'was killed' })),
    ...published.map(({ atUs, channel, epoch, offset }) => ({
      atUs,
      lane: 'store',
      text: `has ${offset} of ${epoch} in ${channel}`,
    })),
    ...losses.map(({ atUs, channel }) => ({ atUs, lane: 'road', text: `lost it, in ${channel}` })),
    ...doubled.map(({ atUs, channel }) => ({ atUs, lane: 'road', text: `brings it twice, in ${channel}` })),
    ...ends.map(({ atUs, client, channel, code }) => ({
      atUs,
      lane: client,
      text: `was unsubscribed with ${code} from ${channel}`,
    })),
    ...stops.map(({ atUs, client, code }) => ({ atUs, lane: client, text: `was told to stop with ${code}` })),
    ...seen.map(event => ({ atUs: event.atUs, lane: event.client, text: seenText(event) })),
  ];
}

function seenText(event: Seen): string {
  const { channel, offset } = event;
  if (event.kind === 'publication') return `got ${offset} in ${channel}`;
  const { epoch, recovered, wasRecovering, begunUs, atUs } = event;
  const how = recovered ? 'recovered' : wasRecovering ? 'not recovered' : 'new';
  return `subscribed to ${channel} (${how}) at ${offset} of ${epoch}, begun ${(atUs - begunUs) / 1000} ms before`;
}
