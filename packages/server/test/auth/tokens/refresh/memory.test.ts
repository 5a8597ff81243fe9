import { MemoryRedemptionStore } from '#src/auth/tokens/refresh/memory.ts';
import { redemptionStoreContract } from '../../../support/store-contracts.ts';

redemptionStoreContract('memory', async clock => new MemoryRedemptionStore(clock));
