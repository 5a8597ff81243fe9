import type { Clock } from '@msg/foundation/clock';
import { Periodic } from '../../timers/periodic.ts';
import type { SubsystemState, SubsystemStates } from '../subsystem-state.ts';

/** From the end of one check to the next. */
const CHECK_MS = 1000;

export interface StoreHealthOptions {
  readonly clock: Clock;
  /** Checks the subsystems. Never rejects. */
  readonly check: () => Promise<SubsystemStates>;
  /** Called when a subsystem starts or stops working. */
  readonly onChange: (subsystem: string, state: SubsystemState) => void;
}

/**
 * The state of the shared store's subsystems. It checks them every second, and a state changes only after two equal
 * checks in a row: an immediate reconnect is not reported as a failure, nor a single answer of a failing store as a
 * recovery.
 */
export class StoreHealth {
  readonly #check: StoreHealthOptions['check'];
  readonly #onChange: StoreHealthOptions['onChange'];
  readonly #periodic: Periodic;
  readonly #states = new Map<string, SubsystemState>();
  /** Subsystems whose last check differs from their state. */
  readonly #doubted = new Set<string>();

  constructor({ clock, check, onChange }: StoreHealthOptions) {
    this.#check = check;
    this.#onChange = onChange;
    this.#periodic = new Periodic(
      clock,
      CHECK_MS,
      () => this.#update(),
      () => {},
    );
  }

  /** The states after the last checks; empty before the first. */
  get states(): SubsystemStates {
    return Object.fromEntries(this.#states);
  }

  /** Checks once, which sets the states, then periodically. */
  async start(): Promise<void> {
    await this.#update();
    this.#periodic.start();
  }

  /** Ends the checks; a running one changes nothing. */
  stop(): Promise<void> {
    return this.#periodic.stop();
  }

  async #update(): Promise<void> {
    const states = await this.#check();
    for (const [name, state] of Object.entries(states)) this.#observe(name, state);
  }

  #observe(name: string, state: SubsystemState): void {
    const current = this.#states.get(name);
    const differs = current !== undefined && current.ok !== state.ok;
    if (differs && !this.#doubted.has(name)) {
      this.#doubted.add(name);
      return;
    }
    this.#doubted.delete(name);
    this.#states.set(name, state);
    if (differs) this.#onChange(name, state);
  }
}
