import { MsgError } from '@msg/core';
import { ASYMMETRIC } from './asymmetric.ts';
import { hs256 } from './hs256.ts';
import type { KeyAlgorithm } from './material.ts';

/** The supported algorithms by name. */
export const ALGORITHMS: ReadonlyMap<string, KeyAlgorithm> = new Map(
  [hs256, ...ASYMMETRIC].map(algorithm => [algorithm.name, algorithm]),
);

/** @throws MsgError MSG_INVALID_ARGUMENT for a name that is not supported. */
export function requireAlgorithm(name: string): KeyAlgorithm {
  const algorithm = ALGORITHMS.get(name);
  if (algorithm !== undefined) return algorithm;
  const names = [...ALGORITHMS.keys()].join(', ');
  throw new MsgError('MSG_INVALID_ARGUMENT', `key algorithm ${name} is not supported; supported: ${names}`);
}
