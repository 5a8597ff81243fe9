import { measureInTurns, type Pair } from '../comparison.ts';
import { PinnedProcess } from '../pinned.ts';
import { medianOf, printQuantity } from '../report.ts';
import type { MainQuestion, MainSample, ThreadLoad } from '../servers/thread-load.ts';
import { spread } from '../statistics.ts';
import type { CoresSetting } from './setting.ts';

const HOST = new URL('../servers/threads-host.ts', import.meta.url);
const PUBLISHERS = 2;
const UNDER_WAY = 16;
/** Of main, per publication, when each has a turn of its own. */
const MOST_ALONE_US = 25;

const perPublication = ({ mainUs, published }: MainSample): number => mainUs / published;

/** What a publication that no thread is interested in costs main, beside a ring that answers. */
export async function measure({ pairs, sliceMs, serverCpus }: CoresSetting): Promise<void> {
  const host = await PinnedProcess.start(HOST, serverCpus, { args: [String(PUBLISHERS)] });
  const load = (mode: ThreadLoad['mode'], perTurn: number) => (): Promise<MainSample> =>
    host.ask({
      kind: 'load',
      mode,
      perTurn,
      turnsUnderWay: UNDER_WAY,
      everyMs: 0,
      ms: sliceMs,
      publishers: PUBLISHERS,
      interested: 0,
    } satisfies MainQuestion);
  try {
    for (const perTurn of [10, 1]) {
      const measured = await measureInTurns(pairs, load('publish', perTurn), load('ring', perTurn));
      print(measured, perTurn);
    }
  } finally {
    await host.stop();
  }
}

function print(measured: readonly Pair<MainSample>[], perTurn: number): void {
  const how =
    perTurn === 1
      ? `one per turn, ${UNDER_WAY} in flight`
      : `${perTurn} per turn, ${UNDER_WAY} turns in flight`;
  console.log(
    `main: 256 bytes, history 100, no interested thread, published by ${PUBLISHERS} threads, ${how}`,
  );
  printQuantity(
    measured,
    'bare ring',
    {
      name: 'CPU of main per publication, µs',
      of: perPublication,
      digits: 2,
      ...(perTurn === 1 ? {} : { wanted: '≤ 2.5' }),
    },
    'publish',
  );
  const publishes = measured.map(pair => pair.engine);
  const rate = 1e6 / medianOf(publishes, perPublication);
  const wanted = perTurn === 1 ? `wanted ≤ ${MOST_ALONE_US} µs of main; ` : '';
  const bells = (of: (sample: MainSample) => number): string => spread(publishes.map(of), 3);
  console.log(
    `  ${wanted}${rate.toFixed(0)}/s on a core of its own${perTurn === 1 ? '' : ', wanted ≥ 200000'}; ` +
      `bells per publication to main ${bells(({ bellsUp, published }) => bellsUp / published)}, ` +
      `from main ${bells(({ bellsDown, published }) => bellsDown / published)}`,
  );
}
