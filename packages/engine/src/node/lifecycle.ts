import { startBackends, stopBackends } from './backends.ts';
import { Departure } from './departure.ts';
import type { NodeParts } from './parts.ts';

/** How far a node has come, and the steps from its start to its stop; only they change it. */
export class Lifecycle {
  readonly #parts: NodeParts;
  #phase: 'new' | 'running' | 'leaving' | 'draining' | 'stopped' = 'new';

  constructor(parts: NodeParts) {
    this.#parts = parts;
  }

  get running(): boolean {
    return this.#phase === 'running';
  }

  /** True while publishing is safe. */
  get operational(): boolean {
    return this.#phase === 'running' || this.#phase === 'leaving';
  }

  async start(): Promise<void> {
    if (this.#phase !== 'new') throw new Error('a node starts once');
    await startBackends(this.#parts);
    this.#phase = 'running';
  }

  /** Disconnects the clients spread over the window; everything else continues. */
  async leave(windowMs: number): Promise<void> {
    if (this.#phase !== 'running' || windowMs <= 0) return;
    this.#phase = 'leaving';
    await new Departure(this.#parts).spread(windowMs);
  }

  /** Disconnects some clients spread over the window, as long as the node runs; resolves to how many. */
  async shed(count: number, windowMs: number): Promise<number> {
    return new Departure(this.#parts).shed(count, windowMs, () => this.running);
  }

  /** Disconnects the clients, waits for their transports, and stops the backends. */
  async shutdown(graceMs: number): Promise<void> {
    if (this.#phase === 'draining' || this.#phase === 'stopped') return;
    this.#phase = 'draining';
    await new Departure(this.#parts).drain(graceMs);
    await stopBackends(this.#parts);
    this.#phase = 'stopped';
  }
}
