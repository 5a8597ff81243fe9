import { closeSync, openSync, writeSync } from 'node:fs';
import { defined } from '@msg/foundation/json';
import { digestOf, eventLine } from '../kernel/event-log.ts';
import { Kernel, SimulatorError } from '../kernel/kernel.ts';
import { during, kernelIfRunning } from '../kernel/running.ts';
import { firstOfEach, ORACLES } from '../oracles/all.ts';
import type { DrawnPlan, Plan } from '../plan/plan.ts';
import { assertNothingLeft } from '../platform/guard.ts';
import { codesOf } from '../world/codes.ts';
import type { PreparedWorld } from '../world/contract.ts';
import { WORLDS } from '../world/worlds.ts';
import { EXIT } from './exit.ts';
import type { PlayedRun, PlayRequest } from './request.ts';

/**
 * What a process does that plays. An error that the program under test let escape ends the run; one of the process itself ends
 * the process with its stack.
 */
export async function playing(play: () => Promise<void>): Promise<void> {
  process.on('uncaughtException', error => kernelIfRunning()?.stop(error));
  process.on('unhandledRejection', reason => kernelIfRunning()?.stop(reason));
  try {
    await play();
  } catch (error) {
    writeSync(2, error instanceof Error ? (error.stack ?? error.message) : String(error));
    process.exitCode = EXIT.simulator;
  }
}

/**
 * Plays one seed in this process, which the platform has prepared.
 * @param file gets a line for every event
 */
export async function playSeed(
  {
    world,
    plan = {},
    timeline,
    isPlain = false,
  }: Pick<PlayRequest, 'world' | 'plan' | 'timeline' | 'isPlain'>,
  seed: number,
  file?: string,
): Promise<PlayedRun> {
  const record = file === undefined ? undefined : recorder(file);
  const kernel = new Kernel({
    seed: String(seed),
    ...defined({ record: record?.write }),
    isHashed: !isPlain,
  });
  const begun = process.cpuUsage();
  const prepared = await during(kernel, async () => {
    const made = prepare(world, kernel, plan);
    noteSwitches(kernel, made);
    await kernel.run(planOf(made, plan).endMs);
    return made;
  });
  const { user, system } = process.cpuUsage(begun);
  record?.close();
  assertNothingLeft(kernel);
  const judging = process.cpuUsage();
  const violations = isPlain ? [] : firstOfEach(judged(prepared, plan));
  const ofOracles = process.cpuUsage(judging);
  return {
    seed,
    hash: kernel.log.hash,
    events: kernel.log.count,
    virtualMs: kernel.nowUs / 1000,
    cpuMs: (user + system) / 1000,
    oracleMs: (ofOracles.user + ofOracles.system) / 1000,
    counts: prepared.counts(),
    codes: Object.fromEntries(codesOf(kernel)),
    plan: planOf(prepared, plan),
    ...defined({ timeline: timeline && prepared.timeline?.() }),
    ...outcome(kernel, violations),
  };
}

function prepare(name: string, kernel: Kernel, plan: Plan): PreparedWorld {
  const world = WORLDS.get(name);
  if (world === undefined) throw new SimulatorError(`no world is named ${name}`);
  return world(kernel, plan);
}

/** The choice of the swarm is a part of the hash. */
function noteSwitches({ log }: Kernel, { drawn: { switches } }: PreparedWorld): void {
  if (switches === undefined) return;
  const bytes = Buffer.from(JSON.stringify(switches));
  log.append({ atUs: 0, actor: 'plan', kind: 'switches', length: bytes.length, digest: digestOf(bytes) });
}

function planOf({ endMs, drawn }: PreparedWorld, plan: Plan): DrawnPlan {
  const { switches, steps = [], clients = 0, channels = 0 } = drawn;
  return {
    ...defined({ switches, hours: plan.hours }),
    steps,
    clients: plan.clients ?? [...Array(clients).keys()],
    channels: plan.channels ?? [...Array(channels).keys()],
    endMs: Math.min(endMs, plan.endMs ?? endMs),
  };
}

/** What the oracles found; those of the end say nothing about a run that is cut short. */
function judged(prepared: PreparedWorld, plan: Plan): PlayedRun['violations'] {
  const violations = prepared.violations();
  if (planOf(prepared, plan).endMs === prepared.endMs) return violations;
  const ofTheEnd = new Set(ORACLES.filter(({ judgesTheEnd }) => judgesTheEnd).map(({ id }) => id));
  return violations.filter(({ oracle }) => !ofTheEnd.has(oracle));
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
