import type { Clock, Random } from '@msg/foundation/clock';
import { MemoryRedemptionStore } from '../auth/tokens/refresh/memory.ts';
import { MemoryRevocationStore } from '../auth/tokens/revocation/memory.ts';
import { SecurityLog } from '../auth/tokens/security-log/log.ts';
import { MemoryChannelRegistry } from '../channels/registry/memory.ts';
import { MemoryDeadLetterQueue } from '../notify/dead-letters/memory.ts';
import { MemoryRateLimiter } from '../rate-limits/memory.ts';
import { MemorySchemaStore } from '../schemas/store/memory.ts';
import type { StoreBackend } from './contract.ts';

/**
 * The stores of a single node, which end with the process. With a state directory, its security log keeps revocations and
 * redemptions. Opening rejects with MSG_INVALID_ARGUMENT for an unreadable security log, MSG_INTERNAL when it cannot be
 * written.
 */
export function memoryStores(stateDir = ''): StoreBackend {
  return {
    async open({ clock, random }: { readonly clock: Clock; readonly random: Random }) {
      const securityLog = stateDir === '' ? undefined : new SecurityLog(stateDir);
      const redemptions = new MemoryRedemptionStore(clock, securityLog);
      const revocations = new MemoryRevocationStore(clock, securityLog);
      await securityLog?.open([revocations, redemptions]);
      return {
        registry: new MemoryChannelRegistry(clock),
        limiter: new MemoryRateLimiter(clock),
        redemptions,
        revocations,
        deadLetters: new MemoryDeadLetterQueue(random, undefined, clock),
        schemas: new MemorySchemaStore(),
        close: () => securityLog?.close(),
      };
    },
  };
}
