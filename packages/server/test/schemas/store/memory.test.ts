import { MemorySchemaStore } from '#src/schemas/store/memory.ts';
import { schemaStoreContract } from '../../support/store-contracts.ts';

schemaStoreContract('memory', async () => {
  const store = new MemorySchemaStore();
  return [store, store];
});
