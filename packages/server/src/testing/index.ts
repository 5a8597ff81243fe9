export { DEAD_LETTER_CONTRACT, type DeadLetterSubject } from './dead-letter-contract.ts';
