import { withDeadline } from '@msg/foundation/promises';
import { CONNECT_MS, dialSocket, onceOf } from '../dial/socket.ts';
import type { SourceTools } from '../source.ts';
import type { SqlAddress } from './address.ts';
import type { DriverState } from './driver.ts';
import { encrypted } from './encryption.ts';

/** Length and number of a request to cancel; process and key of the backend follow. */
const CANCEL_REQUEST = [16, 80_877_102] as const;

/**
 * Asks a server to end the statement of a backend, over a connection of its own, which is waited for no longer than 3 s. The
 * driver can, too, but nothing catches what fails then.
 */
export async function cancelStatement(
  tools: SourceTools,
  address: SqlAddress,
  { pid, secret }: DriverState,
): Promise<void> {
  const socket = await dialSocket(tools, address.origin, plain => encrypted(plain, address));
  const request = Buffer.alloc(16);
  for (const [index, word] of [...CANCEL_REQUEST, pid, secret].entries())
    request.writeUInt32BE(word, 4 * index);
  socket.end(request);
  socket.resume();
  const closed = onceOf(socket, 'close').catch(() => undefined); // the server says nothing, and closes
  await withDeadline(tools.clock, CONNECT_MS, closed, () => socket.destroy());
}
