import { MemoryChannelRegistry } from '#src/channels/registry/memory.ts';
import { channelRegistryContract } from './contract.ts';

channelRegistryContract('memory', async clock => new MemoryChannelRegistry(clock));
