// For the packages of this repository alone: nothing here is promised to programs.
export type * from './store/contract.ts';
export { LEASE_MS } from './store/database-store.ts';
export { Claimer, type ClaimerParts } from './worker/claimer.ts';
export { WorkerFigures } from './worker/figures.ts';
export { Pace } from './worker/pace.ts';
