import { MemoryChannelRegistry } from '#src/channels/registry/memory.ts';
import { channelRegistryContract } from '../../support/store-contracts.ts';

channelRegistryContract('memory', async clock => new MemoryChannelRegistry(clock));
