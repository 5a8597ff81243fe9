import type { Oracle, Violation } from './observations.ts';
import type { PushAnswer, PushRecord, SinkAttempt } from './push.ts';

export const pushEnds: Oracle = {
  id: 'O43',
  promise:
    'a push message ends as its service answered: sent once, gone and never parked, or parked; a later attempt waits as long as was asked',
  judgesTheEnd: true,
  judge({ push, endUs }) {
    if (push === undefined) return [];
    const violations: Violation[] = push.faults.map(text => violation(endUs, `the push service got ${text}`));
    for (const deliveries of byRow(push.attempts)) {
      for (const attempts of deliveries.values()) violations.push(...afterTheEnd(attempts));
      violations.push(...repeated(push, deliveries));
    }
    for (const attempt of push.attempts) violations.push(...otherThanAnswered(push, attempt));
    return [...violations, ...wronglyParked(push, endUs), ...tooSoon(push)];
  },
};

type Deliveries = ReadonlyMap<number, readonly SinkAttempt[]>;

function violation(atUs: number, text: string): Violation {
  return { oracle: 'O43', atUs, text };
}

/** The attempts of each row, by delivery. */
function byRow(attempts: readonly SinkAttempt[]): Iterable<Deliveries> {
  const rows = Map.groupBy(attempts, ({ row }) => row);
  return [...rows.values()].map(ofRow => Map.groupBy(ofRow, ({ delivery }) => delivery));
}

/** Nothing follows in a delivery that has ended. */
function afterTheEnd(attempts: readonly SinkAttempt[]): Violation[] {
  const end = attempts.findIndex(({ outcome }) => outcome !== 'transient' && outcome !== 'unknown');
  const next = end < 0 ? undefined : attempts[end + 1];
  if (next === undefined) return [];
  return [violation(next.begunUs, `row ${next.row} was tried again after it was ${attempts[end]?.outcome}`)];
}

/** A row that was claimed once is delivered once. */
function repeated({ claims }: PushRecord, deliveries: Deliveries): Violation[] {
  const [, second] = [...deliveries.values()];
  const next = second?.[0];
  if (next === undefined || (claims.get(next.row) ?? 0) > 1) return [];
  return [violation(next.begunUs, `row ${next.row} was claimed once and delivered twice`)];
}

/** What the answers of a push service mean. Source: RFC 8030, messaging details 12.2. */
function meaningOf({ status }: PushAnswer): SinkAttempt['outcome'] {
  if (status < 300) return 'sent';
  if (status === 404 || status === 410) return 'gone';
  return status === 429 || status >= 500 ? 'transient' : 'terminal';
}

function otherThanAnswered({ answers }: PushRecord, attempt: SinkAttempt): Violation[] {
  const { row, begunUs, endedUs, outcome, status } = attempt;
  if (endedUs === undefined || outcome === 'refused') return [];
  const within = answers.filter(
    answer => answer.row === row && answer.atUs >= begunUs && answer.atUs <= endedUs && answer.status > 0,
  );
  const hasEnded = outcome === 'sent' || outcome === 'gone';
  // An attempt that failed without a status heard no answer.
  if (!hasEnded && status === undefined) return [];
  const heard = within.filter(answer => !answer.isLost && (status === undefined || answer.status === status));
  if (heard.some(answer => meaningOf(answer) === outcome)) return [];
  const said = heard.map(answer => answer.status).join(' ') || 'nothing';
  return [violation(endedUs, `row ${row} is ${outcome}, and the push service answered ${said}`)];
}

/** The end of a subscription and a message that was taken are no reasons to keep it. */
function wronglyParked({ letters }: PushRecord, endUs: number): Violation[] {
  return letters
    .filter(({ lastError }) => /returned (?:2\d\d|404|410)\b|has ended/.test(lastError))
    .map(({ row, lastError }) => violation(endUs, `row ${row} is parked: ${lastError}`));
}

/** `Retry-After` of an answer that arrived, in deliveries of rows that have one. */
function tooSoon({ answers, attempts }: PushRecord): Violation[] {
  return answers.flatMap(({ row, retryAfterS, isLost, atUs }) => {
    if (retryAfterS === 0 || isLost) return [];
    const ofRow = attempts.filter(attempt => attempt.row === row);
    const asked = ofRow.findIndex(attempt => attempt.begunUs <= atUs && (attempt.endedUs ?? 0) >= atUs);
    const [before, next] = [ofRow[asked], ofRow[asked + 1]];
    if (asked < 0 || before?.status !== 429 || next?.delivery !== before.delivery) return [];
    if (next.begunUs >= (before.endedUs ?? 0) + retryAfterS * 1_000_000) return [];
    return [
      violation(next.begunUs, `row ${row} was tried again before the ${retryAfterS} s that were asked for`),
    ];
  });
}
