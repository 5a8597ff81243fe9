import { MemoryRedemptionStore } from '#src/auth/tokens/refresh/memory.ts';
import { redemptionStoreContract } from './contract.ts';

redemptionStoreContract('memory', async clock => new MemoryRedemptionStore(clock));
