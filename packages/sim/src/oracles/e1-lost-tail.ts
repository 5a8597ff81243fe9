import { follow, keyOf } from './followed.ts';
import type { Observations, Oracle, Published, Seen } from './observations.ts';

/** A client that has seen what a fail-over lost, and was not told. */
interface Untold {
  readonly client: string;
  readonly channel: string;
  readonly publication: Published;
}

export const lostTailIsTold: Oracle = {
  id: 'E1',
  promise:
    'who has seen what a fail-over lost hears recovered: false, as long as one node that heard it lives and listens',
  judgesTheEnd: true,
  judge(observations) {
    return untold(observations)
      .filter(({ publication }) => isRemembered(observations, publication))
      .map(({ client, channel, publication: { offset, epoch } }) => {
        const text = `${client} in ${channel} was never told that ${offset} of ${epoch} is lost`;
        return { oracle: 'E1', atUs: observations.endUs, text };
      });
  },
};

/** The exception: no node that had heard of the lost publication lives and listens, so none can know of it. */
export function excusedLostTails(observations: Observations): readonly Untold[] {
  return untold(observations).filter(({ publication }) => !isRemembered(observations, publication));
}

function isRemembered({ remembered }: Observations, publication: Published): boolean {
  return remembered?.has(publication) === true;
}

/** Subscribers at the end that saw something lost and were not told since. */
function untold(observations: Observations): readonly Untold[] {
  if ((observations.mode ?? 'stream') !== 'stream') return [];
  const lost = new Map<string, Published>();
  for (const each of observations.published)
    if (each.lostUs !== undefined) lost.set(placeOf(each, each.epoch), each);
  // The same publication may have got the same place again, as when its publisher repeats it: nothing is lost then.
  for (const each of observations.published)
    if (each.lostUs === undefined) lost.delete(placeOf(each, each.epoch));
  if (lost.size === 0) return [];
  const waiting = new Map<string, Published>();
  follow(observations, {
    subscribed(event) {
      if (!event.recovered) waiting.delete(keyOf(event));
    },
    published(event, before) {
      const publication = lost.get(placeOf(event, before?.epoch ?? ''));
      if (publication !== undefined) waiting.set(keyOf(event), publication);
    },
  });
  return observations.rests.flatMap(({ client, channel, isSubscribed }) => {
    const publication = waiting.get(keyOf({ client, channel }));
    return isSubscribed && publication !== undefined ? [{ client, channel, publication }] : [];
  });
}

function placeOf(
  {
    channel,
    offset,
    text,
  }: Pick<Published | Extract<Seen, { kind: 'publication' }>, 'channel' | 'offset' | 'text'>,
  epoch: string,
): string {
  return `${channel} ${epoch} ${offset} ${text}`;
}
