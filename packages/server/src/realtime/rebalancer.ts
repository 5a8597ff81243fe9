import type { NodeStats, RealtimeNode } from '@msg/engine';
import type { Clock } from '@msg/foundation/clock';
import type { NodeSurveys, SurveyQuestion } from './node-surveys.ts';
import { byProcess } from './processes.ts';

/** How often a node compares its number of clients with that of the others. */
export const COMPARE_MS = 2000;
/** What a node may have above its share: less is not worth a reconnect. */
const TOLERANCE = 0.05;
const FEWEST = 10;
/** Clients sent elsewhere for each that there was too many, until it is clear that they come back to this node. */
const FUTILE = 4;
/** How long a node then waits. */
const PAUSE_MS = 600_000;

/** What a node tells of itself. */
export interface NodeLoad {
  readonly connections: number;
  /** A balancer gives it new connections. */
  readonly takes: boolean;
}

const LOAD: SurveyQuestion<null, NodeLoad> = { operation: 'msg_load' };

type SheddingNode = Pick<RealtimeNode, 'running' | 'shed'> & { stats(): Pick<NodeStats, 'connections'> };

/** Where a node says that it moves clients. */
interface RebalancerLog {
  info(fields: { readonly clients: number }, message: string): void;
  warn(fields: { readonly clients: number }, message: string): void;
}

export interface RebalancerParts {
  readonly node: () => SheddingNode;
  readonly surveys: Pick<NodeSurveys, 'answer' | 'ask'>;
  /** `/readyz` of this node is green. */
  readonly ready: () => boolean;
  /** Time over which a node sends elsewhere what it has above its share, milliseconds; 0: it sends nothing. */
  readonly windowMs: number;
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly logger: RebalancerLog;
}

/** A time in which a node has too many clients. */
interface Excess {
  /** Above the share at most: others send clients here, too. */
  most: number;
  sent: number;
}

/**
 * How many clients a node with this load has above its share of all, where that is worth moving them. Zero while one of the nodes takes
 * no connections: the shares are about to change.
 */
export function excessOf(load: NodeLoad, all: readonly NodeLoad[]): number {
  if (all.some(({ takes }) => !takes)) return 0;
  const share = all.reduce((sum, { connections }) => sum + connections, 0) / all.length;
  const excess = Math.floor(load.connections - share);
  return load.connections > share * (1 + TOLERANCE) && excess >= FEWEST ? excess : 0;
}

/** The loads of processes, which a balancer sees: that of one with threads is their sum. */
function ofProcesses(answers: ReadonlyMap<string, NodeLoad>): readonly NodeLoad[] {
  return Array.from(byProcess(answers, ([id]) => id).values(), all => ({
    connections: all.reduce((sum, [, { connections }]) => sum + connections, 0),
    takes: all.every(([, { takes }]) => takes),
  }));
}

/**
 * Sends clients elsewhere while this node has more than its share. A restarted node comes back empty, and connections stay
 * where they are: without this the last one of a rolling restart stays empty, and the others do its work.
 */
export class Rebalancer {
  readonly windowMs: number;
  readonly #parts: RebalancerParts;
  #excess: Excess | undefined;
  #pausedUntil = Number.NEGATIVE_INFINITY;

  constructor(parts: RebalancerParts) {
    this.#parts = parts;
    this.windowMs = parts.windowMs;
    parts.surveys.answer(LOAD, () => this.#load());
  }

  /** Compares once, and sends elsewhere what is due until the next time. */
  async compare(): Promise<void> {
    const { node, clock, surveys } = this.#parts;
    const load = this.#load();
    if (!load.takes || clock.monotonic() < this.#pausedUntil) return;
    const { answers, missing } = await surveys.ask(LOAD, null);
    const excess = missing.length > 0 ? 0 : excessOf(load, ofProcesses(answers));
    if (excess === 0) this.#ended();
    else if (!this.#isFutile(excess)) await this.#send(node(), excess);
  }

  #load(): NodeLoad {
    const node = this.#parts.node();
    return { connections: node.stats().connections, takes: node.running && this.#parts.ready() };
  }

  async #send(node: SheddingNode, excess: number): Promise<void> {
    if (this.#excess === undefined) {
      this.#excess = { most: excess, sent: 0 };
      this.#parts.logger.info(
        { clients: excess },
        'more clients than the share of this node: sending them elsewhere',
      );
    }
    const current = this.#excess;
    current.most = Math.max(current.most, excess);
    // Sending takes as long as the pause until the next comparison.
    const steps = Math.max(1, this.windowMs / (2 * COMPARE_MS));
    const due = Math.min(excess, Math.ceil(current.most / steps));
    current.sent += await node.shed(due, Math.min(COMPARE_MS, this.windowMs));
  }

  #ended(): void {
    if (this.#excess !== undefined)
      this.#parts.logger.info({ clients: this.#excess.sent }, 'clients were sent elsewhere');
    this.#excess = undefined;
  }

  /** True when the clients that were sent elsewhere came back: a balancer that is sticky, or weighs the nodes. */
  #isFutile(excess: number): boolean {
    const current = this.#excess;
    if (current === undefined || current.sent < FUTILE * current.most || excess < current.most / 2)
      return false;
    this.#parts.logger.warn(
      { clients: current.sent },
      'clients that were sent elsewhere come back: the balancer is sticky or gives this node more than the others',
    );
    this.#pausedUntil = this.#parts.clock.monotonic() + PAUSE_MS;
    this.#excess = undefined;
    return true;
  }
}
