import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '@msg/testkit';
import type { Act } from './acts.ts';
import type { LanguageCounts } from './ledger.ts';
import { type Stage, stageIsFull } from './stage.ts';

const WAIT_MS = 120_000;
const LOOK_MS = 100;
const BACK_MS = 5000;

/** What one act did. */
export interface ActOutcome {
  readonly act: string;
  readonly thread: number;
  readonly published: number;
  readonly perSecond: number;
  readonly retries: number;
  readonly languages: Readonly<Record<string, LanguageCounts>>;
  /** From the end of the last thread to the last recovery; `undefined`: no thread ended. */
  readonly backMs: number | undefined;
  /** Witnesses whose connection stayed: these were told of all joins and leaves. */
  readonly witnesses: number;
  readonly scrapes: number;
  /** What went wrong, however loaded the machine is. */
  readonly problems: readonly string[];
}

/** Plays an act, on the busiest thread or this one, and says what came of it. */
export async function judge(act: Act, stage: Stage, chosen?: number): Promise<ActOutcome> {
  const { service, traffic, ledgers, counters } = stage;
  const problems: string[] = [];
  const mustCome: MustCome = (what, holds) =>
    eventually(what, holds, WAIT_MS, LOOK_MS).catch(() => void problems.push(`it did not come: ${what}`));
  await mustCome('every thread serves', () => service.isWhole());
  const thread = chosen ?? (await service.busiestThread());
  await Promise.all(stage.witnesses.map(witness => witness.begin()));
  const before = new Map([...ledgers].map(([name, ledger]) => [name, ledger.counts()]));
  const begun = { at: Date.now(), published: traffic.total, retries: traffic.retries, looks: counters.looks };
  const endedAt = await playToItsEnd(act, thread, stage, mustCome);
  await settle(stage, mustCome);
  const published = traffic.total - begun.published;
  const seconds = (Date.now() - begun.at) / 1000;
  const languages = Object.fromEntries(
    [...ledgers].map(([name, ledger]) => [name, ledger.since(before.get(name))]),
  );
  const witnesses = await witnessed(stage, mustCome);
  for (const [name, counts] of Object.entries(languages)) problems.push(...problemsOf(name, counts));
  problems.push(...counters.fallen.splice(0));
  if (service.hasEnded) problems.push('the process ended');
  const recoveries = [...ledgers.values()].flatMap(ledger => ledger.recoveredAfter(begun.at));
  if (endedAt !== undefined && recoveries.length === 0) problems.push('no client was on the thread');
  return {
    act: act.name,
    thread,
    published,
    perSecond: Math.round(published / seconds),
    retries: traffic.retries - begun.retries,
    languages,
    backMs: endedAt === undefined ? undefined : Math.max(0, ...recoveries.map(at => at - endedAt)),
    witnesses,
    scrapes: counters.looks - begun.looks,
    problems,
  };
}

type MustCome = (what: string, holds: () => boolean | Promise<boolean>) => Promise<void>;

/** Plays it until its threads have ended; answers when. */
async function playToItsEnd(act: Act, thread: number, stage: Stage, mustCome: MustCome) {
  const { service, traffic } = stage;
  const ends = service.ends();
  const wanted = act.ends(service.threads);
  await act.play({
    url: service.server.url,
    threads: service.threads,
    traffic,
    thread,
    fail: (number, fault) => service.fail(number, fault),
    kill: signal => service.server.kill(signal),
  });
  if (wanted === 0) {
    await pause(BACK_MS);
    await mustCome('no thread ends', () => service.ends() === ends);
    return undefined;
  }
  await mustCome(`${wanted} threads end`, () => service.ends() - ends === wanted);
  return Date.now();
}

async function settle(stage: Stage, mustCome: MustCome): Promise<void> {
  const { service, traffic, ledgers } = stage;
  await mustCome('every channel has its subscribers and no ghost', () => stageIsFull(stage));
  await mustCome('every thread serves again', () => service.isWhole());
  const sent = traffic.sent();
  await mustCome('all clients have all', () => [...ledgers.values()].every(ledger => ledger.hasAll(sent)));
}

/** Every witness that stayed connected got a leave for each join that ended. Returns how many witnesses there were. */
async function witnessed({ witnesses }: Stage, mustCome: MustCome): Promise<number> {
  let whole = 0;
  for (const witness of witnesses) {
    if (!witness.isWhole) continue;
    whole++;
    await mustCome('joins and leaves explain who is there', () => witness.agrees());
  }
  return whole;
}

function problemsOf(language: string, counts: LanguageCounts): readonly string[] {
  const { heard, lost, doubled, brokenOffsets, refused, ended } = counts;
  const wrong = Object.entries({ lost, doubled, brokenOffsets, refused, ended }).filter(([, n]) => n > 0);
  const problems = wrong.map(([what, n]) => `${language}: ${what} ${n}`);
  return heard > 0 ? problems : [...problems, `${language}: it heard nothing`];
}

/** What took longer than section 11 of the threads allows; on a loaded machine it says little. */
export function lateIn({ backMs, perSecond }: ActOutcome, wanted: number): readonly string[] {
  return [
    ...(backMs !== undefined && backMs > BACK_MS ? [`clients were back after ${backMs} ms`] : []),
    ...(perSecond < wanted ? [`only ${perSecond} publications a second`] : []),
  ];
}

/** An outcome as one line. */
export function lineOf(outcome: ActOutcome): string {
  const { act, thread, published, perSecond, retries, backMs, witnesses, scrapes, languages } = outcome;
  const back = backMs === undefined ? 'no thread ended' : `back ${backMs} ms`;
  const heard = Object.entries(languages).map(
    ([name, c]) =>
      `\n  ${name}: heard ${c.heard}, lost ${c.lost}, doubled ${c.doubled}, offsets broken ${c.brokenOffsets}, recovered ${c.recoveries - c.refused} of ${c.recoveries}`,
  );
  return `${act}, thread ${thread}: ${published} published (${perSecond}/s, ${retries} again), ${back}, ${witnesses} witnesses, ${scrapes} scrapes${heard.join('')}`;
}
