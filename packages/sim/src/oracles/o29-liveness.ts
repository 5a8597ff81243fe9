import { follow, keyOf, type Standing } from './followed.ts';
import type {
  Observations,
  Oracle,
  PublicationEvent,
  Rest,
  SubscribedEvent,
  Violation,
} from './observations.ts';
import { Streams } from './streams.ts';

export const liveness: Oracle = {
  id: 'O29',
  promise:
    '120 s after the last fault every client that wants to be is subscribed and at the top, and every node hears',
  judgesTheEnd: true,
  judge(observations) {
    const { endUs, rests, mode } = observations;
    const standings = follow(observations, {});
    const lag = mode === 'off' ? missedLive(observations) : behindTop(observations);
    const ofClients = rests.flatMap(rest => {
      if (hasStopped(rest)) return [];
      const key = keyOf(rest);
      const standing = standings.get(key);
      if (!rest.isSubscribed || standing === undefined)
        return [{ oracle: 'O29', atUs: endUs, text: `${key} is not subscribed` }];
      const text = lag(rest, standing);
      return text === undefined ? [] : [{ oracle: 'O29', atUs: endUs, text: `${key} ${text}` }];
    });
    return [...ofClients, ...unheard(observations)];
  },
};

/** What a node that listens did not hear although the store and all ways to it had long been whole. */
function unheard({ losses = [], hearsFromUs = Number.POSITIVE_INFINITY }: Observations): Violation[] {
  return losses
    .filter(({ atUs }) => atUs >= hearsFromUs)
    .map(({ atUs, channel }) => ({ oracle: 'O29', atUs, text: `a node did not hear ${channel}` }));
}

/** How long a service waits for the connect of an open socket (client protocol 5.2). */
const STALE_US = 15_000_000;

/**
 * The exception: a client that is held back for so long between its open socket and its connect is told 3502, which is
 * final. Told earlier, it should have come back.
 */
function hasStopped({ staleAfterUs }: Rest): boolean {
  return staleAfterUs !== undefined && staleAfterUs >= STALE_US;
}

/** What a subscriber lacks at the end; undefined: nothing. */
type Lag = (rest: Rest, standing: Standing) => string | undefined;

function behindTop(observations: Observations): Lag {
  const { endUs } = observations;
  const streams = new Streams(observations);
  return ({ channel }, standing) => {
    const epoch = streams.epochAt(channel, endUs);
    const isAtTop =
      epoch === undefined
        ? standing.offset === 0
        : standing.epoch === epoch && hasTop(streams, channel, standing, endUs);
    return isAtTop ? undefined : `is at ${standing.offset}, behind the top of ${epoch}`;
  };
}

/** A client has the newest publication; also if a filter excludes all that it lacks. */
function hasTop(streams: Streams, channel: string, { epoch, offset }: Standing, endUs: number): boolean {
  const top = streams.topAt(channel, epoch, endUs);
  return offset === top || (offset < top && streams.areExcluded(channel, epoch, offset, top + 1));
}

/** Without recovery: what was published and not lost since the last subscribe has arrived. */
function missedLive({ seen, published, losses = [], isExcluded }: Observations): Lag {
  const lost = new Set(losses.map(({ channel, atUs }) => `${channel} ${atUs}`));
  const since = new Map<string, SubscribedEvent>();
  const got = new Map<string, Set<string>>();
  for (const event of seen) {
    const key = keyOf(event);
    if (event.kind === 'subscribed') {
      since.set(key, event);
      got.set(key, new Set());
    } else got.get(key)?.add((event satisfies PublicationEvent).text);
  }
  return rest => {
    const key = keyOf(rest);
    const begunUs = since.get(key)?.atUs ?? 0;
    const missed = published.find(
      ({ channel, atUs, text }) =>
        channel === rest.channel &&
        atUs > begunUs &&
        isExcluded?.(text) !== true &&
        !lost.has(`${channel} ${atUs}`) &&
        got.get(key)?.has(text) !== true,
    );
    return missed === undefined ? undefined : `missed ${missed.text}, published at ${missed.atUs / 1000} ms`;
  };
}
