import type { Publication } from '@msg/protocol';
import { disconnect } from '../errors.ts';

/** @throws Disconnect 3506 when one of the publications has a payload that the connection does not take. */
export function requireReadable(
  { refusesBinary }: { readonly refusesBinary: boolean },
  publications: readonly Publication[],
): void {
  if (refusesBinary && publications.some(({ data }) => data.kind === 'binary')) {
    throw disconnect.inappropriateProtocol();
  }
}
