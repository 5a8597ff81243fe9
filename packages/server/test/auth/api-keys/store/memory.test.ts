import { MemoryApiKeyStore } from '#src/auth/api-keys/store/memory.ts';
import { apiKeyStoreContract } from '../../../support/store-contracts.ts';

apiKeyStoreContract('memory', async () => {
  const store = new MemoryApiKeyStore();
  return [store, store];
});
