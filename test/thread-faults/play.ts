import { eventually } from '@msg/testkit';
import type { Act } from './acts.ts';
import { Counters } from './counters.ts';
import type { HearerLanguage } from './hearers.ts';
import { Ledger } from './ledger.ts';
import { FaultyService } from './service.ts';
import { stageIsFull } from './stage.ts';
import { Traffic } from './traffic.ts';
import { type ActOutcome, judge } from './verdict.ts';
import { Witness } from './witness.ts';

const CHANNELS = 50;
const CONNECTIONS = 5;
const WAIT_MS = 120_000;

export interface Run {
  readonly threads: number;
  readonly acts: readonly Act[];
  readonly languages: readonly HearerLanguage[];
  readonly perSecond: number;
  /** Afterwards this act is played on every thread in turn, for so long. */
  readonly inTurn?: { readonly act: Act; readonly ms: number } | undefined;
  /** Each outcome as soon as it is there. */
  readonly onOutcome?: (outcome: ActOutcome) => void;
}

/** Plays acts one after the other on one service, while numbers go into 50 channels. */
export async function play(run: Run): Promise<readonly ActOutcome[]> {
  const channels = Array.from({ length: CHANNELS }, (_, n) => `public:faults.c${n}`);
  const listens = await Promise.all(run.languages.map(language => language.prepare()));
  const service = await FaultyService.start(run.threads);
  const stops: (() => void)[] = [];
  let traffic: Traffic | undefined;
  try {
    for (const name of channels) await service.rpc.call('OpenPublic', { name });
    const ledgers = new Map(run.languages.map(({ name }) => [name, new Ledger()]));
    for (const [index, { name }] of run.languages.entries())
      for (const group of groupsOf(channels))
        stops.push(listens[index]?.(service.server.url, group, ledgers.get(name) as Ledger) ?? (() => {}));
    const witnesses = groupsOf(channels).map(([channel = '']) => new Witness(service.server.url, channel));
    stops.push(...witnesses.map(witness => () => witness.stop()));
    const subscribersOf = (index: number): number =>
      run.languages.length + (index % (CHANNELS / CONNECTIONS) === 0 ? 1 : 0);
    const stage = { service, ledgers, witnesses, channels, subscribersOf };
    await eventually('all listen', () => stageIsFull(stage), WAIT_MS);
    const counters = new Counters(service.server.url);
    stops.push(() => counters.stop());
    const flowing = new Traffic(service.server, channels, run.perSecond);
    traffic = flowing;
    const outcomes: ActOutcome[] = [];
    const playOne = async (act: Act, thread?: number): Promise<void> => {
      const outcome = await judge(act, { ...stage, traffic: flowing, counters }, thread);
      outcomes.push(outcome);
      run.onOutcome?.(outcome);
    };
    for (const act of run.acts) await playOne(act);
    const over = Date.now() + (run.inTurn?.ms ?? 0);
    for (let n = 0; run.inTurn !== undefined && Date.now() < over; n++)
      await playOne(run.inTurn.act, 1 + (n % run.threads));
    return outcomes;
  } finally {
    await traffic?.stop();
    for (const stop of stops) stop();
    await service.stop();
  }
}

function groupsOf(channels: readonly string[]): readonly string[][] {
  const size = CHANNELS / CONNECTIONS;
  return Array.from({ length: CONNECTIONS }, (_, n) => channels.slice(n * size, (n + 1) * size));
}
