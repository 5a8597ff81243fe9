import { setTimeout as wait } from 'node:timers/promises';
import type { RpcClient } from '@msg/core';
import type { Actor } from '../../kernel/actor.ts';
import type { Stream } from '../../kernel/stream.ts';
import type { WorldKernel } from '../../kernel/world-kernel.ts';
import { backendRpc } from './backend-rpc.ts';

/** Channels at the same time. */
const CHANNELS = 3;
const TTL_SECONDS = [10, 20, 40] as const;
const PAUSES_MS = [1000, 3000, 6000] as const;

/** Opens channels that close when nothing happens in them, and touches each for a while. */
export class ChannelOperator {
  readonly #kernel: WorldKernel;
  readonly #actor: Actor;
  readonly #draw: Stream;
  readonly #untilMs: number;

  constructor(kernel: WorldKernel, actor: Actor, untilMs: number) {
    this.#kernel = kernel;
    this.#actor = actor;
    this.#draw = actor.stream('channel operator');
    this.#untilMs = untilMs;
  }

  /** Called once, by its actor. */
  start(): void {
    const rpc = backendRpc(this.#kernel, this.#actor);
    for (let number = 0; number < CHANNELS; number++) void this.#use(rpc, `public:swept.c${number}`);
  }

  async #use(rpc: RpcClient, name: string): Promise<void> {
    const isOver = (): boolean => this.#kernel.nowUs / 1000 > this.#untilMs;
    while (!isOver()) {
      const ttl = this.#draw.pick(TTL_SECONDS);
      await rpc.call('OpenPublic', { name, ttl_seconds: ttl }).catch(() => undefined);
      for (let left = this.#draw.below(20); left > 0 && !isOver(); left--) {
        await wait(this.#draw.pick(PAUSES_MS));
        await rpc.call('TouchChannel', { name }).catch(() => undefined);
      }
      await wait(this.#draw.pick([5000, 60_000, 90_000]));
    }
  }
}
