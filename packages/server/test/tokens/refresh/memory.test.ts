import { MemoryRedemptionStore } from '#src/tokens/refresh/memory.ts';
import { redemptionStoreContract } from './contract.ts';

redemptionStoreContract('memory', async clock => new MemoryRedemptionStore(clock));
