/** One part of the service that can fail. */
export interface SubsystemState {
  readonly ok: boolean;
  /** The problem, for the operator. */
  readonly detail?: string;
}

/** The parts that can fail, by name. */
export type SubsystemStates = Readonly<Record<string, SubsystemState>>;
