import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { SignJWT } from 'jose';
import { SECRET } from '../harness/tokens.ts';
import { CutProxy } from './cut-proxy.ts';
import type { Program } from './language.ts';
import { type Encoding, STEPS, type StepName, USER } from './steps.ts';

/** What became of one release over one encoding. */
export interface SessionResult {
  readonly passed: readonly StepName[];
  /** Why the next step did not pass; empty when all did. */
  readonly failure: string;
}

/** A program that says nothing for so long has failed. */
const PATIENCE_MS = 60_000;
const ERRORS_SHOWN = 2000;

let channels = 0;

/** Runs a client's program against the server on a port, from connect to recovery. */
export async function runSession(program: Program, encoding: Encoding, port: number): Promise<SessionResult> {
  channels++;
  const channel = `session-${channels}`;
  const proxy = await CutProxy.start(port);
  try {
    return await runProgram(
      program,
      [
        `ws://127.0.0.1:${proxy.port}/connection/websocket`,
        encoding,
        channel,
        await token({ sub: USER }),
        await token({ sub: USER, channel }),
      ],
      {
        subscribe: () => publish(port, channel, 1),
        presence: async () => {
          proxy.cut();
          await publish(port, channel, 3);
          await publish(port, channel, 4);
          proxy.mend();
          await publish(port, channel, 5);
        },
      },
    );
  } finally {
    await proxy.stop();
  }
}

/** What the server does once a step has passed. */
type Reactions = Readonly<Partial<Record<StepName, () => Promise<void>>>>;

async function runProgram(
  { command, args, env = {} }: Program,
  session: readonly string[],
  reactions: Reactions,
): Promise<SessionResult> {
  const child = spawn(command, [...args, ...session], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'close');
  ended.catch(() => {}); // reported by `error` below
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => {
    errors = (errors + chunk.toString()).slice(-ERRORS_SHOWN);
  });
  child.once('error', error => {
    errors = String(error);
  });
  const timeout = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS);
  const passed: StepName[] = [];
  let failure = '';
  for await (const line of createInterface(child.stdout)) {
    const step = STEPS[passed.length];
    const printed = line.trim();
    if (step === undefined) failure = `printed after the last step: ${printed}`;
    else if (printed !== `${step.name} ${step.expected}`.trim()) failure = unexpected(step, printed);
    if (step === undefined || failure !== '') break;
    passed.push(step.name);
    timeout.refresh();
    await reactions[step.name]?.();
  }
  if (failure !== '') child.kill('SIGKILL');
  const [status, signal] = (await ended.catch(() => [undefined, undefined])) as [number?, string?];
  clearTimeout(timeout);
  if (failure !== '') return { passed, failure };
  const missing = STEPS[passed.length];
  if (missing === undefined && status === 0) return { passed, failure };
  const end = signal === 'SIGKILL' ? 'did not go on' : `ended with ${status ?? signal}`;
  return { passed, failure: `${missing?.title ?? 'the end'}: the program ${end}\n${errors}`.trimEnd() };
}

function unexpected({ name, title, expected }: (typeof STEPS)[number], printed: string): string {
  return `${title}: expected "${`${name} ${expected}`.trim()}"; got "${printed}"`;
}

async function publish(port: number, channel: string, n: number): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${port}/api/publish`, {
    method: 'POST',
    body: JSON.stringify({ channel, data: { n } }),
  });
  if (!response.ok) throw new Error(`the harness answered ${response.status} to a publish`);
  await response.arrayBuffer();
}

function token(claims: Readonly<Record<string, string>>): Promise<string> {
  return new SignJWT(claims).setProtectedHeader({ alg: 'HS256', typ: 'JWT' }).setIssuedAt().sign(SECRET);
}
