import type { TransportEvents } from '../transports/contract.ts';
import type { ClientConnection } from './client-handle.ts';
import type { CommandHandler } from './command-queue.ts';
import type { CommandSession } from './commands/command-row.ts';
import type { DeadlineEvents } from './deadlines.ts';
import type { ExpiringConnection } from './expiration.ts';
import type { WriteQueueEvents } from './write-queue-contract.ts';

/** The ports of a session's parts. */
export type SessionPorts = ClientConnection &
  CommandHandler &
  CommandSession &
  DeadlineEvents &
  ExpiringConnection &
  TransportEvents &
  WriteQueueEvents;
