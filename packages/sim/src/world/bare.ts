import { setTimeout as wait } from 'node:timers/promises';
import type { Kernel } from '../kernel/kernel.ts';
import type { PreparedWorld } from './contract.ts';

const ACTORS = 8;
const END_MS = 60_000;

/** Actors that wait, draw and take turns, and nothing else: the kernel alone, and the baseline of its speed. */
export function bareWorld(kernel: Kernel): PreparedWorld {
  let turns = 0;
  for (let i = 0; i < ACTORS; i++) {
    const actor = kernel.actor(`actor ${i}`);
    kernel.at(0, actor, 'start', () => {
      setInterval(() => turns++, 10 + i);
      const loop = async (): Promise<void> => {
        await wait(Math.random() * 50);
        await Promise.resolve();
        process.nextTick(() => setImmediate(() => turns++));
        if (Date.now() % 1000 < 500) setTimeout(() => turns++, crypto.getRandomValues(new Uint8Array(1))[0]);
        void loop();
      };
      void loop();
    });
  }
  return { endMs: END_MS, drawn: {}, counts: () => ({ turns }), violations: () => [] };
}
