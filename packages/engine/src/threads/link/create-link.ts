import { MessageChannel, type MessagePort } from 'node:worker_threads';
import type { LinkMemory } from './link-end.ts';
import { ringBuffer } from './ring-memory.ts';

const MIB = 1024 * 1024;
/** Records of one turn (threads 3.1): main goes round its threads. */
const MAIN_TURN_RECORDS = 512;
const THREAD_TURN_RECORDS = 1024;

/** Sizes of a link, bytes (threads 3.1 and 3.2). */
export interface LinkSizes {
  /** The ring towards main; default 1 MiB. */
  readonly upBytes?: number;
  /** The ring towards the thread; default 4 MiB. */
  readonly downBytes?: number;
  /** What may wait beside the rings; defaults 4 MiB and 16 MiB. */
  readonly upSpillBytes?: number;
  readonly downSpillBytes?: number;
}

/** Both ends of a new link. The thread's goes to the thread in `workerData`, with `transferList`. */
export interface NewLink {
  readonly main: LinkMemory;
  readonly thread: LinkMemory;
  readonly transferList: MessagePort[];
}

/** Makes the memory and the ports of a link. @throws RangeError unless each ring has a power of two of bytes from 4 KiB on */
export function createLink(sizes: LinkSizes = {}): NewLink {
  const { upBytes = MIB, downBytes = 4 * MIB, upSpillBytes = 4 * MIB, downSpillBytes = 16 * MIB } = sizes;
  const up = ringBuffer(upBytes);
  const down = ringBuffer(downBytes);
  const parcels = new MessageChannel();
  const calls = new MessageChannel();
  return {
    main: {
      incoming: up,
      outgoing: down,
      parcels: parcels.port1,
      calls: calls.port1,
      spillBytes: downSpillBytes,
      turnRecords: MAIN_TURN_RECORDS,
    },
    thread: {
      incoming: down,
      outgoing: up,
      parcels: parcels.port2,
      calls: calls.port2,
      spillBytes: upSpillBytes,
      turnRecords: THREAD_TURN_RECORDS,
    },
    transferList: [parcels.port2, calls.port2],
  };
}
