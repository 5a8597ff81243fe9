import type { Publication } from '@msg/protocol';
import { disconnect } from '../errors.ts';

/** @throws Disconnect 3506 when a payload of the publications cannot be sent on the connection. */
export function requireReadable(
  { refusesBinary }: { readonly refusesBinary: boolean },
  publications: readonly Publication[],
): void {
  if (refusesBinary && publications.some(({ data }) => data.kind === 'binary')) {
    throw disconnect.inappropriateProtocol();
  }
}
