import { follow, keyOf, type Standing } from './followed.ts';
import type { Observations, Oracle, Seen, SubscribedEvent, Violation } from './observations.ts';
import { Streams } from './streams.ts';

export const newestValue: Oracle = {
  id: 'O12',
  promise:
    'in cache mode a subscriber gets the newest value at once, if there is one, and then only newer ones',
  judge(observations) {
    if (observations.mode !== 'cache') return [];
    const violations: Violation[] = [];
    const streams = new Streams(observations);
    const next = nextEvents(observations);
    follow(observations, {
      subscribed(event, before) {
        const { channel, epoch, begunUs, atUs } = event;
        if (streams.isForked(channel, epoch, begunUs, atUs)) return;
        const fault = event.recovered
          ? faultOfRecovered(streams, event, before, next.get(event))
          : faultOfUnrecovered(streams, event);
        if (fault !== undefined)
          violations.push({ oracle: 'O12', atUs: event.atUs, text: `${keyOf(event)} ${fault}` });
      },
    });
    return violations;
  },
};

function faultOfRecovered(
  streams: Streams,
  { channel, epoch, begunUs, atUs }: SubscribedEvent,
  before: Standing | undefined,
  next: Seen | undefined,
): string | undefined {
  const top = streams.topAt(channel, epoch, begunUs);
  const hadIt = before?.epoch === epoch && before.offset > 0 && before.offset >= top;
  if (hadIt) return undefined;
  if (!streams.hadValue(channel, epoch, begunUs, atUs)) return `recovered in ${epoch}, which had no value`;
  if (next?.kind !== 'publication') return `got no value of ${epoch}, where ${top} was the newest`;
  return next.offset >= top ? undefined : `got ${next.offset} for the newest value ${top}`;
}

function faultOfUnrecovered(streams: Streams, event: SubscribedEvent): string | undefined {
  const { channel, epoch, begunUs, atUs } = event;
  if (!streams.hasValueThroughout(channel, epoch, begunUs, atUs)) return undefined;
  return `got no value of ${epoch}, which had one all the time`;
}

/** What each client saw next in its channel. */
function nextEvents({ seen }: Observations): ReadonlyMap<Seen, Seen> {
  const last = new Map<string, Seen>();
  const next = new Map<Seen, Seen>();
  for (const event of seen) {
    const before = last.get(keyOf(event));
    if (before !== undefined) next.set(before, event);
    last.set(keyOf(event), event);
  }
  return next;
}
