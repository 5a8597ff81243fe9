import { codecCases } from '../codec-cases.ts';
import type { Operation } from './operation.ts';

/** Encoding and decoding, case by case. */
export function operations(): readonly Operation[] {
  return codecCases().map(({ name, ours }) => ({ name, clock: 'cpu' as const, run: ours }));
}
