export { DEAD_LETTER_CONTRACT, type DeadLetterSubject } from './dead-letter-contract.ts';
export { SINK_CONTRACT } from './sink-contract.ts';
export type { SinkCondition, SinkDestination } from './sink-destination.ts';
export type { SinkSubject } from './sink-rig.ts';
