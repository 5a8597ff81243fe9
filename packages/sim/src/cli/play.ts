// The process of a run, started with `--import` of the platform: plays seeds and prints what they came to as JSON lines.
import { closeSync, openSync, writeSync } from 'node:fs';
import { defined } from '@msg/foundation/json';
import { digestOf, eventLine } from '../kernel/event-log.ts';
import { Kernel, SimulatorError } from '../kernel/kernel.ts';
import { during, kernelIfRunning } from '../kernel/running.ts';
import { ORACLES } from '../oracles/all.ts';
import type { DrawnPlan } from '../plan/plan.ts';
import { assertNothingLeft, installGuard } from '../platform/guard.ts';
import type { PreparedWorld, World } from '../world/contract.ts';
import { WORLDS } from '../world/worlds.ts';
import type { PlayedRun, PlayRequest } from './request.ts';

/** A broken promise may be broken thousands of times. */
const MOST_OF_EACH = 20;
const request = JSON.parse(process.argv[2] ?? '') as PlayRequest; // of run-process.ts
const { plan = {} } = request;
const world = WORLDS.get(request.world) as World; // checked by run-process.ts
if (request.guard) installGuard();

// The program under test let an error escape: the run ends with it.
process.on('uncaughtException', error => kernelIfRunning()?.stop(error));
process.on('unhandledRejection', reason => kernelIfRunning()?.stop(reason));

for (const [i, seed] of request.seeds.entries()) {
  const file = i === request.seeds.length - 1 ? request.record : undefined;
  writeSync(1, `${JSON.stringify(await played(seed, file))}\n`);
}

async function played(seed: number, file: string | undefined): Promise<PlayedRun> {
  const record = file === undefined ? undefined : recorder(file);
  const kernel = new Kernel({ seed: String(seed), ...defined({ record: record?.write }) });
  const begun = process.cpuUsage();
  const prepared = await during(kernel, async () => {
    const made = world(kernel, plan);
    noteSwitches(kernel, made);
    await kernel.run(planOf(made).endMs);
    return made;
  });
  const { user, system } = process.cpuUsage(begun);
  record?.close();
  assertNothingLeft(kernel);
  return {
    seed,
    hash: kernel.log.hash,
    events: kernel.log.count,
    virtualMs: kernel.nowUs / 1000,
    cpuMs: (user + system) / 1000,
    counts: prepared.counts(),
    plan: planOf(prepared),
    ...defined({ timeline: request.timeline && prepared.timeline?.() }),
    ...outcome(kernel, firstOfEach(judged(prepared))),
  };
}

/** The choice of the swarm is a part of the hash. */
function noteSwitches({ log }: Kernel, { drawn: { switches } }: PreparedWorld): void {
  if (switches === undefined) return;
  const bytes = Buffer.from(JSON.stringify(switches));
  log.append({ atUs: 0, actor: 'plan', kind: 'switches', length: bytes.length, digest: digestOf(bytes) });
}

function planOf({ endMs, drawn }: PreparedWorld): DrawnPlan {
  const { switches, steps = [], clients = 0, channels = 0 } = drawn;
  return {
    ...defined({ switches }),
    steps,
    clients: plan.clients ?? [...Array(clients).keys()],
    channels: plan.channels ?? [...Array(channels).keys()],
    endMs: Math.min(endMs, plan.endMs ?? endMs),
  };
}

/** What the oracles found; those of the end say nothing about a run that is cut short. */
function judged(prepared: PreparedWorld): PlayedRun['violations'] {
  const violations = prepared.violations();
  if (planOf(prepared).endMs === prepared.endMs) return violations;
  const ofTheEnd = new Set(ORACLES.filter(({ judgesTheEnd }) => judgesTheEnd).map(({ id }) => id));
  return violations.filter(({ oracle }) => !ofTheEnd.has(oracle));
}

function firstOfEach(violations: PlayedRun['violations']): PlayedRun['violations'] {
  return Object.values(Object.groupBy(violations, ({ oracle }) => oracle)).flatMap((same = []) =>
    same.slice(0, MOST_OF_EACH),
  );
}

/** An error that escaped is a violation, unless it is the simulator's own. */
function outcome(kernel: Kernel, broken: PlayedRun['violations']): Pick<PlayedRun, 'violations' | 'fault'> {
  const { failure, nowUs } = kernel;
  if (failure === undefined) return { violations: broken };
  const text = failure instanceof Error ? (failure.stack ?? failure.message) : String(failure);
  if (failure instanceof SimulatorError) return { violations: broken, fault: text };
  return { violations: [...broken, { oracle: 'O39', atUs: nowUs, text: `an error escaped: ${text}` }] };
}

function recorder(file: string): {
  write: (event: Parameters<typeof eventLine>[0]) => void;
  close: () => void;
} {
  let lines: string[] = [];
  const opened = openSync(file, 'w');
  return {
    write: event => {
      lines.push(eventLine(event));
    },
    close: () => {
      writeSync(opened, lines.join('\n'));
      closeSync(opened);
      lines = [];
    },
  };
}
