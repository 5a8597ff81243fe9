/** Loaded when something has failed: the first page does without the texts. */
export { CODE_ADVICE } from '@msg/core/advice';
