import type { CompanyRecord, Look, Notice, Stay } from '../../src/oracles/company.ts';
import type { Observations } from '../../src/oracles/observations.ts';

const channel = 'public:sim.c0';
const SECOND = 1_000_000;

function stay(client: string, connection: string, fromS: number, untilS: number): Stay {
  return { client, connection, channel, fromUs: fromS * SECOND, untilUs: untilS * SECOND };
}

/** The subscription of ann, over the connection `a`. */
export function annOf(fromS: number, untilS = Number.POSITIVE_INFINITY): Stay {
  return stay('ann', 'a', fromS, untilS);
}

/** The subscription of bob, over the connection `b`. */
export function bobOf(fromS: number, untilS = Number.POSITIVE_INFINITY): Stay {
  return stay('bob', 'b', fromS, untilS);
}

/** Ann asks after ten seconds who is there, and is answered at once. */
export function looked(present: Look['present'], count = present?.length): Look {
  return { client: 'ann', channel, askedUs: 10 * SECOND, atUs: 10 * SECOND + 1000, present, count };
}

/** What ann is told of a connection. */
export function told(kind: Notice['kind'], connection: string, atS = 5): Notice {
  return { client: 'ann', channel, atUs: atS * SECOND, kind, connection };
}

/** Bob is told of himself. */
const ofBob: Notice = { ...told('join', 'b'), client: 'bob' };

/** Two who are there from the beginning to the end; an entry may linger for two seconds. `notices`: what ann is told. */
export function inCompany(
  { notices = [], ...change }: Partial<CompanyRecord>,
  isToldAll = notices.length > 0,
): Pick<Observations, 'company'> {
  const stays = [annOf(0), bobOf(0)];
  const told = { notices: [...notices, ofBob], isToldAll };
  return { company: { stays, looks: [], lingersUs: 2 * SECOND, ...told, ...change } };
}
