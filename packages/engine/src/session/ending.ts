import { type Disconnect, disconnect } from '../errors.ts';
import { type TimerWheel, WheelTimer } from '../timers/timer-wheel.ts';
import type { Transport } from '../transports/contract.ts';
import { pushMessage } from './messages.ts';
import type { WriteQueue } from './write-queue.ts';

/** How long queued bytes may go on leaving after the end, milliseconds. */
const FINISH_MS = 5000;

/** The node stops. */
export const SHUTDOWN = disconnect.shutdown();

/** Closes the transport behind what is queued, once that has left. */
export function finish(
  transport: Transport,
  writeQueue: WriteQueue,
  wheel: TimerWheel,
  ending: Disconnect,
  isTold: boolean,
): void {
  const { code, reason } = ending;
  const late = new WheelTimer(() => destroy(transport, writeQueue, ending));
  let over = false;
  writeQueue.finish(complete => {
    over = true;
    wheel.cancel(late);
    if (!complete) return;
    if (isTold) transport.close(code, reason);
    else transport.destroy(code, reason);
  });
  if (!over) wheel.schedule(late, FINISH_MS);
}

/** Closes the transport without what is queued; a reader that goes on reading still learns why. */
export function abandon(transport: Transport, writeQueue: WriteQueue, { code, reason }: Disconnect): void {
  if (!writeQueue.discard()) {
    transport.destroy(code, reason);
    return;
  }
  if (transport.announcesDisconnect) {
    transport.write(pushMessage(transport.framing, { disconnect: { code, reason } }).frame(), false);
  }
  transport.close(code, reason);
}

/** Ends the transport at once. */
export function destroy(transport: Transport, writeQueue: WriteQueue, { code, reason }: Disconnect): void {
  writeQueue.discard();
  transport.destroy(code, reason);
}
