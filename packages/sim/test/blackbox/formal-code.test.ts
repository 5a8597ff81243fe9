import { describe, expect, it } from 'vitest';
import { FORMAL_MUTANTS } from '../../src/formal/mutants.ts';
import { recordInProcess, replayInProcess } from '../../src/formal/processes.ts';
import { accepts, traces } from '../../src/formal/quint.ts';
import { moduleOf } from '../../src/formal/record.ts';
import type { Trace } from '../../src/formal/trace.ts';

const SEED = Number(process.env['MSG_SEED'] ?? 1);
const STEPS = 40;
/** What shows a planted bug is drawn from one seed for ever: the rarest shows in one run of twenty. */
const SHOWS = { seed: 1, steps: STEPS };
/** Bugs that the code has the rule for. */
const IN_CODE = FORMAL_MUTANTS.filter(({ code }) => code !== undefined).map(({ name }) => name);
/** Those that random runs of the code show: none of 40 has a check that finds a fail-over, and somebody who was at the top. */
const SHOWN = IN_CODE.filter(name => name !== 'rewound-stream-keeps-its-epoch');
/** Longest time of a case: Quint's processes share the machine with others. */
const LONG = 600_000;

describe('traces of the model, replayed in the code', () => {
  const fromModel = traces({ ...SHOWS, samples: 100 });

  it(
    'lead to the same states, step by step',
    () => {
      const drawn = SEED === SHOWS.seed ? fromModel : traces({ samples: 100, steps: STEPS, seed: SEED });
      expect(drawn).toHaveLength(100);
      expect(replayInProcess(drawn)).toBeNull();
    },
    LONG,
  );

  it(
    'are refused at the step whose state is not what the model says',
    () => {
      const trace = fromModel.findIndex(({ steps }) => steps.some(isLive));
      const step = fromModel[trace]?.steps.findIndex(isLive) ?? -1;
      const changed = fromModel.map((kept, i) => (i === trace ? withAnotherReply(kept, step) : kept));
      expect(replayInProcess(changed)).toMatchObject({ trace, step: step + 1 });
    },
    LONG,
  );

  it.each(IN_CODE)(
    'lead elsewhere with the bug in the code: %s',
    name => {
      expect(replayInProcess(fromModel, name)).not.toBeNull();
    },
    LONG,
  );
});

describe('runs of the code', () => {
  it(
    'are taken by the model, step by step',
    () => {
      const { passed, output } = accepts(moduleOf(recordInProcess({ seed: SEED, count: 8, steps: STEPS })));
      expect(output).toContain('8 passing');
      expect(passed).toBe(true);
    },
    LONG,
  );

  it(
    'are refused by the model at the step where a planted bug shows, each of the bugs',
    () => {
      const runs = { ...SHOWS, count: 40 };
      const sound = recordInProcess(runs);
      const cut = SHOWN.map(name => upToTheDifference(recordInProcess(runs, name), sound));
      const before = cut.map(({ first, steps }) => ({ first, steps: steps.slice(0, -1) }));
      const { output } = accepts(moduleOf([...before, ...cut]));
      expect(output).toContain(`${SHOWN.length} passing`);
      expect(output).toContain(`${SHOWN.length} failed`);
    },
    LONG,
  );
});

function isLive({ state }: Trace['steps'][number]): boolean {
  return state.clients.some(({ phase }) => phase === 'live');
}

/** The trace, but after this step the last replies of the clients were others. */
function withAnotherReply({ first, steps }: Trace, at: number): Trace {
  const changed = steps.map(({ action, state }, i) => {
    const clients = state.clients.map(client => ({ ...client, recovered: !client.recovered }));
    return { action, state: i === at ? { ...state, clients } : state };
  });
  return { first, steps: changed };
}

/** The first run that went elsewhere than the sound code did, up to the step after which it was there. */
function upToTheDifference(withBug: readonly Trace[], sound: readonly Trace[]): Trace {
  for (const [i, { first, steps }] of withBug.entries()) {
    const at = steps.findIndex((step, k) => JSON.stringify(step) !== JSON.stringify(sound[i]?.steps[k]));
    if (at >= 0) return { first, steps: steps.slice(0, at + 1) };
  }
  throw new Error('the bug shows in none of the runs');
}
