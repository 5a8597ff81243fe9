import { MemorySchemaStore } from '#src/schemas/store/memory.ts';
import { schemaStoreContract } from './contract.ts';

schemaStoreContract('memory', async () => {
  const store = new MemorySchemaStore();
  return [store, store];
});
