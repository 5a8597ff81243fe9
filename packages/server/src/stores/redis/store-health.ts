import type { Clock } from '@msg/foundation/clock';
import { Periodic } from '../../service/periodic.ts';
import type { SubsystemState, SubsystemStates } from '../contract.ts';

/** From the end of one check to the next. */
const CHECK_MS = 1000;

export interface StoreHealthOptions {
  readonly clock: Clock;
  /** Finds out how the subsystems are now. Never rejects. */
  readonly check: () => Promise<SubsystemStates>;
  /** Called when a subsystem begins to work or ceases to. */
  readonly onChange: (subsystem: string, state: SubsystemState) => void;
}

/**
 * Whether the subsystems of the shared store work. It checks them every second, and a subsystem changes only after two
 * checks in a row agree: a connection that is made anew at once turns nothing red, and a store that answers now and
 * then nothing green.
 */
export class StoreHealth {
  readonly #check: StoreHealthOptions['check'];
  readonly #onChange: StoreHealthOptions['onChange'];
  readonly #periodic: Periodic;
  readonly #states = new Map<string, SubsystemState>();
  /** Subsystems that the last check found otherwise than they stand. */
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

  /** As of the last checks; empty before the first. */
  get states(): SubsystemStates {
    return Object.fromEntries(this.#states);
  }

  /** Checks once, which decides alone, then again and again. */
  async start(): Promise<void> {
    await this.#update();
    this.#periodic.start();
  }

  /** Ends the checks; one that is under way changes nothing any more. */
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
