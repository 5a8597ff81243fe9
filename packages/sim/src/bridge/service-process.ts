import { type ChildProcess, spawn } from 'node:child_process';
import type { Actor } from '../kernel/actor.ts';
import type { Switches } from '../plan/switches.ts';
import { NodeLife } from '../world/standard/losses.ts';
import type { ClockJump, NodeMessage, NodeNote, NodeRequest } from './node-request.ts';
import type { RealKernel } from './real-kernel.ts';
import type { Road } from './road.ts';

/** Plants the bug that the environment names. */
const PLANT = new URL('../platform/plant-only.ts', import.meta.url).pathname;
const MAIN = new URL('./node-main.ts', import.meta.url).pathname;
/** After an end that was not asked for, the process starts again so much later. */
const AGAIN_MS = 1000;
/** What wall clocks of nodes differ from the others. */
const SKEW_MS = 250;
/** What is kept of what a node prints. */
const PRINTED = 4000;

/** What a node is given. */
export interface NodeParts {
  readonly switches: Switches;
  readonly address: string;
  /** A bug that is planted into it; undefined: none. */
  readonly mutant: string | undefined;
  /** Its ways to the servers of the store, by their ports. */
  readonly roads: ReadonlyMap<number, Road>;
}

/** A node of the service: a process that signals end, stop and kill, and that is started again whenever it ends. */
export class ServiceProcess {
  readonly name: string;
  readonly roads: ReadonlyMap<number, Road>;
  /** What each process of it heard. */
  readonly lives: NodeLife[] = [];
  /** Ends that were not asked for, with what was printed. */
  readonly crashes: string[] = [];
  readonly #kernel: RealKernel;
  readonly #actor: Actor;
  readonly #parts: NodeParts;
  #child: ChildProcess | undefined;
  /** Where it listens; undefined: it does not. */
  #port: number | undefined;
  #isStopped = false;

  constructor(kernel: RealKernel, name: string, parts: NodeParts) {
    this.#kernel = kernel;
    this.name = name;
    this.#actor = kernel.actor(name);
    this.#parts = parts;
    this.roads = parts.roads;
  }

  get port(): number | undefined {
    return this.#port;
  }

  /** How often it has started. */
  get starts(): number {
    return this.lives.length;
  }

  start(): void {
    if (this.#isStopped) return;
    const life = new NodeLife();
    this.lives.push(life);
    const skewMs = this.#actor.stream('skew').between(-SKEW_MS, SKEW_MS);
    const { switches, address, roads, mutant } = this.#parts;
    const ports = Object.fromEntries([...roads].map(([port, road]) => [port, road.port]));
    const request: NodeRequest = { switches, address, roads: ports, skewMs };
    const planting = mutant === undefined ? [] : ['--import', PLANT];
    const args = ['--conditions=msg-source', '--disable-warning=ExperimentalWarning', ...planting, MAIN];
    const child = spawn(process.execPath, [...args, JSON.stringify(request)], {
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      env: { ...process.env, MSG_SIM_MUTANT: mutant },
    });
    this.#child = child;
    let printed = '';
    let isUp = false;
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      printed = (printed + text).slice(-PRINTED);
    });
    child.on('message', (message: NodeMessage) => {
      if ('port' in message) {
        isUp = true;
        if (this.#child === child) this.#port = message.port;
      } else for (const note of message.notes) this.#noteIn(life, note);
    });
    child.on('close', (code, signal) => this.#ended(child, life, { code, signal, printed, isUp }));
  }

  /** As `kill -9`; it starts again after a while. */
  kill(afterMs: number): void {
    const child = this.#child;
    if (child === undefined) return;
    this.#child = this.#port = undefined;
    child.kill('SIGKILL');
    this.lives.at(-1)?.ends(this.#kernel.nowUs);
    this.#kernel.after(afterMs, () => this.start());
  }

  /** Stands still for so long. */
  pause(forMs: number): void {
    const child = this.#child;
    child?.kill('SIGSTOP');
    this.#kernel.after(forMs, () => child?.kill('SIGCONT'));
  }

  /** Asks it to drain and end; it starts again soon. No connection leads to it any more. */
  replace(): void {
    if (this.#port === undefined) return;
    this.#port = undefined;
    this.#child?.kill('SIGTERM');
  }

  jump(jumpMs: number): void {
    const jump: ClockJump = { jumpMs };
    if (this.#child?.connected === true) this.#child.send(jump);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    const child = this.#child;
    if (child === undefined) return;
    const gone = new Promise(resolve => child.once('close', resolve));
    child.kill('SIGKILL');
    await gone;
  }

  #ended(child: ChildProcess, life: NodeLife, { code, signal, printed, isUp }: End): void {
    life.ends(this.#kernel.nowUs);
    if (this.#child !== child) return;
    this.#child = this.#port = undefined;
    if (this.#isStopped) return;
    // One that does not come up because its store is away is only started again.
    if (code !== 0 && isUp) this.crashes.push(`${this.name} ended with ${code ?? signal}: ${printed}`);
    this.#kernel.after(AGAIN_MS, () => this.start());
  }

  #noteIn(life: NodeLife, [machineUs, kind, channel, ...heard]: NodeNote): void {
    const atUs = machineUs - this.#kernel.begunUs;
    if (kind === 'listens') life.listens(channel, atUs);
    else if (kind === 'leaves') life.leaves(channel, atUs);
    else {
      const [epoch = '', offset = 0, text = ''] = heard;
      life.heard({ channel, epoch, offset, text }, atUs);
    }
  }
}

interface End {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly printed: string;
  /** It had listened. */
  readonly isUp: boolean;
}
