/**
 * One piece of work of a subject. A subject is a module that exports `operations`; `bench -- against` runs the subjects of
 * two checkouts in turns, so that names and units stay when the code behind them changes.
 */
export interface Operation {
  readonly name: string;
  /** `cpu` of the process; `wall` for work that other processes or timers do. */
  readonly clock: 'cpu' | 'wall';
  /** Calls under way at the same time; default 1. */
  readonly concurrency?: number;
  /** Does the work once. */
  run(): unknown;
}

/** What a subject needs from outside. */
export interface SubjectEnvironment {
  /** `host:port` of a Redis server, for subjects that need one. */
  readonly redis: string;
}
