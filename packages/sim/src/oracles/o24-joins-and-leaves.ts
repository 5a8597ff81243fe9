import type { CompanyRecord, Notice, Stay } from './company.ts';
import type { Observations, Oracle } from './observations.ts';

export const joinsAndLeaves: Oracle = {
  id: 'O24',
  promise: 'to a subscriber each join comes before its leave, and none comes without a cause',
  judgesTheEnd: true,
  judge({ company, endUs }) {
    if (company === undefined) return [];
    const causeless = company.notices.flatMap(notice => {
      const text = withoutCause(notice, company.stays);
      return text === undefined ? [] : [{ oracle: 'O24', atUs: notice.atUs, text: shown(notice, text) }];
    });
    if (!company.isToldAll) return causeless;
    return [...causeless, ...outOfTurn(company), ...untrueAtTheEnd(company, endUs)];
  },
};

/** Client and service may differ for so long about whether a connection lives. */
const DOUBT_US = 60_000_000;

/** A leave of one who was there long before and long after. */
function withoutCause(
  { kind, connection, channel, atUs }: Notice,
  stays: readonly Stay[],
): string | undefined {
  const staysOfIt = stays.filter(stay => stay.connection === connection && stay.channel === channel);
  const goesOn = staysOfIt.some(
    ({ fromUs, untilUs }) => fromUs < atUs - DOUBT_US && untilUs > atUs + DOUBT_US,
  );
  return kind === 'leave' && goesOn ? 'which goes on' : undefined;
}

/** Joins and leaves of one connection take turns as long as a client is subscribed. */
function outOfTurn({ stays, notices }: CompanyRecord): ReturnType<Oracle['judge']> {
  return stays.flatMap(stay => {
    const last = new Map<string, Notice['kind']>();
    return heardIn(stay, notices).flatMap(notice => {
      const isAgain = last.get(notice.connection) === notice.kind;
      last.set(notice.connection, notice.kind);
      return isAgain ? [{ oracle: 'O24', atUs: notice.atUs, text: shown(notice, 'once more') }] : [];
    });
  });
}

/** What a client was told last of each connection is so at the end, and it was told of itself. */
function untrueAtTheEnd({ stays, notices }: CompanyRecord, endUs: Observations['endUs']) {
  const open = stays.filter(({ untilUs }) => untilUs === Number.POSITIVE_INFINITY);
  return open.flatMap(stay => {
    const last = new Map(heardIn(stay, notices).map(notice => [notice.connection, notice] as const));
    const untrue = [...last.values()].find(({ kind, connection, channel }) => {
      const isThere = open.some(other => other.connection === connection && other.channel === channel);
      return isThere !== (kind === 'join');
    });
    if (untrue !== undefined) return [{ oracle: 'O24', atUs: endUs, text: shown(untrue, 'which is not so') }];
    if (last.has(stay.connection)) return [];
    return [{ oracle: 'O24', atUs: endUs, text: `${stay.client} in ${stay.channel} was not told of itself` }];
  });
}

function heardIn({ client, channel, fromUs, untilUs }: Stay, notices: readonly Notice[]): readonly Notice[] {
  return notices.filter(
    notice =>
      notice.client === client &&
      notice.channel === channel &&
      notice.atUs >= fromUs &&
      notice.atUs <= untilUs,
  );
}

function shown({ client, channel, kind, connection }: Notice, what: string): string {
  return `${client} in ${channel} was told of the ${kind} of ${connection}, ${what}`;
}
