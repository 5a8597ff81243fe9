import type { CompanyRecord, Look, Stay } from './company.ts';
import type { Oracle } from './observations.ts';

export const presenceIsTrue: Oracle = {
  id: 'O23',
  promise:
    'presence and its counts name the live subscriptions after 60 s and a tick of calm, at once where no node was killed',
  judge({ company }) {
    return (company?.looks ?? []).flatMap(look => {
      const text = faultOf(look, company?.stays ?? [], company?.lingersUs ?? 0);
      if (text === undefined) return [];
      return [{ oracle: 'O23', atUs: look.atUs, text: `${look.client} in ${look.channel} ${text}` }];
    });
  },
};

function faultOf(
  { channel, askedUs, atUs, present, count }: Look,
  stays: readonly Stay[],
  lingersUs: CompanyRecord['lingersUs'],
): string | undefined {
  if (present === undefined) return 'was not answered who is there';
  const ofChannel = stays.filter(stay => stay.channel === channel);
  const missing = ofChannel.find(
    ({ connection, fromUs, untilUs }) =>
      fromUs <= askedUs && untilUs >= atUs && !present.includes(connection),
  );
  if (missing !== undefined) return `was not told of ${missing.client}`;
  const gone = present.find(
    id =>
      !ofChannel.some(
        ({ connection, fromUs, untilUs }) =>
          connection === id && fromUs <= atUs && untilUs >= askedUs - lingersUs,
      ),
  );
  if (gone !== undefined) return `was told of ${gone}, which is not there`;
  return count === present.length ? undefined : `was told of ${present.length} and counted ${count}`;
}
