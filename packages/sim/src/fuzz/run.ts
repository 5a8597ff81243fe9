import { Stream } from '../kernel/stream.ts';
import { compile, type LuaScript } from '../redis/lua/script.ts';
import type { Bytes } from '../redis/reply.ts';
import { playConversation, type Step } from './conversation.ts';
import { Draw } from './draw.ts';
import { drawConversation } from './draw-conversation.ts';
import { drawExpiry } from './draw-expiry.ts';
import { drawScripts } from './draw-scripts.ts';
import { FuzzReport } from './report.ts';
import { type Call, type Compile, type Outcome, playSequence, type RealServer } from './sequence.ts';
import { shortest } from './shrink.ts';
import { commandNames, singleCommand } from './single-commands.ts';

/** How often a difference must come again, for the clock may have moved on in a call. */
const REPEATS = 6;
const CALLS_OF_A_SEQUENCE = 40;

/** Of 100 sequences so many are of each part. */
const PARTS = [
  { name: 'single', percent: 40 },
  { name: 'scripts', percent: 32 },
  { name: 'conversation', percent: 20 },
  { name: 'expiry', percent: 8 },
] as const;

export interface FuzzOptions {
  readonly calls: number;
  readonly seed: number;
  readonly real: RealServer;
}

/** Every sequence sends the scripts anew: each is translated once. */
export function translator(): Compile {
  const scripts = new Map<Bytes, LuaScript>();
  return (source, name) => {
    const script = scripts.get(source) ?? compile(source, name);
    scripts.set(source, script);
    return script;
  };
}

/** Sends drawn calls to a real server and to the simulated one until one reply differs, or enough of them were equal. */
export async function runFuzz({ calls, seed, real }: FuzzOptions): Promise<FuzzReport> {
  const report = new FuzzReport();
  const servers = { real, compile: translator(), report };
  for (let serial = 0; report.calls < calls && report.difference.length === 0; serial++) {
    const stream = new Stream(`${seed}/sequence ${serial}`);
    const part = partOf(stream.below(100));
    const draw = new Draw(stream, stream.pick([0, 5, 20]));
    if (part === 'conversation') await converse(drawConversation(draw), servers);
    else await compare(drawCalls(part, draw), servers);
  }
  return report;
}

interface Servers {
  readonly real: RealServer;
  readonly compile: Compile;
  readonly report: FuzzReport;
}

function partOf(percent: number): (typeof PARTS)[number]['name'] {
  let above = 0;
  for (const { name, percent: share } of PARTS) {
    above += share;
    if (percent < above) return name;
  }
  return 'single';
}

function drawCalls(part: 'single' | 'scripts' | 'expiry', draw: Draw): readonly Call[] {
  if (part === 'expiry') return drawExpiry(draw);
  if (part === 'scripts') return drawScripts(draw);
  const names = commandNames(draw);
  return draw.several(CALLS_OF_A_SEQUENCE, CALLS_OF_A_SEQUENCE, () => {
    const args = singleCommand(draw, names);
    return { name: (args[0] ?? '').toLowerCase(), args };
  });
}

async function compare(calls: readonly Call[], { real, compile, report }: Servers): Promise<void> {
  const outcome = await confirmed(calls, real, compile);
  report.count(calls, outcome.errors);
  const { difference } = outcome;
  if (difference === undefined) return;
  const fails = async (fewer: readonly Call[]): Promise<boolean> =>
    (await confirmed(fewer, real, compile)).difference !== undefined;
  const least = await shortest(calls.slice(0, difference.at + 1), fails);
  const last = (await confirmed(least, real, compile)).difference ?? difference;
  report.difference = [
    ...least
      .slice(0, last.at + 1)
      .map(({ args, waitMs }) => shownCall(args) + (waitMs ? `  (after ${waitMs} ms)` : '')),
    `real server: ${last.real}`,
    `simulated:   ${last.simulated}`,
  ];
}

/** One that may be of the clock counts only when it comes every time. */
async function confirmed(calls: readonly Call[], real: RealServer, compile: Compile): Promise<Outcome> {
  let outcome = await playSequence(calls, real, compile);
  for (let again = 0; again < REPEATS && outcome.difference?.isUncertain === true; again++)
    outcome = await playSequence(calls, real, compile);
  return outcome;
}

/** What a busy machine made late comes again in time. */
async function heardAgain(
  steps: readonly Step[],
  real: RealServer,
  compile: Compile,
): ReturnType<typeof playConversation> {
  let difference = await playConversation(steps, real, compile);
  for (let again = 0; again < 2 && difference !== undefined; again++)
    difference = await playConversation(steps, real, compile);
  return difference;
}

async function converse(steps: readonly Step[], { real, compile, report }: Servers): Promise<void> {
  const difference = await heardAgain(steps, real, compile);
  report.count(
    steps.flatMap(({ commands }) => commands.map(args => ({ name: (args[0] ?? '').toLowerCase(), args }))),
    [],
  );
  if (difference === undefined) return;
  const fails = async (fewer: readonly Step[]): Promise<boolean> =>
    (await heardAgain(fewer, real, compile)) !== undefined;
  const least = await shortest(steps, fails);
  const last = (await heardAgain(least, real, compile)) ?? difference;
  report.difference = [
    ...least.map(({ connection, commands, garbage = '' }) =>
      [
        `connection ${connection}: ${commands.map(shownCall).join('; ')}`,
        ...(garbage === '' ? [] : [JSON.stringify(garbage)]),
      ].join(' '),
    ),
    `real server: ${last.real}`,
    `simulated:   ${last.simulated}`,
  ];
}

/** A source is shown by its beginning. */
function shownCall(args: readonly Bytes[]): string {
  const isSource = (at: number): boolean => at === 1 && args[0] === 'EVAL';
  return args
    .map((text, at) =>
      isSource(at)
        ? `<${text.slice(0, 40).split('\n')[0]}…>`
        : /^[\w:*+.-]+$/.test(text)
          ? text
          : JSON.stringify(text),
    )
    .join(' ');
}
