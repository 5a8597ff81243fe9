export { assertClock, type Clock, systemClock, type TimerHandle } from './clock.ts';
export { type Random, systemRandom } from './random.ts';
