import { MemoryPresence } from '@msg/engine';
import { PRESENCE_CONTRACT } from '@msg/engine/testing';
import { describe, expect, it } from 'vitest';

describe('memory presence keeps the contract', () => {
  it.each(PRESENCE_CONTRACT)('$name', async ({ holds }) => {
    const presence = new MemoryPresence();
    await presence.start();
    await holds(presence);
    await presence.stop();
    expect(presence.channelCount).toBe(0);
  });
});
